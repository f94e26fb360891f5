/* Sections of a report: heat maps, which show where in an object its operations went; and the
 * elements with the most read-modify-writes. */
#include "cw-report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(columns) (sizeof(columns) / sizeof(columns)[0])
#define TAKE(step)                                                                                 \
  do {                                                                                             \
    const int taken = (step);                                                                      \
    if (taken != REPORT_DONE)                                                                      \
      return taken;                                                                                \
  } while (0)

enum { MOST_DIMENSIONS = 8, HEAT_MAP_MEASURES = 2 };

/* --- Reading ---------------------------------------------------------------------------------- */

static int reject(const struct report_reader *reader, const char *where)
{
  return report_misuse("'%s': %s does not fit its object", reader->path, where);
}

/* Sets the name and number of a dimension. Fortran counts dimensions from 1, and in the opposite
 * order. */
static void name_axis(struct report_axis *axis, bool is_bytes, bool fortran, size_t dimensions,
                      size_t dimension)
{
  static const char *const nouns[] = {"rows", "columns"};
  axis->one = fortran;
  axis->dimension = (int)(fortran ? dimensions - dimension : dimension);
  axis->noun = is_bytes          ? "bytes"
               : dimensions == 1 ? "elements"
               : dimensions == 2 ? nouns[fortran ? 1 - dimension : dimension]
                                 : NULL;
}

struct raw_heat_map {
  uint64_t extents[MOST_DIMENSIONS], drawn[2], widths[2];
  size_t dimensions, along;
  bool is_bytes, fortran;
};

static int take_axis(const struct report_reader *reader, const char *where, const json_t *found,
                     const struct raw_heat_map *raw, size_t along, struct report_axis *axis)
{
  const uint64_t dimension = raw->drawn[along];
  if (dimension >= raw->dimensions || (along == 1 && dimension <= raw->drawn[0]) ||
      raw->widths[along] == 0)
    return reject(reader, where);
  axis->extent = raw->extents[dimension];
  axis->width = raw->widths[along];
  const uint64_t cells = axis->extent > 0 ? (axis->extent - 1) / axis->width + 1 : 1;
  if (cells > (raw->along == 2 ? REPORT_SIDE : REPORT_LINE))
    return reject(reader, where);
  axis->cells = (size_t)cells;
  name_axis(axis, raw->is_bytes, raw->fortran, raw->dimensions, (size_t)dimension);
  struct report_wholes begin = {.values = axis->begin, .most = REPORT_BLOCKS};
  TAKE(report_take_wholes(reader, where, json_array_get(json_object_get(found, "blocks"), along),
                          "blocks", &begin));
  axis->blocks = begin.count;
  return REPORT_DONE;
}

/* Reads a cell: its row and column, its operations and bytes, and the least and greatest process
 * that hold these elements. `turned`: the file has columns before rows. */
static int take_cell(const struct report_reader *reader, const char *where, const json_t *list,
                     bool turned, struct report_heat_map *heat_map)
{
  uint64_t numbers[6];
  TAKE(report_take_wholes(reader, where, list, "cells",
                          &(struct report_wholes){.values = numbers, .least = 6, .most = 6}));
  const uint64_t row = heat_map->has_rows ? numbers[turned] : 0;
  const uint64_t column = heat_map->has_rows ? numbers[1 - turned] : numbers[0];
  if (row >= heat_map->rows.cells || column >= heat_map->columns.cells || numbers[4] > numbers[5] ||
      numbers[5] > INT32_MAX)
    return reject(reader, where);
  const size_t cell = (size_t)row * heat_map->columns.cells + (size_t)column;
  heat_map->value[REPORT_BY_COUNT][cell] = (double)numbers[2];
  heat_map->value[REPORT_BY_BYTES][cell] = (double)numbers[3];
  heat_map->least[cell] = (int)numbers[4];
  heat_map->most[cell] = (int)numbers[5];
  return REPORT_DONE;
}

