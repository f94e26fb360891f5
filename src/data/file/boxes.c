/* Cuts an array into boxes for reading and writing, and deals them out. */
#include "file/boxes.h"

#include <causeway/array.h>

/* A box has at most LARGE bytes; shares of small arrays are cut no smaller than SMALL. Rows of a
 * block are wide from WIDE on. */
enum { LARGE = 8 << 20, SMALL = 64 << 10, WIDE = 64 << 10 };

/* Bytes that follow each other in the file and belong to one block, as a rule. */
static size_t usual_run(cw_array array)
{
  size_t run = array->element;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    run *= (size_t)(array->axes[d].extent / array->axes[d].blocks);
    if (array->axes[d].blocks > 1)
      break;
  }
  return run;
}

static int64_t patch_width(const struct cwi_boxes *boxes, int d)
{
  return boxes->hi[d] - boxes->lo[d] + 1;
}

/* How the patch is cut into boxes of at most `limit` bytes; returns how many. */
static int64_t cut(struct cwi_boxes *boxes, size_t limit)
{
  size_t row = boxes->array->element; /* bytes of one index of dimension `split` */
  int64_t count = 1;
  boxes->split = boxes->array->dimensions - 1;
  for (int d = boxes->split; d > 0; d--) {
    const int64_t width = patch_width(boxes, d);
    if (width < boxes->array->axes[d].extent || row * (size_t)width > limit)
      break;
    row *= (size_t)width;
    boxes->split = d - 1;
  }
  const int64_t width = patch_width(boxes, boxes->split);
  const int64_t fit = row < limit ? (int64_t)(limit / row) : 1;
  boxes->step = fit < width ? fit : width;
  boxes->most = row * (size_t)boxes->step;
  for (int d = 0; d < boxes->split; d++)
    count *= patch_width(boxes, d);
  return count * ((width - 1) / boxes->step + 1);
}

static void begin_own(struct cwi_boxes *boxes)
{
  cw_array array = boxes->array;
  if (cw_array_part(array, array->team->rank, boxes->lo, boxes->hi) != CW_OK ||
      cwi_patch_elements(array->dimensions, boxes->lo, boxes->hi) == 0)
    return;
  boxes->last = cut(boxes, LARGE);
}

static void begin_share(struct cwi_boxes *boxes)
{
  cw_array array = boxes->array;
  const int64_t rank = array->team->rank, size = array->team->size;
  size_t bytes = array->element;
  for (int d = 0; d < array->dimensions; d++) {
    boxes->lo[d] = 0;
    boxes->hi[d] = array->axes[d].extent - 1;
    bytes *= (size_t)array->axes[d].extent;
  }
  const size_t share = bytes / (size_t)size;
  const int64_t count = cut(boxes, share > LARGE ? LARGE : share < SMALL ? SMALL : share);
  boxes->next = (int64_t)((__int128)count * rank / size);
  boxes->last = (int64_t)((__int128)count * (rank + 1) / size);
}

void cwi_boxes_begin(struct cwi_boxes *boxes, cw_array array)
{
  *boxes = (struct cwi_boxes){.array = array};
  if (array->layout == CW_BLOCKS && usual_run(array) >= WIDE)
    begin_own(boxes);
  else
    begin_share(boxes);
}

bool cwi_boxes_next(struct cwi_boxes *boxes, struct cwi_file_box *box)
{
  if (boxes->next >= boxes->last)
    return false;
  int64_t rest = boxes->next++;
  cw_array array = boxes->array;
  box->offset = 0;
  box->bytes = array->element;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const int64_t step = d == boxes->split ? boxes->step : 1;
    const int64_t steps = (patch_width(boxes, d) - 1) / step + 1;
    box->lo[d] = boxes->lo[d];
    box->hi[d] = boxes->hi[d];
    if (d <= boxes->split) {
      box->lo[d] += rest % steps * step;
      rest /= steps;
      if (box->hi[d] > box->lo[d] + step - 1)
        box->hi[d] = box->lo[d] + step - 1;
    }
    box->bytes *= (size_t)(box->hi[d] - box->lo[d] + 1);
  }
  for (int d = 0; d < array->dimensions; d++)
    box->offset = box->offset * (size_t)array->axes[d].extent + (size_t)box->lo[d];
  box->offset *= array->element;
  return true;
}

char *cwi_file_box_address(cw_array array, const struct cwi_file_box *box)
{
  cw_array_view view;
  ptrdiff_t stride = (ptrdiff_t)array->element;
  if (!cwi_patch_in_place(array, box->lo, box->hi, &view))
    return NULL;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    if (view.extents[d] > 1 && view.strides[d] != stride)
      return NULL;
    stride *= view.extents[d];
  }
  return view.address;
}
