/* Heat maps and top-k counters against models that count each element: for random transfers on
 * random arrays, with the profile of this process (CW_PROFILE), and without a job. Also memory of
 * the node that other processes free. The argument is the number of arrays. */
#include "kit/distribution.h"

#include "array/array.h"
#include "profile/profile_counters.h"
#include "summary/hottest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Charts ----------------------------------------------------------------------------------- */

enum { MOST_ELEMENTS = 4000 };

struct model {
  cw_array array;
  char name[24];
  int n;
  int64_t extents[CW_MAX_DIMENSIONS];
  uint64_t bytes[MOST_ELEMENTS]; /* of this process's transfers, row by row */
  uint64_t operations;           /* at least */
};

static void make_array(struct model *model, int number)
{
  static const int64_t limits[] = {0, 2000, 60, 15, 7};
  struct kit_distribution drawn;
  cw_array_options options = {.type = CW_LONG, .extents = model->extents, .name = model->name};
  memset(model, 0, sizeof *model);
  snprintf(model->name, sizeof model->name, "model %d", number);
  options.dimensions = model->n = 1 + kit_common(4);
  for (int d = 0; d < model->n; d++)
    model->extents[d] = kit_draw(1, limits[model->n]);
  kit_draw_distribution(model->n, model->extents, kit_common(4) == 0, &drawn);
  options.distribution = drawn.what;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &model->array));
}

static size_t number_of(const struct model *model, const int64_t *index)
{
  size_t number = 0;
  for (int d = 0; d < model->n; d++)
    number = number * (size_t)model->extents[d] + (size_t)index[d];
  return number;
}

static void draw_index(const struct model *model, int64_t *index)
{
  for (int d = 0; d < model->n; d++)
    index[d] = kit_own((int)model->extents[d]);
}

static void move_patch(struct model *model)
{
  static long buffer[MOST_ELEMENTS];
  static const long one = 1;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], ld[CW_MAX_DIMENSIONS],
      at[CW_MAX_DIMENSIONS];
  draw_index(model, lo);
  for (int d = 0; d < model->n; d++) {
    hi[d] = lo[d] + kit_own((int)(model->extents[d] - lo[d]));
    at[d] = lo[d];
    if (d > 0)
      ld[d - 1] = hi[d] - lo[d] + 1;
  }
  const int kind = kit_own(3);
  KIT_OK(kind == 0   ? cw_array_put(model->array, lo, hi, buffer, ld)
         : kind == 1 ? cw_array_get(model->array, lo, hi, buffer, ld)
                     : cw_array_accumulate(model->array, lo, hi, buffer, ld, &one));
  model->operations++;
  int d = 0;
  while (d >= 0) {
    model->bytes[number_of(model, at)] += sizeof(long);
    for (d = model->n - 1; d >= 0 && ++at[d] > hi[d]; d--)
      at[d] = lo[d];
  }
}

static void move_elements(struct model *model)
{
  enum { ELEMENTS = 20 };
  int64_t indices[ELEMENTS * CW_MAX_DIMENSIONS];
  long values[ELEMENTS] = {0};
  for (int i = 0; i < ELEMENTS; i++) {
    draw_index(model, &indices[i * model->n]);
    model->bytes[number_of(model, &indices[i * model->n])] += sizeof(long);
  }
  KIT_OK(kit_own(2) == 0 ? cw_array_gather(model->array, ELEMENTS, indices, values)
                         : cw_array_scatter(model->array, ELEMENTS, indices, values));
  model->operations++;
}

static void increment(struct model *model)
{
  int64_t index[CW_MAX_DIMENSIONS], before = 0;
  draw_index(model, index);
  KIT_OK(cw_array_read_increment(model->array, index, 1, &before));
  model->bytes[number_of(model, index)] += sizeof(long);
  model->operations++;
}

static const struct cwi_call_object *object_of(const struct model *model)
{
  char begin[40];
  snprintf(begin, sizeof begin, "array '%s',", model->name);
  for
    CWI_EACH_ROW(struct cwi_call_object, object, &cwi_profiled->objects)
    {
      if (object->name != NULL && strncmp(object->name, begin, strlen(begin)) == 0)
        return object;
    }
  return NULL;
}

static void check_array(const struct model *model)
{
  struct cwi_heat_map_cell want[CWI_HEAT_MAP_CELLS];
  const struct cwi_call_object *object = object_of(model);
  uint64_t operations = 0;
  size_t elements = 1;
  if (!kit_check(object != NULL && object->cells != NULL, "array '%s' is not drawn", model->name))
    return;
  const struct cwi_heat_map *heat_map = object->heat_map;
  memset(want, 0, sizeof want);
  for (int d = 0; d < model->n; d++)
    elements *= (size_t)model->extents[d];
  for (size_t i = 0; i < elements; i++) {
    int64_t index[CW_MAX_DIMENSIONS], rest = (int64_t)i;
    for (int d = model->n - 1; d >= 0; rest /= model->extents[d], d--)
      index[d] = rest % model->extents[d];
    const int64_t row = index[heat_map->drawn[0]] / cwi_heat_map_width(heat_map, 0);
    const int64_t column =
        heat_map->drawn[1] >= 0 ? index[heat_map->drawn[1]] / cwi_heat_map_width(heat_map, 1) : 0;
    want[row * heat_map->cells[1] + column].bytes += model->bytes[i];
  }
  for (size_t i = 0; i < cwi_heat_map_count(heat_map); i++) {
    kit_check(object->cells[i].bytes == want[i].bytes,
              "cell %zu of array '%s' has %llu bytes, not %llu", i, model->name,
              (unsigned long long)object->cells[i].bytes, (unsigned long long)want[i].bytes);
    operations += object->cells[i].operations;
  }
  kit_check(operations == object->operations && operations >= model->operations && !object->undrawn,
            "the cells of array '%s' have %llu operations, of %llu", model->name,
            (unsigned long long)operations, (unsigned long long)object->operations);
}

