/* For the profile: the name of an array, and which of its elements are at an address. */
#include "array/array.h"
#include "profile/profile.h"

#include <stdio.h>

/* - From addresses to indices - */

static int64_t limited(int64_t value, int64_t count)
{
  return value < 0 ? 0 : value < count ? value : count - 1;
}

/* Returns the index of element number *element along the innermost remaining dimension, and
 * replaces *element by the number in the outer dimensions. Avoids divisions, which are slow; most
 * elements need none for the outermost dimension. */
static int64_t take_index(int64_t *element, int64_t own, int64_t ghosts)
{
  const int64_t length = own + 2 * ghosts;
  const int64_t rest = *element < length || length == 0 ? 0 : *element / length;
  const int64_t index = limited(*element - rest * length - ghosts, own);
  *element = rest;
  return index;
}

/* Returns the block that contains element number *before of a coordinate along one dimension.
 * Replaces *before by the number of the element within the block. */
static int64_t own_block_at(const struct cwi_axis *axis, int64_t coordinate, int64_t *before)
{
  if (axis->grid == axis->blocks && axis->alignment == 0) /* usual case: one block */
    return coordinate;
  int64_t low = 0, count = cwi_axis_own_blocks(axis, coordinate);
  while (count > 1) {
    const int64_t half = count / 2, middle = cwi_axis_own_block(axis, coordinate, low + half);
    low += cwi_axis_offset(axis, middle) <= *before ? half : 0;
    count -= half;
  }
  const int64_t block = cwi_axis_own_block(axis, coordinate, low);
  *before = limited(*before - cwi_axis_offset(axis, block),
                    cwi_axis_end(axis, block) - cwi_axis_start(axis, block));
  return block;
}

/* Finds the block and the index of an element in a dense matrix with ghosts around it. On entry
 * `block` has the coordinates of the holder. */
static void find_dense(cw_array array, int64_t element, int64_t block[], int64_t index[])
{
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    int64_t before = take_index(&element, cwi_axis_own_elements(axis, block[d]), axis->ghosts);
    block[d] = own_block_at(axis, block[d], &before);
    index[d] = cwi_axis_start(axis, block[d]) + before;
  }
}

/* Finds the block of element number *element of a holder that stores its blocks one after the
 * other, in row-major order. Replaces *element by the number of the element within the block. On
 * entry `block` has the coordinates of the holder. */
static void find_own_block(cw_array array, int64_t *element, int64_t block[])
{
  int64_t wide = 1;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    int64_t slab = wide;
    for (int e = d + 1; e < array->dimensions; e++)
      slab *= cwi_axis_own_elements(&array->axes[e], block[e]);
    int64_t before = *element / slab;
    block[d] = own_block_at(axis, block[d], &before);
    *element -= cwi_axis_offset(axis, block[d]) * slab;
    wide *= cwi_axis_end(axis, block[d]) - cwi_axis_start(axis, block[d]);
  }
}

static void find_round_robin_block(cw_array array, int holder, int64_t *element, int64_t block[])
{
  int64_t low = 0, count = (array->total_blocks - holder - 1) / array->holders + 1;
  while (count > 1) {
    const int64_t half = count / 2;
    const int64_t middle = holder + (low + half) * array->holders;
    low += (int64_t)cwi_round_robin_before(array, middle) <= *element ? half : 0;
    count -= half;
  }
  const int64_t number = holder + low * array->holders;
  *element -= (int64_t)cwi_round_robin_before(array, number);
  cwi_block_at(array, number, block);
}

/* Finds the index of an element in the one block of a plain array, with ghosts around it, or in one
 * of several blocks without ghosts. */
static void find_in_block(cw_array array, int64_t element, const int64_t block[], int64_t index[])
{
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    const int64_t start = cwi_axis_start(axis, block[d]);
    index[d] = start + take_index(&element, cwi_axis_end(axis, block[d]) - start, axis->ghosts);
  }
}

void cwi_element_at(cw_array array, int holder, int64_t element, int64_t block[], int64_t index[])
{
  if (array->layout == CW_ROUND_ROBIN) {
    find_round_robin_block(array, holder, &element, block);
  } else {
    cwi_holder_coordinates(array, holder, block);
    if (!array->plain && array->axes[0].dense) {
      find_dense(array, element, block, index);
      return;
    }
    if (!array->plain)
      find_own_block(array, &element, block);
  }
  find_in_block(array, element, block, index);
}