static int take_cells(const struct report_reader *reader, const char *where, const json_t *found,
                      bool turned, struct report_heat_map *heat_map)
{
  const json_t *list = json_object_get(found, "cells");
  const size_t cells = heat_map->rows.cells * heat_map->columns.cells;
  for (int measure = 0; measure < HEAT_MAP_MEASURES; measure++)
    heat_map->value[measure] = report_allocate(cells, sizeof *heat_map->value[measure]);
  heat_map->least = report_allocate(cells, sizeof *heat_map->least);
  heat_map->most = report_allocate(cells, sizeof *heat_map->most);
  for (size_t i = 0; i < cells; i++)
    heat_map->least[i] = heat_map->most[i] = -1;
  if (!json_is_array(list))
    return reject(reader, where);
  for (size_t i = 0; i < json_array_size(list); i++)
    TAKE(take_cell(reader, where, json_array_get(list, i), turned, heat_map));
  return REPORT_DONE;
}

static int take_raw(struct report_reader *reader, const char *where, const json_t *found,
                    struct raw_heat_map *raw)
{
  const char *of = "";
  struct report_wholes extents = {.values = raw->extents, .least = 1, .most = MOST_DIMENSIONS};
  struct report_wholes drawn = {.values = raw->drawn, .least = 1, .most = 2};
  TAKE(report_take_text(reader, where, found, "of", &of));
  TAKE(report_take_wholes(reader, where, json_object_get(found, "extents"), "extents", &extents));
  TAKE(report_take_wholes(reader, where, json_object_get(found, "drawn"), "drawn", &drawn));
  struct report_wholes widths = {.values = raw->widths, .least = drawn.count, .most = drawn.count};
  TAKE(report_take_wholes(reader, where, json_object_get(found, "widths"), "widths", &widths));
  raw->dimensions = extents.count;
  raw->along = drawn.count;
  raw->is_bytes = strcmp(of, "bytes") == 0;
  raw->fortran = json_is_true(json_object_get(found, "fortran"));
  return REPORT_DONE;
}

/* For a Fortran program the last dimension in C's order has the rows, so the two axes are
 * exchanged. */
int report_take_heat_map(struct report_reader *reader, const char *where, const json_t *row,
                         struct report_heat_map **heat_map)
{
  const json_t *found = json_object_get(row, "chart");
  struct raw_heat_map raw = {.is_bytes = false};
  char place[120];
  if (found == NULL)
    return REPORT_DONE;
  *heat_map = report_allocate(1, sizeof **heat_map);
  snprintf(place, sizeof place, "the heat map of %s", where);
  TAKE(take_raw(reader, place, found, &raw));
  const bool two = raw.along == 2, turned = two && raw.fortran;
  (*heat_map)->has_rows = two;
  (*heat_map)->rows.cells = 1;
  TAKE(take_axis(reader, place, found, &raw, 0,
                 two && !turned ? &(*heat_map)->rows : &(*heat_map)->columns));
  if (two)
    TAKE(take_axis(reader, place, found, &raw, 1,
                   turned ? &(*heat_map)->rows : &(*heat_map)->columns));
  return take_cells(reader, place, found, turned, *heat_map);
}

void report_heat_map_free(struct report_heat_map *heat_map)
{
  if (heat_map == NULL)
    return;
  for (int measure = 0; measure < HEAT_MAP_MEASURES; measure++)
    free(heat_map->value[measure]);
  free(heat_map->least);
  free(heat_map->most);
  free(heat_map);
}

/* --- Words ------------------------------------------------------------------------------------ */

/* Writes the name of an axis, such as "rows" or "dimension 2". */
static void name_of_axis(char word[REPORT_WORD], const struct report_axis *axis)
{
  if (axis->noun != NULL)
    snprintf(word, REPORT_WORD, "%s", axis->noun);
  else
    snprintf(word, REPORT_WORD, "dimension %d", axis->dimension);
}

static uint64_t first_of(const struct report_axis *axis, size_t cell)
{
  return cell * axis->width + axis->one;
}

static uint64_t last_of(const struct report_axis *axis, size_t cell)
{
  const uint64_t end = (cell + 1) * axis->width;
  return (end < axis->extent ? end : axis->extent) + axis->one - 1;
}

