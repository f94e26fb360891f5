/* Finds the hottest block of an object and describes blocks and elements in words. */
#include "summary/hottest.h"

#include <stdio.h>
#include <string.h>

/* --- Text ------------------------------------------------------------------------------------- */

static void add_text(char *text, size_t size, const char *more)
{
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", more);
}

/* Writes the range of a cell along one axis of the heat map: "0-127", or "5". */
static void format_range(const struct cwi_heat_map *heat_map, int along, size_t cell,
                         char range[64])
{
  const int64_t extent = heat_map->extents[heat_map->drawn[along]], one = heat_map->from_one;
  const int64_t width = cwi_heat_map_width(heat_map, along), first = (int64_t)cell * width;
  const int64_t end = first + width < extent ? first + width : extent;
  if (end - first > 1)
    snprintf(range, 64, "%lld-%lld", (long long)(first + one), (long long)(end - 1 + one));
  else
    snprintf(range, 64, "%lld", (long long)(first + one));
}

/* Appends "rows 0-127" or "row 5". */
static void add_range(char *text, size_t size, const char *noun, const char *range)
{
  add_text(text, size, noun);
  add_text(text, size, strchr(range, '-') != NULL ? "s " : " ");
  add_text(text, size, range);
}

/* Appends the ranges of an array of more than two dimensions: "[*, 0-15, *, 3]", or in Fortran "(4,
 * *, 1-16, *)". */
static void add_ranges(char *text, size_t size, const struct cwi_heat_map *heat_map,
                       char ranges[2][64])
{
  add_text(text, size, heat_map->from_one != 0 ? "(" : "[");
  for (int i = 0; i < heat_map->dimensions; i++) {
    const int d = heat_map->from_one != 0 ? heat_map->dimensions - 1 - i : i;
    add_text(text, size, i > 0 ? ", " : "");
    add_text(text, size,
             d == heat_map->drawn[0]   ? ranges[0]
             : d == heat_map->drawn[1] ? ranges[1]
                                       : "*");
  }
  add_text(text, size, heat_map->from_one != 0 ? ")" : "]");
}

/* Describes a cell. The rows of a Fortran program are the last dimension in C. */
static void describe_cell(const struct cwi_heat_map *heat_map, size_t cell, char *text, size_t size)
{
  char ranges[2][64] = {"", ""};
  const size_t columns = (size_t)heat_map->cells[1];
  format_range(heat_map, 0, cell / columns, ranges[0]);
  if (heat_map->drawn[1] >= 0)
    format_range(heat_map, 1, cell % columns, ranges[1]);
  text[0] = '\0';
  if (heat_map->dimensions > 2) {
    add_ranges(text, size, heat_map, ranges);
  } else if (heat_map->dimensions < 2) {
    add_range(text, size, heat_map->dimensions == 0 ? "byte" : "element", ranges[0]);
  } else {
    const int rows = heat_map->from_one != 0; /* C's dimension that the program calls rows */
    const char *of[2] = {heat_map->drawn[0] == 0 ? ranges[0] : "*",
                         heat_map->drawn[0] == 1   ? ranges[0]
                         : heat_map->drawn[1] == 1 ? ranges[1]
                                                   : "*"};
    if (of[rows][0] != '*')
      add_range(text, size, "row", of[rows]);
    add_text(text, size, of[0][0] != '*' && of[1][0] != '*' ? ", " : "");
    if (of[1 - rows][0] != '*')
      add_range(text, size, "column", of[1 - rows]);
  }
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static bool is_hotter(const struct cwi_heat_map_cell *one, const struct cwi_heat_map_cell *other)
{
  return one->bytes != other->bytes ? one->bytes > other->bytes
                                    : one->operations > other->operations;
}

void cwi_hot_block_find(const struct cwi_summary *summary, const struct cwi_object_row *object,
                        struct cwi_hot_block *block)
{
  const struct cwi_heat_map_row *row = cwi_summary_heat_map_of(summary, object->name);
  *block = (struct cwi_hot_block){.heat_map = NULL};
  if (row == NULL || object->undrawn != 0 || object->operations == 0)
    return;
  block->heat_map = row;
  for (size_t cell = 1; cell < cwi_heat_map_count(&row->heat_map); cell++)
    if (is_hotter(&row->cells[cell], &row->cells[block->cell]))
      block->cell = cell;
  const struct cwi_heat_map_cell *hottest = &row->cells[block->cell];
  char holders[64];
  block->share = object->bytes > 0 ? (double)hottest->bytes / (double)object->bytes : 0;
  describe_cell(&row->heat_map, block->cell, block->text, sizeof block->text);
  if (hottest->least == hottest->most)
    snprintf(holders, sizeof holders, ", held by process %d", hottest->most - 1);
  else
    snprintf(holders, sizeof holders, ", held by processes %d to %d", hottest->least - 1,
             hottest->most - 1);
  add_text(block->text, sizeof block->text, holders);
}

bool cwi_hot_block_is_hot(const struct cwi_hot_block *block)
{
  static const double LEAST_SHARE = 0.25, TIMES = 2;
  return block->heat_map != NULL && block->share >= LEAST_SHARE &&
         block->share * (double)cwi_heat_map_count(&block->heat_map->heat_map) >= TIMES;
}

/* --- Elements --------------------------------------------------------------------------------- */

static void describe_index(const struct cwi_heat_map *heat_map, int64_t number, char *text,
                           size_t size)
{
  int64_t index[CWI_HEAT_MAP_DIMENSIONS] = {0};
  for (int d = heat_map->dimensions - 1; d >= 0; d--) {
    const int64_t extent = heat_map->extents[d] > 0 ? heat_map->extents[d] : 1;
    index[d] = number % extent;
    number /= extent;
  }
  add_text(text, size, heat_map->from_one != 0 ? "element (" : "element [");
  for (int i = 0; i < heat_map->dimensions; i++) {
    char one[32];
    const int d = heat_map->from_one != 0 ? heat_map->dimensions - 1 - i : i;
    snprintf(one, sizeof one, "%s%lld", i > 0 ? ", " : "",
             (long long)(index[d] + heat_map->from_one));
    add_text(text, size, one);
  }
  add_text(text, size, heat_map->from_one != 0 ? ")" : "]");
}

void cwi_element_text(const struct cwi_summary *summary, const struct cwi_top_k_entry *element,
                      char *text, size_t size)
{
  const struct cwi_heat_map_row *row = cwi_summary_heat_map_of(summary, element->text);
  text[0] = '\0';
  if (element->slice == 0 && (row == NULL || element->place < 0))
    snprintf(text, size, "address 0x%llx", (unsigned long long)-element->place);
  else if (element->slice != 0 || row->heat_map.dimensions == 0)
    snprintf(text, size, "byte %lld", (long long)element->place);
  else
    describe_index(&row->heat_map, element->place, text, size);
}

double cwi_element_share(const struct cwi_summary *summary, const struct cwi_top_k_entry *element)
{
  uint64_t all = 0;
  for (int where = 0; where < CWI_WHERES; where++)
    all += summary->operations[CWI_COUNT_RMW][where].count;
  return all > 0 ? (double)(element->count - element->over) / (double)all : 0;
}
