/* Finds the process that has a block, and the block's place in its memory, for transfers and local
 * access. */
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
    const bool small = rest < grid; /* usual case: avoids slow divisions */
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
  if (array->layout == CW_ROUND_ROBIN)
    return (int)(cwi_block_number(array, block) % array->holders);
  for (int d = 0; d < array->dimensions; d++)
    coordinate[d] = cwi_axis_coordinate(&array->axes[d], block[d]);
  return grid_holder(array, coordinate);
}

static int64_t block_width(const struct cwi_axis *axis, int64_t block)
{
  return cwi_axis_end(axis, block) - cwi_axis_start(axis, block);
}

/* Returns the number of elements before a block in its holder's memory. The blocks of a holder are
 * stored in row-major order. The loop adds, for each dimension d, the holder's blocks that come
 * earlier because of their number in d. Together these have the width of this block in the
 * dimensions before d, and all elements of the holder in the dimensions after d. */
static size_t elements_before(cw_array array, const int64_t block[])
{
  size_t before = 0, wide = 1;
  for (int d = 0; d < array->dimensions; d++) {
    size_t slab = wide * (size_t)cwi_axis_offset(&array->axes[d], block[d]);
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

/* If all blocks have one size, the number is a product. */
size_t cwi_round_robin_before(cw_array array, int64_t number)
{
  int64_t full = 1;
  if (array->before != NULL)
    return (size_t)array->before[number];
  for (int d = 0; d < array->dimensions; d++)
    full *= array->axes[d].width;
  return (size_t)(number / array->holders * full);
}

cw_error cwi_round_robin_note(cw_array array)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  bool ragged = false;
  for (int d = 0; d < array->dimensions && array->layout == CW_ROUND_ROBIN; d++)
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

/* Each holder of a dense array has one matrix, with ghosts around it. A holder of another array has
 * several matrices, one for each block. */
void cwi_element_place(cw_array array, const int64_t block[], const int64_t index[],
                       struct cwi_place *place)
{
  const bool dense = array->axes[0].dense;
  ptrdiff_t stride = (ptrdiff_t)array->element;
  place->holder = cwi_block_holder(array, block);
  place->offset = 0;
  if (array->layout == CW_ROUND_ROBIN)
    place->offset = cwi_round_robin_before(array, cwi_block_number(array, block)) * array->element;
  else if (!dense)
    place->offset = elements_before(array, block) * array->element;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    int64_t before = index[d] - cwi_axis_start(axis, block[d]), length = 0;
    if (dense) {
      before += cwi_axis_offset(axis, block[d]) + axis->ghosts;
      length = cwi_axis_own_elements(axis, cwi_axis_coordinate(axis, block[d])) + 2 * axis->ghosts;
    } else {
      length = block_width(axis, block[d]);
    }
    place->strides[d] = stride;
    place->offset += (size_t)(before * stride);
    stride *= length;
  }
}

/* Returns the number of elements of a holder: those up to the end of its last block. */
static size_t round_robin_elements(cw_array array, int holder)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  if (holder >= array->total_blocks)
    return 0;
  const int64_t rounds = (array->total_blocks - holder - 1) / array->holders;
  const int64_t last = holder + rounds * array->holders;
  cwi_block_at(array, last, block);
  return cwi_round_robin_before(array, last) + (size_t)block_elements(array, block);
}

size_t cwi_rank_bytes(cw_array array, int rank)
{
  const int holder = cwi_rank_holder(array, rank);
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  size_t elements = 1;
  if (holder < 0)
    return 0;
  if (array->layout == CW_ROUND_ROBIN)
    return round_robin_elements(array, holder) * array->element;
  cwi_holder_coordinates(array, holder, coordinate);
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t own = cwi_axis_own_elements(&array->axes[d], coordinate[d]);
    elements *= own > 0 ? (size_t)(own + 2 * array->axes[d].ghosts) : 0;
  }
  return elements * array->element;
}