/* Writes the indices of a cell, such as "0-15" or "7". */
enum { RANGE = 48 };
static void format_range(char word[RANGE], const struct report_axis *axis, size_t cell)
{
  const uint64_t first = first_of(axis, cell), last = last_of(axis, cell);
  if (first < last)
    snprintf(word, RANGE, "%llu-%llu", (unsigned long long)first, (unsigned long long)last);
  else
    snprintf(word, RANGE, "%llu", (unsigned long long)first);
}

/* Writes the indices of a cell with the name of their axis, such as "rows 0-15". */
static void describe_cell(char *text, size_t size, const struct report_axis *axis, size_t cell)
{
  char name[REPORT_WORD], range[RANGE];
  name_of_axis(name, axis);
  format_range(range, axis, cell);
  snprintf(text, size, axis->noun != NULL ? "%s %s" : "%s: %s", name, range);
}

static double share_of_hottest(const struct report_heat_map *heat_map)
{
  const double *value = heat_map->value[REPORT_BY_BYTES];
  double most = 0, all = 0;
  for (size_t i = 0; i < heat_map->rows.cells * heat_map->columns.cells; i++) {
    most = fmax(most, value[i]);
    all += value[i];
  }
  return all > 0 ? most / all : 0;
}

/* --- As text ---------------------------------------------------------------------------------- */

static const char shades[REPORT_SHADES + 2] = " .:-=+*%#@";

static void write_shades(FILE *out, const struct report_scale *scale)
{
  const int first = scale->is_even ? REPORT_EVEN_SHADE : 1;
  const int last = scale->is_even ? REPORT_EVEN_SHADE : scale->shades;
  int column = 0;
  for (int shade = first; shade <= last && scale->most > 0; shade++) {
    char words[2 * REPORT_WORD + 16];
    report_describe_shade(words, scale, REPORT_BY_BYTES, shade);
    if (column > 0 && column + 5 + (int)strlen(words) > 76) {
      fputc('\n', out);
      column = 0;
    }
    column += fprintf(out, "  %c %s", shades[shade], words);
  }
  fputs(scale->most > 0 ? "\n" : "  nothing\n", out);
}

/* Returns the width of the longest range of row indices. */
static int width_of_ranges(const struct report_heat_map *heat_map)
{
  size_t width = 0;
  for (size_t row = 0; row < heat_map->rows.cells && heat_map->has_rows; row++) {
    char range[RANGE];
    format_range(range, &heat_map->rows, row);
    width = strlen(range) > width ? strlen(range) : width;
  }
  return (int)width;
}

/* Draws a line for each row of cells, with a character for each cell. */
static void write_text_map(FILE *out, const struct report_heat_map *heat_map)
{
  const double *value = heat_map->value[REPORT_BY_BYTES];
  const size_t rows = heat_map->rows.cells, columns = heat_map->columns.cells;
  const struct report_scale scale = report_scale_of(value, rows * columns, REPORT_BY_BYTES);
  char name[REPORT_WORD];
  name_of_axis(name, &heat_map->columns);
  const int width = width_of_ranges(heat_map);
  fprintf(out, "  %*s  %s %llu-%llu, %llu in a cell\n", width, "", name,
          (unsigned long long)heat_map->columns.one,
          (unsigned long long)last_of(&heat_map->columns, columns - 1),
          (unsigned long long)heat_map->columns.width);
  if (heat_map->has_rows) {
    name_of_axis(name, &heat_map->rows);
    fprintf(out, "  %s\n", name);
  }
  for (size_t row = 0; row < rows; row++) {
    char range[RANGE] = "";
    if (heat_map->has_rows)
      format_range(range, &heat_map->rows, row);
    fprintf(out, "  %*s |", width, range);
    for (size_t column = 0; column < columns; column++)
      fputc(shades[report_shade_of(&scale, value[row * columns + column])], out);
    fputs("|\n", out);
  }
  write_shades(out, &scale);
}

/* --- On a page -------------------------------------------------------------------------------- */

enum { WIDTH = 640, MARGIN = 96, TOP = 40 };

