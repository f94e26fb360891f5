/* Boxes of patches of plain arrays, for the transfers in patch.c. */
#include "array/plain.h"

static inline void plain_enter(const struct cwi_axis *axis, struct cwi_span *span, int64_t block)
{
  const int64_t start = cwi_axis_start(axis, block), end = cwi_axis_end(axis, block);
  span->block = block;
  span->from = span->lo > start ? span->lo : start;
  span->count = (span->hi < end ? span->hi + 1 : end) - span->from;
  span->width = end - start + 2 * axis->ghosts;
  span->place = span->from - start + axis->ghosts;
}

bool cwi_plain_begin(struct cwi_plain_walk *walk, cw_array array, const int64_t *lo,
                     const int64_t *hi)
{
  if (!array->plain)
    return false;
  walk->array = array;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    struct cwi_span *span = &walk->spans[d];
    if (lo[d] < 0 || hi[d] < lo[d] || hi[d] >= axis->extent)
      return false;
    span->lo = lo[d];
    span->hi = hi[d];
    span->first = cwi_axis_block_of(axis, lo[d]);
    plain_enter(axis, span, span->first);
  }
  return true;
}

void cwi_plain_portion(const struct cwi_plain_walk *walk, struct cwi_portion *portion)
{
  cw_array array = walk->array;
  ptrdiff_t remote = 0, local = 0, stride = (ptrdiff_t)array->element;
  int64_t holder = 0;
  for (int d = 0; d < array->dimensions; d++)
    holder = holder * array->axes[d].blocks + walk->spans[d].block;
  portion->run = array->element;
  portion->levels = 0;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_span *span = &walk->spans[d];
    remote += span->place * stride;
    local += (span->from - span->lo) * walk->strides[d];
    cwi_portion_add_level(portion, span->count, stride, walk->strides[d]);
    stride *= span->width;
  }
  portion->holder = (int)holder;
  portion->remote = (size_t)remote;
  portion->local = (size_t)local;
}

bool cwi_plain_next(struct cwi_plain_walk *walk)
{
  for (int d = walk->array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &walk->array->axes[d];
    struct cwi_span *span = &walk->spans[d];
    if (span->from + span->count <= span->hi) {
      do
        plain_enter(axis, span, span->block + 1);
      while (span->count == 0); /* some blocks have nothing */
      return true;
    }
    if (span->block != span->first)
      plain_enter(axis, span, span->first);
  }
  return false;
}
