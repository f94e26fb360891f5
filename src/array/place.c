/* Which process has a block, and where in its memory, for transfers and local access. */
#include "array/array.h"

int cwi_grid_holder(cw_array array, const int64_t coordinate[])
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
    coordinate[d] = rest % array->axes[d].grid;
    rest /= array->axes[d].grid;
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
  return cwi_grid_holder(array, coordinate);
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

/* Blocks that are dealt out by number have places of equal size, so that a place is found without
 * knowing the blocks before. */
static size_t full_block(cw_array array)
{
  size_t elements = 1;
  for (int d = 0; d < array->dimensions; d++)
    elements *= (size_t)array->axes[d].width;
  return elements;
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
    place->offset = (size_t)(cwi_block_number(array, block) / array->holders) * full_block(array);
  else
    place->offset = elements_before(array, block);
  place->offset *= array->element;
}

size_t cwi_holder_bytes(cw_array array, int holder)
{
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  size_t elements = 1;
  if (array->layout == CW_DEALT) {
    const int64_t rest = array->total_blocks - holder;
    return rest > 0 ? (size_t)((rest - 1) / array->holders + 1) * full_block(array) * array->element
                    : 0;
  }
  cwi_holder_coordinates(array, holder, coordinate);
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t own = cwi_axis_own_elements(&array->axes[d], coordinate[d]);
    elements *= own > 0 ? (size_t)(own + 2 * array->axes[d].ghosts) : 0;
  }
  return elements * array->element;
}
