/* Cuts an array into hyperslabs for reading and writing, and deals them out. */
#include "file/hyperslabs.h"

#include <causeway/array.h>

/* A hyperslab has at most LARGE bytes; shares of small arrays are cut no smaller than SMALL. Rows
 * of a block are wide from WIDE on. */
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

static int64_t patch_width(const struct cwi_hyperslabs *hyperslabs, int d)
{
  return hyperslabs->hi[d] - hyperslabs->lo[d] + 1;
}

/* How the patch is cut into hyperslabs of at most `limit` bytes; returns how many. */
static int64_t cut(struct cwi_hyperslabs *hyperslabs, size_t limit)
{
  size_t row = hyperslabs->array->element; /* bytes of one index of dimension `split` */
  int64_t count = 1;
  hyperslabs->split = hyperslabs->array->dimensions - 1;
  for (int d = hyperslabs->split; d > 0; d--) {
    const int64_t width = patch_width(hyperslabs, d);
    if (width < hyperslabs->array->axes[d].extent || row * (size_t)width > limit)
      break;
    row *= (size_t)width;
    hyperslabs->split = d - 1;
  }
  const int64_t width = patch_width(hyperslabs, hyperslabs->split);
  const int64_t fit = row < limit ? (int64_t)(limit / row) : 1;
  hyperslabs->step = fit < width ? fit : width;
  hyperslabs->most = row * (size_t)hyperslabs->step;
  for (int d = 0; d < hyperslabs->split; d++)
    count *= patch_width(hyperslabs, d);
  return count * ((width - 1) / hyperslabs->step + 1);
}

static void begin_own(struct cwi_hyperslabs *hyperslabs)
{
  cw_array array = hyperslabs->array;
  if (cw_array_part(array, array->team->rank, hyperslabs->lo, hyperslabs->hi) != CW_OK ||
      cwi_patch_elements(array->dimensions, hyperslabs->lo, hyperslabs->hi) == 0)
    return;
  hyperslabs->last = cut(hyperslabs, LARGE);
}

static void begin_share(struct cwi_hyperslabs *hyperslabs)
{
  cw_array array = hyperslabs->array;
  const int64_t rank = array->team->rank, size = array->team->size;
  size_t bytes = array->element;
  for (int d = 0; d < array->dimensions; d++) {
    hyperslabs->lo[d] = 0;
    hyperslabs->hi[d] = array->axes[d].extent - 1;
    bytes *= (size_t)array->axes[d].extent;
  }
  const size_t share = bytes / (size_t)size;
  const int64_t count = cut(hyperslabs, share > LARGE ? LARGE : share < SMALL ? SMALL : share);
  hyperslabs->next = (int64_t)((__int128)count * rank / size);
  hyperslabs->last = (int64_t)((__int128)count * (rank + 1) / size);
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
  if (hyperslabs->next >= hyperslabs->last)
    return false;
  int64_t rest = hyperslabs->next++;
  cw_array array = hyperslabs->array;
  hyperslab->offset = 0;
  hyperslab->bytes = array->element;
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const int64_t step = d == hyperslabs->split ? hyperslabs->step : 1;
    const int64_t steps = (patch_width(hyperslabs, d) - 1) / step + 1;
    hyperslab->lo[d] = hyperslabs->lo[d];
    hyperslab->hi[d] = hyperslabs->hi[d];
    if (d <= hyperslabs->split) {
      hyperslab->lo[d] += rest % steps * step;
      rest /= steps;
      if (hyperslab->hi[d] > hyperslab->lo[d] + step - 1)
        hyperslab->hi[d] = hyperslab->lo[d] + step - 1;
    }
    hyperslab->bytes *= (size_t)(hyperslab->hi[d] - hyperslab->lo[d] + 1);
  }
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
