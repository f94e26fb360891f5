/* Divides selections into strided shapes at their holders, for the transfers in patch.c. */
#include "array_access/portion.h"

static inline void portion_begin(const struct cwi_selection *selection, struct cwi_portion *portion)
{
  portion->run = selection->field_bytes;
  portion->levels = 0;
}

/* Adds a level: `count` repetitions of the portion so far, at distances of `remote` and `local`
 * bytes. Joins it with the level below if they are contiguous. */
static inline void portion_add_level(struct cwi_portion *portion, int64_t count, ptrdiff_t remote,
                                     ptrdiff_t local)
{
  const int last = portion->levels - 1;
  if (count == 1)
    return;
  if (last < 0 && remote == (ptrdiff_t)portion->run && local == (ptrdiff_t)portion->run) {
    portion->run *= (size_t)count;
    return;
  }
  if (last >= 0 && remote == portion->remote_strides[last] * (ptrdiff_t)portion->counts[last] &&
      local == portion->local_strides[last] * (ptrdiff_t)portion->counts[last]) {
    portion->counts[last] *= (size_t)count;
    return;
  }
  portion->counts[portion->levels] = (size_t)count;
  portion->remote_strides[portion->levels] = remote;
  portion->local_strides[portion->levels++] = local;
}

/* --- Plain selections --- */

/* Sets the span to a block. `from` is the first index of the selection in it. */
static inline void span_enter(const struct cwi_axis *axis, struct cwi_span *span, int64_t block,
                              int64_t from)
{
  const int64_t start = cwi_axis_start(axis, block), end = cwi_axis_end(axis, block);
  span->block = block;
  span->from = from;
  span->count = (span->last < end ? span->last + 1 : end) - from;
  span->width = end - start + 2 * axis->ghosts;
  span->place = from - start + axis->ghosts;
}

static void plain_begin(struct cwi_portions *portions)
{
  cw_array array = portions->selection->array;
  portions->done = portions->several = false;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_range *range = &portions->selection->ranges[d];
    struct cwi_span *span = &portions->spans[d];
    span->last = range->first + range->count - 1;
    span->first = cwi_axis_block_of(&array->axes[d], range->first);
    span_enter(&array->axes[d], span, span->first, range->first);
    portions->several = portions->several || span->count < range->count;
  }
}

/* Steps to the next block that is not empty. Returns false at the end. */
static bool plain_advance(struct cwi_portions *portions)
{
  cw_array array = portions->selection->array;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_axis *axis = &array->axes[d];
    struct cwi_span *span = &portions->spans[d];
    if (span->from + span->count <= span->last) {
      do
        span_enter(axis, span, span->block + 1, cwi_axis_end(axis, span->block));
      while (span->count == 0);
      return true;
    }
    if (span->block != span->first)
      span_enter(axis, span, span->first, portions->selection->ranges[d].first);
  }
  return false;
}

static void plain_take(struct cwi_portions *portions, struct cwi_portion *portion)
{
  const struct cwi_selection *selection = portions->selection;
  cw_array array = selection->array;
  ptrdiff_t remote = 0, local = 0, stride = (ptrdiff_t)array->element;
  int64_t holder = 0;
  for (int d = 0; d < array->dimensions; d++)
    holder = holder * array->axes[d].blocks + portions->spans[d].block;
  portion_begin(selection, portion);
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_span *span = &portions->spans[d];
    remote += span->place * stride;
    local += (span->from - selection->ranges[d].first) * selection->strides[d];
    portion_add_level(portion, span->count, stride, selection->strides[d]);
    stride *= span->width;
  }
  portion->holder = (int)holder;
  portion->remote = (size_t)remote;
  portion->local = (size_t)local;
  portions->done = !portions->several || !plain_advance(portions);
}

/* --- All selections --- */

/* Takes the next portion. From the last dimension to the first, it adds one level for the elements
 * of the segment and one for its repeats. */
static void walk_take(struct cwi_portions *portions, struct cwi_portion *portion)
{
  const struct cwi_selection *selection = portions->selection;
  struct cwi_place place;
  cwi_walk_place(&portions->walk, &place);
  portion_begin(selection, portion);
  portion->holder = place.holder;
  portion->remote = place.offset + selection->field_offset;
  portion->local = 0;
  for (int d = selection->array->dimensions - 1; d >= 0; d--) {
    const struct cwi_segment *segment = &portions->walk.segments[d];
    portion->local += (size_t)(segment->position * selection->strides[d]);
    portion_add_level(portion, segment->count, segment->offset_step * place.strides[d],
                      segment->position_step * selection->strides[d]);
    portion_add_level(portion, segment->repeats, segment->offset_leap * place.strides[d],
                      segment->position_leap * selection->strides[d]);
  }
  portions->done = !cwi_walk_next(&portions->walk);
}

static void walk_begin(struct cwi_portions *portions, int holder)
{
  const struct cwi_selection *selection = portions->selection;
  cwi_walk_begin(&portions->walk, selection->array, selection->ranges, CWI_WALK_PORTIONS, holder);
  portions->done = !cwi_walk_next(&portions->walk);
}

void cwi_portions_begin(struct cwi_portions *portions, const struct cwi_selection *selection)
{
  portions->selection = selection;
  portions->plain = selection->plain;
  if (selection->plain)
    plain_begin(portions);
  else
    walk_begin(portions, -1);
}

void cwi_portions_begin_at(struct cwi_portions *portions, const struct cwi_selection *selection,
                           int holder)
{
  portions->selection = selection;
  portions->plain = false;
  walk_begin(portions, holder);
}

void cwi_portions_take(struct cwi_portions *portions, struct cwi_portion *portion)
{
  if (portions->plain)
    plain_take(portions, portion);
  else
    walk_take(portions, portion);
}
