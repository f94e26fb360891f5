/* Cuts an array into boxes for reading and writing, and deals them out. */
#include "file/boxes.h"

#include "array/walk.h"

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

/* How the patch is cut into boxes of at most `limit` bytes; returns how many there are in a line.
 */
static int64_t cut(struct cwi_boxes *boxes, size_t limit)
{
  cw_array array = boxes->array;
  int64_t fit = limit > array->element ? (int64_t)(limit / array->element) : 1;
  int split = array->dimensions - 1; /* after it a box has all indices */
  boxes->step = 1;
  for (; split > 0 && boxes->extents[split] == array->axes[split].extent; split--) {
    if (fit < boxes->extents[split])
      break;
    boxes->step *= boxes->extents[split];
    fit /= boxes->extents[split];
  }
  const int64_t width = boxes->extents[split];
  boxes->line = boxes->step * width;
  boxes->step *= fit < width ? fit : width;
  boxes->most = (size_t)boxes->step * array->element;
  return (boxes->line - 1) / boxes->step + 1;
}

static void begin_own(struct cwi_boxes *boxes)
{
  cw_array array = boxes->array;
  int64_t hi[CW_MAX_DIMENSIONS];
  if (cw_array_part(array, array->team->rank, boxes->lo, hi) != CW_OK)
    return;
  boxes->last = (int64_t)cwi_patch_elements(array->dimensions, boxes->lo, hi);
  for (int d = 0; d < array->dimensions; d++)
    boxes->extents[d] = hi[d] - boxes->lo[d] + 1;
  if (boxes->last > 0)
    (void)cut(boxes, LARGE);
}

static void begin_share(struct cwi_boxes *boxes)
{
  cw_array array = boxes->array;
  const int64_t rank = array->team->rank, size = array->team->size;
  int64_t positions = 1;
  for (int d = 0; d < array->dimensions; d++) {
    boxes->extents[d] = array->axes[d].extent;
    positions *= boxes->extents[d];
  }
  const size_t share = (size_t)positions * array->element / (size_t)size;
  const int64_t along = cut(boxes, share > LARGE ? LARGE : share < SMALL ? SMALL : share);
  const int64_t count = positions / boxes->line * along;
  const int64_t first = (int64_t)((__int128)count * rank / size);
  const int64_t after = (int64_t)((__int128)count * (rank + 1) / size);
  boxes->next = first / along * boxes->line + first % along * boxes->step;
  boxes->last = after / along * boxes->line + after % along * boxes->step;
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
  cw_array array = boxes->array;
  if (boxes->next >= boxes->last)
    return false;
  const int64_t rest = boxes->last - boxes->next;
  const int64_t count =
      cwi_box_from(array->dimensions, boxes->lo, boxes->extents, boxes->next,
                   boxes->next + (boxes->step < rest ? boxes->step : rest), box->lo, box->hi);
  boxes->next += count;
  box->bytes = (size_t)count * array->element;
  box->offset = 0;
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