/* Checks the conversion of a place in memory back to each element. */
static void check_way_back(const struct model *model)
{
  int64_t index[CW_MAX_DIMENSIONS] = {0}, block[CW_MAX_DIMENSIONS], back[CW_MAX_DIMENSIONS],
          in[CW_MAX_DIMENSIONS];
  int d = 0;
  while (d >= 0) {
    struct cwi_place place;
    cwi_block_of(model->array, index, block);
    cwi_element_place(model->array, block, index, &place);
    cwi_element_at(model->array, place.holder, (int64_t)(place.offset / sizeof(long)), in, back);
    const size_t bytes = (size_t)model->n * sizeof index[0];
    kit_check(memcmp(back, index, bytes) == 0 && memcmp(in, block, bytes) == 0,
              "element %zu of array '%s' is taken for %zu", number_of(model, index), model->name,
              number_of(model, back));
    for (d = model->n - 1; d >= 0 && ++index[d] == model->extents[d]; d--)
      index[d] = 0;
  }
}

static void check_arrays(int arrays)
{
  static struct model model;
  for (int i = 0; i < arrays; i++) {
    kit_about("array %d", i);
    make_array(&model, i);
    check_way_back(&model);
    for (int round = 0; round < 10; round++) {
      move_patch(&model);
      move_elements(&model);
      increment(&model);
    }
    KIT_OK(cw_array_sync(model.array));
    check_array(&model);
    KIT_OK(cw_array_destroy(&model.array));
  }
}

/* --- Sketches --------------------------------------------------------------------------------- */

enum { ELEMENTS = 500, STREAMS = 13 };

static void count_one(struct cwi_top_k *top_k, uint64_t *exact, int element)
{
  const struct cwi_top_k_entry one = {.key = 3 * (uint64_t)element + 7, .place = element};
  cwi_top_k_add(top_k, &one);
  exact[element]++;
}

/* Draws small numbers more often; each stream has its own order. */
static int draw_element(int stream, int elements)
{
  const int most = 1 + kit_own(elements);
  return (kit_own(most) + 5 * stream) % elements;
}

static void check_top_k(const struct cwi_top_k *top_k, const uint64_t *exact, int elements)
{
  bool is_there[ELEMENTS] = {false};
  for (uint64_t i = 0; i < top_k->used; i++) {
    const struct cwi_top_k_entry *row = &top_k->rows[i];
    const uint64_t was = exact[row->place];
    kit_check(!is_there[row->place], "element %lld is there twice", (long long)row->place);
    is_there[row->place] = true;
    kit_check(row->count - row->over <= was && was <= row->count,
              "element %lld came %llu times, not %llu less up to %llu", (long long)row->place,
              (unsigned long long)was, (unsigned long long)row->count,
              (unsigned long long)row->over);
    if (elements <= CWI_TOP_K_ENTRIES)
      kit_check(row->over == 0 && top_k->beyond == 0, "few elements are not counted exactly");
  }
  for (int i = 0; i < elements; i++)
    kit_check(is_there[i] || exact[i] <= top_k->beyond,
              "element %d came %llu times, and is not there; others came %llu times at most", i,
              (unsigned long long)exact[i], (unsigned long long)top_k->beyond);
}

/* Merges the counters of several processes along a tree. */
static void check_top_ks(int elements)
{
  static struct cwi_top_k sketches[STREAMS];
  static uint64_t exact[ELEMENTS];
  memset(sketches, 0, sizeof sketches);
  memset(exact, 0, sizeof exact);
  for (int stream = 0; stream < STREAMS; stream++) {
    for (int i = kit_own(20000); i > 0; i--)
      count_one(&sketches[stream], exact,
                i % 4 == 0 ? elements / 2 : draw_element(stream, elements));
    if (stream == 0)
      check_top_k(&sketches[0], exact, elements);
  }
  for (int step = 1; step < STREAMS; step *= 2)
    for (int to = 0; to + step < STREAMS; to += 2 * step)
      cwi_top_k_merge(&sketches[to], &sketches[to + step]);
  cwi_top_k_sort(&sketches[0]);
  check_top_k(&sketches[0], exact, elements);
  kit_check_long((long)sketches[0].rows[0].place, elements / 2, "the hottest element");
}

/* --- Memory ----------------------------------------------------------------------------------- */

