/* From patches to strided shapes at their holders. */
#include "array/portion.h"

/* Dimensions whose blocks are put together need a level more. The innermost come first: their runs
 * are the shortest. */
void cwi_portions_begin(struct cwi_portions *portions, const struct cwi_selection *selection)
{
  cw_array array = selection->array;
  int levels = 0;
  portions->selection = selection;
  portions->done = false;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    struct cwi_axis_cut *cut = &portions->cuts[d];
    cwi_axis_cut_begin(cut, &array->axes[d], selection->ranges[d], true);
    if (levels + cwi_axis_cut_levels(cut) + d > CW_MAX_LEVELS && cut->kind == CWI_CUT_GROUPS)
      cwi_axis_cut_begin(cut, &array->axes[d], selection->ranges[d], false);
    levels += cwi_axis_cut_levels(cut);
    portions->done = portions->done || cut->segments == 0;
    portions->numbers[d] = -1; /* no segment yet */
  }
}

/* The next segment of a dimension that is not empty. */
static bool step(struct cwi_portions *portions, int d)
{
  while (++portions->numbers[d] < portions->cuts[d].segments)
    if (cwi_axis_cut_segment(&portions->cuts[d], portions->numbers[d], &portions->segments[d]))
      return true;
  return false;
}

/* The next combination of segments: the last dimension runs fastest. */
static bool portion_advance(struct cwi_portions *portions)
{
  const int n = portions->selection->array->dimensions;
  int d = portions->numbers[0] < 0 ? 0 : n - 1;
  while (d < n) {
    if (step(portions, d)) {
      d++;
    } else {
      portions->numbers[d] = -1;
      if (d-- == 0)
        return false;
    }
  }
  return true;
}

/* Of each segment its runs, from the last dimension to the first, and between them its repeats. */
static void build(const struct cwi_portions *portions, struct cwi_portion *portion)
{
  const struct cwi_selection *selection = portions->selection;
  cw_array array = selection->array;
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  struct cwi_place place = {0};
  for (int d = 0; d < array->dimensions; d++)
    block[d] = portions->segments[d].block;
  cwi_block_place(array, block, &place);
  portion->holder = place.holder;
  portion->remote = place.offset + selection->field_offset;
  portion->local = 0;
  portion->run = selection->field_bytes;
  portion->levels = 0;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const struct cwi_segment *segment = &portions->segments[d];
    const int64_t before =
        array->axes[d].dense ? cwi_axis_place(&array->axes[d], segment->block) : 0;
    portion->remote += (size_t)((segment->place - before) * place.strides[d]);
    portion->local += (size_t)(segment->position * selection->strides[d]);
    cwi_portion_add_level(portion, segment->run, segment->place_step * place.strides[d],
                          segment->position_step * selection->strides[d]);
    cwi_portion_add_level(portion, segment->repeats, segment->place_leap * place.strides[d],
                          segment->position_leap * selection->strides[d]);
  }
}

bool cwi_portions_next(struct cwi_portions *portions, struct cwi_portion *portion)
{
  if (portions->done || !portion_advance(portions)) {
    portions->done = true;
    return false;
  }
  build(portions, portion);
  return true;
}