static void draw_labels(FILE *out, const struct report_heat_map *heat_map, double wide, double high)
{
  const struct report_axis *const rows = &heat_map->rows, *const columns = &heat_map->columns;
  const size_t step = (columns->cells + 7) / 8;
  char name[REPORT_WORD];
  for (size_t cell = 0; cell < columns->cells; cell += step)
    fprintf(out, "<text x=\"%.1f\" y=\"%d\">%llu</text>\n", MARGIN + wide * (double)cell, TOP - 6,
            (unsigned long long)first_of(columns, cell));
  for (size_t cell = 0; cell < rows->cells && heat_map->has_rows; cell += (rows->cells + 7) / 8)
    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%llu</text>\n", MARGIN - 6,
            TOP + high * (double)cell + 10, (unsigned long long)first_of(rows, cell));
  name_of_axis(name, columns);
  fprintf(out, "<text x=\"%d\" y=\"14\">%s</text>\n", MARGIN, name);
  if (heat_map->has_rows) {
    name_of_axis(name, rows);
    fprintf(out, "<text x=\"6\" y=\"%d\">%s</text>\n", TOP - 6, name);
  }
}

/* Draws the boundaries between the blocks of processes, in units of cells. */
static void draw_blocks(FILE *out, const struct report_heat_map *heat_map)
{
  const double width = (double)heat_map->columns.extent / (double)heat_map->columns.width;
  const double height =
      heat_map->has_rows ? (double)heat_map->rows.extent / (double)heat_map->rows.width : 1;
  fputs("<path class=\"blocks\" transform=\"translate(0 -.5)\" d=\"", out);
  for (size_t i = 0; i < heat_map->columns.blocks; i++)
    if (heat_map->columns.begin[i] <= heat_map->columns.extent)
      fprintf(out, "M%.6g 0v%.6g",
              (double)heat_map->columns.begin[i] / (double)heat_map->columns.width, height);
  for (size_t i = 0; i < heat_map->rows.blocks; i++)
    if (heat_map->rows.begin[i] <= heat_map->rows.extent)
      fprintf(out, "M0 %.6gh%.6g", (double)heat_map->rows.begin[i] / (double)heat_map->rows.width,
              width);
  fprintf(out, "M0 0h%.6gv%.6gh-%.6gz\"/>\n", width, height, width);
}

static void write_words(FILE *out, const char *member, const struct report_axis *axis)
{
  fprintf(out, "\"%s\":[", member);
  for (size_t cell = 0; cell < axis->cells; cell++) {
    char text[100] = "";
    if (axis->width > 0)
      describe_cell(text, sizeof text, axis, cell);
    fprintf(out, "%s\"%s\"", cell > 0 ? "," : "", text);
  }
  fputs("],", out);
}

/* Writes the values and labels of the cells for the script of the page, which shows those of the
 * cell under the pointer. */
static void write_values(FILE *out, const struct report_heat_map *heat_map)
{
  const size_t cells = heat_map->rows.cells * heat_map->columns.cells;
  fputs("<script type=\"application/json\" class=\"cells\">{", out);
  write_words(out, "rows", &heat_map->rows);
  write_words(out, "columns", &heat_map->columns);
  for (int measure = 0; measure < HEAT_MAP_MEASURES; measure++) {
    fprintf(out, "\"%s\":[", report_measure_words[measure]);
    for (size_t i = 0; i < cells; i++)
      fprintf(out, "%s%.17g", i > 0 ? "," : "", heat_map->value[measure][i]);
    fputs("],", out);
  }
  fputs("\"held\":[", out);
  for (size_t i = 0; i < cells; i++) {
    fputs(i > 0 ? "," : "", out);
    if (heat_map->least[i] < 0)
      fputs("[]", out);
    else
      fprintf(out, "[%d,%d]", heat_map->least[i], heat_map->most[i]);
  }
  fputs("]}</script>\n", out);
}