static size_t in_use_after_barrier(void)
{
  struct cwi_memory_time_series series = {.used = 0};
  KIT_OK(cw_barrier(cw_team_world()));
  cwi_profile_time_series(&series);
  KIT_OK(cw_barrier(cw_team_world()));
  return (size_t)series.last_in_use;
}

/* Other processes free memory of this node, and process 0 knows it when they have met. */
static void check_node_memory(void)
{
  enum { BYTES = 1 << 20 };
  cw_team others = NULL;
  cw_region region = NULL;
  const bool has_part = cw_process() > 0 && cwi_same_node(0);
  KIT_MUST(cw_team_split(cw_team_world(), has_part, 0, &others));
  const size_t before = in_use_after_barrier();
  if (has_part)
    KIT_MUST(cw_region_create(others, BYTES, &region, NULL));
  const size_t meanwhile = in_use_after_barrier();
  if (has_part)
    KIT_OK(cw_region_free(others, &region));
  const size_t after = in_use_after_barrier();
  const bool has_others = cw_processes() > 1 && cwi_same_node(cw_processes() - 1);
  if (cw_process() == 0 && has_others)
    kit_check(meanwhile >= before + BYTES && after + BYTES <= meanwhile,
              "the node's memory was %zu, then %zu, then %zu", before, meanwhile, after);
  KIT_OK(cw_team_free(&others));
}

/* --- Words ------------------------------------------------------------------------------------ */

/* Checks the advice about an object whose heat map has one hot element. */
static void check_words(int dimensions, const int64_t *extents, bool fortran, const int64_t *hot,
                        const char *block_text, const char *element_text)
{
  struct cwi_summary summary = {.incomplete = false};
  struct cwi_heat_map heat_map;
  struct cwi_hot_block block;
  char text[64];
  struct cwi_top_k_entry element = {.key = 1, .count = 1, .process = 5};
  struct cwi_profile_place place = {.number = 0};
  cwi_heat_map_make(&heat_map, dimensions, extents);
  heat_map.from_one = fortran;
  for (int d = 0; d < (dimensions > 0 ? dimensions : 1); d++)
    element.place = element.place * extents[d] + hot[d];
  for (int along = 0; along < 2 && heat_map.drawn[along] >= 0; along++)
    place.along[along].first = place.along[along].last = hot[heat_map.drawn[along]];
  struct cwi_object_row *object = cwi_summary_object(&summary, "it");
  struct cwi_heat_map_row *row = cwi_summary_heat_map(&summary, "it", &heat_map);
  if (!kit_check(object != NULL && row != NULL, "no memory"))
    return;
  cwi_heat_map_add(&heat_map, row->cells, &place, 1, 80, 5);
  object->operations = 1;
  object->bytes = 100;
  element.text = object->name;
  cwi_hot_block_find(&summary, object, &block);
  cwi_element_text(&summary, &element, text, sizeof text);
  kit_check(strcmp(block.text, block_text) == 0, "it says '%s', not '%s'", block.text, block_text);
  kit_check(strcmp(text, element_text) == 0, "it says '%s', not '%s'", text, element_text);
  kit_check(cwi_hot_block_is_hot(&block), "80 %% are not hot");
  object->undrawn = 1;
  cwi_hot_block_find(&summary, object, &block);
  kit_check(block.heat_map == NULL && !cwi_hot_block_is_hot(&block), "what has no cells is drawn");
  cwi_summary_free(&summary);
}

static void check_all_words(void)
{
  static const int64_t square[] = {300, 64}, cube[] = {4, 100, 2, 2000}, line[] = {1, 640};
  static const int64_t in_square[] = {33, 5}, in_cube[] = {3, 99, 0, 1030}, in_line[] = {0, 639};
  static const int64_t few[] = {5}, fourth[] = {3}, region[] = {4096}, byte[] = {130};
  check_words(2, square, false, in_square, "rows 32-63, columns 4-7, held by process 5",
              "element [33, 5]");
  check_words(2, square, true, in_square, "rows 5-8, columns 33-64, held by process 5",
              "element (6, 34)");
  check_words(4, cube, false, in_cube, "[*, 96-99, *, 1024-1151], held by process 5",
              "element [3, 99, 0, 1030]");
  check_words(4, cube, true, in_cube, "(1025-1152, *, 97-100, *), held by process 5",
              "element (1031, 1, 100, 4)");
  check_words(2, line, false, in_line, "columns 624-639, held by process 5", "element [0, 639]");
  check_words(2, line, true, in_line, "rows 625-640, held by process 5", "element (640, 1)");
  check_words(1, few, false, fourth, "element 3, held by process 5", "element [3]");
  check_words(0, region, false, byte, "bytes 128-191, held by process 5", "byte 130");
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "hottest");
  check_arrays(argc > 1 ? atoi(argv[1]) : 20);
  for (int round = 0; round < 5; round++) {
    check_top_ks(ELEMENTS);
    check_top_ks(CWI_TOP_K_ENTRIES);
    check_top_ks(CWI_TOP_K_ENTRIES + 1);
  }
  check_all_words();
  check_node_memory();
  return kit_finish_native();
}
