/* The walk over the elements of one holder, or of all, one block after the other, for whole-array
 * operations. */
#include "array/section.h"

static int64_t modulo(int64_t value, int64_t by)
{
  if (value >= 0 && value < by)
    return value; /* mostly: a division takes as long as all around it */
  const int64_t rest = value % by;
  return rest < 0 ? rest + by : rest;
}

void cwi_sections_begin(struct cwi_sections *sections, cw_array array,
                        const struct cwi_range *ranges, int holder)
{
  sections->array = array;
  sections->holder = holder;
  sections->begun = sections->done = false;
  for (int d = 0; d < array->dimensions; d++) {
    cwi_axis_cut_begin(&sections->cuts[d], &array->axes[d], ranges[d], array->axes[d].width == 1);
    sections->done = sections->done || sections->cuts[d].segments == 0;
  }
  if (holder >= 0 && array->layout != CW_DEALT)
    cwi_holder_coordinates(array, holder, sections->coordinate);
}

/* The number of the holder's first segment along a dimension, and from one to the next. Blocks that
 * are dealt out by number follow each other in the last dimension. */
static void section_enter(struct cwi_sections *sections, int d)
{
  cw_array array = sections->array;
  const struct cwi_axis *axis = &array->axes[d];
  int64_t first = 0, step = 1;
  if (sections->holder >= 0 && array->layout != CW_DEALT) {
    first = modulo(sections->coordinate[d] - axis->alignment - sections->cuts[d].first_block,
                   axis->grid);
    step = axis->grid;
  } else if (sections->holder >= 0 && d == array->dimensions - 1) {
    int64_t block[CW_MAX_DIMENSIONS];
    for (int e = 0; e < d; e++)
      block[e] = sections->segments[e].block;
    block[d] = sections->cuts[d].first_block;
    first = modulo(sections->holder - cwi_block_number(array, block), array->holders);
    step = array->holders;
  }
  sections->numbers[d] = first - step;
  sections->steps[d] = step;
}

/* The next segment of a dimension that is not empty. */
static bool step(struct cwi_sections *sections, int d)
{
  const struct cwi_axis_cut *cut = &sections->cuts[d];
  while ((sections->numbers[d] += sections->steps[d]) < cut->segments)
    if (cwi_axis_cut_segment(cut, sections->numbers[d], &sections->segments[d]))
      return true;
  return false;
}

/* The next combination of segments: the last dimension runs fastest. */
static bool section_advance(struct cwi_sections *sections)
{
  const int n = sections->array->dimensions;
  int d = n - 1;
  if (!sections->begun)
    section_enter(sections, d = 0);
  sections->begun = true;
  while (d >= 0 && d < n) {
    if (!step(sections, d))
      d--;
    else if (++d < n)
      section_enter(sections, d);
  }
  return d == n;
}

bool cwi_sections_next(struct cwi_sections *sections, struct cwi_section *section)
{
  cw_array array = sections->array;
  int64_t block[CW_MAX_DIMENSIONS];
  struct cwi_place place;
  if (sections->done || !section_advance(sections)) {
    sections->done = true;
    return false;
  }
  for (int d = 0; d < array->dimensions; d++)
    block[d] = sections->segments[d].block;
  cwi_block_place(array, block, &place);
  section->holder = place.holder;
  section->address = cwi_holder_base(array, place.holder) + place.offset;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_segment *segment = &sections->segments[d];
    const struct cwi_axis *axis = &array->axes[d];
    const struct cwi_range *range = &sections->cuts[d].range;
    const int64_t before = axis->dense ? cwi_axis_place(axis, segment->block) : 0;
    section->ranges[d] = (struct cwi_range){range->first + segment->position * range->step,
                                            segment->run, segment->position_step * range->step};
    section->address += (segment->place - before) * place.strides[d];
    section->strides[d] = segment->place_step * place.strides[d];
  }
  return true;
}
