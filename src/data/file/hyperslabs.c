/* Divides an array into hyperslabs for reading and writing, and assigns them to processes. */
#include "file/hyperslabs.h"

#include "array/array_walk.h"

#include <causeway/array.h>

/* A hyperslab has at most LARGE bytes. In small arrays it may have up to SMALL bytes even if a
 * share is smaller. Blocks are wide if their rows have at least WIDE bytes. */
enum { LARGE = 8 << 20, SMALL = 64 << 10, WIDE = 64 << 10 };

/* Returns the usual number of bytes that are contiguous in the file and belong to one block. */
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

/* Divides the patch into hyperslabs of at most `limit` bytes. Returns the number of hyperslabs in a
 * line. */
static int64_t partition(struct cwi_hyperslabs *hyperslabs, size_t limit)
{
  cw_array array = hyperslabs->array;
  int64_t fit = limit > array->element ? (int64_t)(limit / array->element) : 1;
  int split =
      array->dimensions - 1; /* a hyperslab has all indices of the dimensions after this one */
  hyperslabs->step = 1;
  for (; split > 0 && hyperslabs->extents[split] == array->axes[split].extent; split--) {
    if (fit < hyperslabs->extents[split])
      break;
    hyperslabs->step *= hyperslabs->extents[split];
    fit /= hyperslabs->extents[split];
  }
  const int64_t width = hyperslabs->extents[split];
  hyperslabs->line = hyperslabs->step * width;
  hyperslabs->step *= fit < width ? fit : width;
  hyperslabs->most = (size_t)hyperslabs->step * array->element;
  return (hyperslabs->line - 1) / hyperslabs->step + 1;
}

static void begin_own(struct cwi_hyperslabs *hyperslabs)
{
  cw_array array = hyperslabs->array;
  int64_t hi[CW_MAX_DIMENSIONS];
  if (cw_array_part(array, array->team->rank, hyperslabs->lo, hi) != CW_OK)
    return;
  hyperslabs->last = (int64_t)cwi_patch_elements(array->dimensions, hyperslabs->lo, hi);
  for (int d = 0; d < array->dimensions; d++)
    hyperslabs->extents[d] = hi[d] - hyperslabs->lo[d] + 1;
  if (hyperslabs->last > 0)
    (void)partition(hyperslabs, LARGE);
}

static void begin_share(struct cwi_hyperslabs *hyperslabs)
{
  cw_array array = hyperslabs->array;
  const int64_t rank = array->team->rank, size = array->team->size;
  int64_t positions = 1;
  for (int d = 0; d < array->dimensions; d++) {
    hyperslabs->extents[d] = array->axes[d].extent;
    positions *= hyperslabs->extents[d];
  }
  const size_t share = (size_t)positions * array->element / (size_t)size;
  const int64_t along = partition(hyperslabs, share > LARGE   ? LARGE
                                              : share < SMALL ? SMALL
                                                              : share);
  const int64_t count = positions / hyperslabs->line * along;
  const int64_t first = (int64_t)((__int128)count * rank / size);
  const int64_t after = (int64_t)((__int128)count * (rank + 1) / size);
  hyperslabs->next = first / along * hyperslabs->line + first % along * hyperslabs->step;
  hyperslabs->last = after / along * hyperslabs->line + after % along * hyperslabs->step;
}

void cwi_hyperslabs_begin(struct cwi_hyperslabs *hyperslabs, cw_array array)
{
  *hyperslabs = (struct cwi_hyperslabs){.array = array};
  if (array->layout == CW_BLOCKS && usual_run(array) >= WIDE)
    begin_own(hyperslabs);
  else
    begin_share(hyperslabs);
}

bool cwi_hyperslabs_next(struct cwi_hyperslabs *hyperslabs, struct cwi_hyperslab *hyperslab)
{
  cw_array array = hyperslabs->array;
  if (hyperslabs->next >= hyperslabs->last)
    return false;
  const int64_t rest = hyperslabs->last - hyperslabs->next;
  const int64_t count =
      cwi_box_from(array->dimensions, hyperslabs->lo, hyperslabs->extents, hyperslabs->next,
                   hyperslabs->next + (hyperslabs->step < rest ? hyperslabs->step : rest),
                   hyperslab->lo, hyperslab->hi);
  hyperslabs->next += count;
  hyperslab->bytes = (size_t)count * array->element;
  hyperslab->offset = 0;
  for (int d = 0; d < array->dimensions; d++)
    hyperslab->offset =
        hyperslab->offset * (size_t)array->axes[d].extent + (size_t)hyperslab->lo[d];
  hyperslab->offset *= array->element;
  return true;
}

char *cwi_hyperslab_address(cw_array array, const struct cwi_hyperslab *hyperslab)
{
  cw_array_view view;
  ptrdiff_t stride = (ptrdiff_t)array->element;
  if (!cwi_patch_in_place(array, hyperslab->lo, hyperslab->hi, &view))
    return NULL;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    if (view.extents[d] > 1 && view.strides[d] != stride)
      return NULL;
    stride *= view.extents[d];
  }
  return view.address;
}