static void draw_heat_map(FILE *out, const struct report_heat_map *heat_map, size_t number)
{
  const size_t rows = heat_map->rows.cells, columns = heat_map->columns.cells;
  const double wide = fmin(40, (double)WIDTH / (double)columns),
               high = heat_map->has_rows ? wide : 32;
  char map[32];
  snprintf(map, sizeof map, "object-%zu", number);
  fprintf(out, "<div class=\"map\" id=\"map-%s\">\n", map);
  report_draw_choice(out, map, HEAT_MAP_MEASURES);
  fprintf(out,
          "<svg width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-label=\"where in the object\">\n",
          MARGIN + wide * (double)columns + 60, TOP + high * (double)rows + 4);
  draw_labels(out, heat_map, wide, high);
  fprintf(out,
          "<rect class=\"field\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>"
          "<g transform=\"translate(%d %d) scale(%.6g %.6g) translate(0 .5)\">\n",
          MARGIN, TOP, wide * (double)columns, high * (double)rows, MARGIN, TOP, wide, high);
  for (int measure = 0; measure < HEAT_MAP_MEASURES; measure++)
    report_draw_cells(out, rows, columns, heat_map->value[measure], measure);
  draw_blocks(out, heat_map);
  fputs("</g></svg>\n", out);
  for (int measure = 0; measure < HEAT_MAP_MEASURES; measure++)
    report_draw_legend(out, heat_map->value[measure], rows * columns, measure);
  fputs("<output class=\"cell\"></output>\n", out);
  write_values(out, heat_map);
  fputs("</div>\n", out);
}

/* --- The sections ----------------------------------------------------------------------------- */

/* Returns true if there is something to draw: more than one cell, and no extent of 0. */
static bool is_drawn(const struct report_object *object)
{
  const struct report_heat_map *heat_map = object->heat_map;
  return heat_map != NULL && heat_map->rows.cells * heat_map->columns.cells > 1 &&
         heat_map->columns.extent > 0 && (heat_map->rows.extent > 0 || !heat_map->has_rows);
}

void report_write_heat_maps(const struct report_paper *paper,
                            const struct report_object *const *order, size_t count)
{
  const size_t most = paper->page ? 20 : 5;
  size_t drawn = 0, all = 0;
  for (size_t i = 0; i < count; i++)
    all += is_drawn(order[i]);
  if (all == 0)
    return;
  report_section(paper, "blocks", "where in objects");
  report_text(paper,
              "Bytes count in the cells to which they were moved, an operation in the cell in "
              "which it begins.%s",
              paper->page ? " Lines separate the blocks of processes." : "");
  for (size_t i = 0; i < count && drawn < most; i++) {
    if (!is_drawn(order[i]))
      continue;
    if (!paper->page)
      fputc('\n', paper->out);
    report_text(paper, "%s: the hottest block is %s: %.1f %% of its bytes.", order[i]->object,
                order[i]->hottest, 100 * share_of_hottest(order[i]->heat_map));
    if (paper->page)
      draw_heat_map(paper->out, order[i]->heat_map, drawn);
    else
      write_text_map(paper->out, order[i]->heat_map);
    drawn++;
  }
  if (drawn < all)
    report_text(paper, "And %zu more objects with fewer bytes.", all - drawn);
}

void report_write_elements(const struct report_paper *paper, const struct report_profile *profile)
{
  static const struct report_column columns[] = {{"element", REPORT_WORDS, 20},
                                                 {"of", REPORT_WORDS, 26},
                                                 {"process", REPORT_COUNT, 7},
                                                 {"updates", REPORT_COUNT, 10},
                                                 {"too many by", REPORT_COUNT, 11}};
  if (profile->elements.count == 0)
    return;
  report_section(paper, "elements", "elements that read-modify-writes went to");
  report_text(paper,
              "The counts are upper bounds; the last column is the largest possible error. Any "
              "other element was updated %llu times at most.",
              (unsigned long long)profile->other_elements);
  report_table(paper, NULL, columns, COUNT(columns));
  for (size_t i = 0; i < profile->elements.count; i++) {
    const struct report_element *row = REPORT_ROWS(profile->elements, struct report_element) + i;
    report_row(paper, columns, COUNT(columns),
               (union report_cell[]){{.words = row->element},
                                     {.words = row->object},
                                     {.count = (uint64_t)row->process},
                                     {.count = row->updates},
                                     {.count = row->over}});
  }
  report_table_end(paper);
}
