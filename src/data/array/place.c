/* Which process has a block, and where in its memory, for transfers and local access. */
#include "array/array.h"

#include <stdlib.h>

static int grid_holder(cw_array array, const int64_t coordinate[])
{
  int64_t holder = 0;
  if (array->column_major)
    for (int d = array->dimensions - 1; d >= 0; d--)
      holder = holder * array->axes[d].grid + coordinate[d];
  else
    for (int d = 0; d < array->dimensions; d++)
      holder = holder * array->axes[d].grid + coordinate[d];
  return (int)holder;
}

void cwi_holder_coordinates(cw_array array, int holder, int64_t coordinate[])
{
  int64_t rest = holder;
  for (int i = 0; i < array->dimensions; i++) {
    const int d = array->column_major ? i : array->dimensions - 1 - i;
    const int64_t grid = array->axes[d].grid;
    const bool small = rest < grid; /* mostly: divisions take long */
    coordinate[d] = small ? rest : rest % grid;
    rest = small ? 0 : rest / grid;
  }
}

int64_t cwi_block_number(cw_array array, const int64_t block[])
{
  int64_t number = 0;
  for (int d = 0; d < array->dimensions; d++)
    number = number * array->axes[d].blocks + block[d];
  return number;
}

void cwi_block_at(cw_array array, int64_t number, int64_t block[])
{
  for (int d = array->dimensions - 1; d >= 0; d--) {
    block[d] = number % array->axes[d].blocks;
    number /= array->axes[d].blocks;
  }
}

int cwi_block_holder(cw_array array, const int64_t block[])
{
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  if (array->layout == CW_DEALT)
    return (int)(cwi_block_number(array, block) % array->holders);
  for (int d = 0; d < array->dimensions; d++)
    coordinate[d] = cwi_axis_coordinate(&array->axes[d], block[d]);
  return grid_holder(array, coordinate);
}

static int64_t block_width(const struct cwi_axis *axis, int64_t block)
{
  return cwi_axis_end(axis, block) - cwi_axis_start(axis, block);
}

/* Elements that follow each other in memory have the given length in each dimension. */
static void set_strides(cw_array array, const int64_t length[], struct cwi_place *place)
{
  ptrdiff_t stride = (ptrdiff_t)array->element;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    place->strides[d] = stride;
    stride *= length[d];
  }
}

/* One matrix at each holder, with ghosts around it. */
static void place_dense(cw_array array, const int64_t block[], struct cwi_place *place)
{
  int64_t length[CW_MAX_DIMENSIONS] = {0};
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    length[d] = cwi_axis_own_elements(axis, cwi_axis_coordinate(axis, block[d])) + 2 * axis->ghosts;
  }
  set_strides(array, length, place);
  place->offset = 0;
  for (int d = 0; d < array->dimensions; d++)
    place->offset += (size_t)((cwi_axis_place(&array->axes[d], block[d]) + array->axes[d].ghosts) *
                              place->strides[d]);
}

/* Blocks of a holder follow each other, row-major: before a block there are, dimension by
 * dimension, those that come earlier along it, as wide as the block in the dimensions before, and
 * whole in those after. */
static size_t elements_before(cw_array array, const int64_t block[])
{
  size_t before = 0, wide = 1;
  for (int d = 0; d < array->dimensions; d++) {
    size_t slab = wide * (size_t)cwi_axis_place(&array->axes[d], block[d]);
    for (int e = d + 1; e < array->dimensions; e++)
      slab *= (size_t)cwi_axis_own_elements(&array->axes[e],
                                            cwi_axis_coordinate(&array->axes[e], block[e]));
    before += slab;
    wide *= (size_t)block_width(&array->axes[d], block[d]);
  }
  return before;
}

static int64_t block_elements(cw_array array, const int64_t block[])
{
  int64_t elements = 1;
  for (int d = 0; d < array->dimensions; d++)
    elements *= block_width(&array->axes[d], block[d]);
  return elements;
}

/* Of a block that is dealt out by its number: if all blocks are of one size, that is a product. */
static size_t dealt_before(cw_array array, int64_t number)
{
  int64_t full = 1;
  if (array->before != NULL)
    return (size_t)array->before[number];
  for (int d = 0; d < array->dimensions; d++)
    full *= array->axes[d].width;
  return (size_t)(number / array->holders * full);
}

cw_error cwi_dealt_note(cw_array array)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  bool ragged = false;
  for (int d = 0; d < array->dimensions && array->layout == CW_DEALT; d++)
    ragged = ragged || array->axes[d].extent % array->axes[d].width != 0;
  if (!ragged)
    return CW_OK;
  array->before = calloc((size_t)array->total_blocks, sizeof *array->before);
  if (array->before == NULL)
    return cwi_outside("no memory for the %lld blocks of an array", (long long)array->total_blocks);
  for (int64_t number = array->holders; number < array->total_blocks; number++) {
    cwi_block_at(array, number - array->holders, block);
    array->before[number] = array->before[number - array->holders] + block_elements(array, block);
  }
  return CW_OK;
}

void cwi_block_place(cw_array array, const int64_t block[], struct cwi_place *place)
{
  int64_t length[CW_MAX_DIMENSIONS] = {0};
  place->holder = cwi_block_holder(array, block);
  if (array->axes[0].dense) {
    place_dense(array, block, place);
    return;
  }
  for (int d = 0; d < array->dimensions; d++)
    length[d] = block_width(&array->axes[d], block[d]);
  set_strides(array, length, place);
  if (array->layout == CW_DEALT)
    place->offset = dealt_before(array, cwi_block_number(array, block));
  else
    place->offset = elements_before(array, block);
  place->offset *= array->element;
}

/* All that a holder has, up to the end of its last block. */
static size_t dealt_elements(cw_array array, int holder)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  if (holder >= array->total_blocks)
    return 0;
  const int64_t turns = (array->total_blocks - holder - 1) / array->holders;
  const int64_t last = holder + turns * array->holders;
  cwi_block_at(array, last, block);
  return dealt_before(array, last) + (size_t)block_elements(array, block);
}

size_t cwi_rank_bytes(cw_array array, int rank)
{
  const int holder = cwi_rank_holder(array, rank);
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  size_t elements = 1;
  if (holder < 0)
    return 0;
  if (array->layout == CW_DEALT)
    return dealt_elements(array, holder) * array->element;
  cwi_holder_coordinates(array, holder, coordinate);
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t own = cwi_axis_own_elements(&array->axes[d], coordinate[d]);
    elements *= own > 0 ? (size_t)(own + 2 * array->axes[d].ghosts) : 0;
  }
  return elements * array->element;
}