_Static_assert((int)CWI_HEAT_MAP_DIMENSIONS == (int)CW_MAX_DIMENSIONS, "all dimensions fit");

/* - Ranges of the heat map - */

/* Returns the range from one element to another. If `last` is before `first`, the bytes extend over
 * several rows, and the range is from the start of the first block to the end of the last. */
static struct cwi_profile_range range_along(const struct cwi_axis *axis, int64_t first_block,
                                            int64_t first, int64_t last_block, int64_t last)
{
  struct cwi_profile_range range = {.first = first, .last = last};
  if (last < first) {
    range.first = cwi_axis_start(axis, first_block);
    range.last = cwi_axis_end(axis, first_block) - 1;
  } else if (first_block != last_block && axis->starts == NULL && axis->grid < axis->blocks) {
    range.width = axis->width;
    range.stride = axis->width * axis->grid;
    range.begin = cwi_axis_start(axis, first_block);
  }
  return range;
}

static int64_t element_number(cw_array array, const int64_t index[])
{
  int64_t number = 0;
  for (int d = 0; d < array->dimensions; d++)
    number = number * array->axes[d].extent + index[d];
  return number;
}

static int64_t elements_in(cw_array array, ptrdiff_t bytes)
{
  const size_t element = array->element;
  return (element & (element - 1)) == 0 ? bytes >> __builtin_ctzll(element)
                                        : bytes / (ptrdiff_t)element;
}

static void array_place(const void *owner, const struct cwi_heat_map *heat_map, int process,
                        const char *first, const char *last, struct cwi_profile_place *place)
{
  const cw_array array = (cw_array)(uintptr_t)owner;
  int64_t blocks[2][CW_MAX_DIMENSIONS], indices[2][CW_MAX_DIMENSIONS];
  const int rank = cwi_team_rank_of(array->team, process);
  const int holder = rank >= 0 ? cwi_rank_holder(array, rank) : -1;
  place->number = 0;
  place->along[0] = place->along[1] = (struct cwi_profile_range){.first = 0};
  if (holder < 0)
    return;
  const char *base = cwi_holder_base(array, holder);
  const int64_t from = elements_in(array, first - base), to = elements_in(array, last - base);
  cwi_element_at(array, holder, from, blocks[0], indices[0]);
  const int end = to != from;
  if (end)
    cwi_element_at(array, holder, to, blocks[1], indices[1]);
  place->number = element_number(array, indices[0]);
  for (int along = 0; along < 2 && heat_map->drawn[along] >= 0; along++) {
    const int d = heat_map->drawn[along];
    place->along[along] =
        range_along(&array->axes[d], blocks[0][d], indices[0][d], blocks[end][d], indices[end][d]);
  }
}

static void heat_map_of(cw_array array, struct cwi_heat_map *heat_map)
{
  int64_t extents[CW_MAX_DIMENSIONS];
  for (int d = 0; d < array->dimensions; d++)
    extents[d] = array->axes[d].extent;
  cwi_heat_map_make(heat_map, array->dimensions, extents);
  for (int along = 0; along < 2 && heat_map->drawn[along] >= 0; along++) {
    const struct cwi_axis *axis = &array->axes[heat_map->drawn[along]];
    if (axis->blocks > CWI_HEAT_MAP_STARTS)
      continue;
    heat_map->starts[along] = (int32_t)axis->blocks;
    for (int64_t block = 0; block < axis->blocks; block++)
      heat_map->start[along][block] = cwi_axis_start(axis, block);
  }
}

/* Names an array like "array 'T2', CW_DOUBLE, 100 x 20". */
void cwi_array_name(cw_array array)
{
  char shape[CW_MAX_DIMENSIONS * 24];
  size_t length = 0;
  struct cwi_object_layout layout = {.find = array_place, .owner = array};
  for (int d = 0; d < array->dimensions; d++)
    length += (size_t)snprintf(shape + length, sizeof shape - length, "%s%lld", d > 0 ? " x " : "",
                               (long long)array->axes[d].extent);
  heat_map_of(array, &layout.heat_map);
  cwi_profile_name(array->region->key, cwi_rank_bytes(array, array->team->rank), &layout,
                   "array '%s', %s, %s", array->name, cwi_type_word(array->type), shape);
}

void cwi_array_count_from_one(cw_array array)
{
  if (cwi_is_profiled())
    cwi_profile_count_from_one(array->region->key);
}
