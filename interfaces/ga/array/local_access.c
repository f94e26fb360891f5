/* Addresses of this process's elements: patches and blocks. */
#include "ga/array/nominal.h"
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include <string.h>

/* Computes the leading dimensions of the memory that contains a view: the extents of all dimensions
 * except the first. */
static void leading(const cw_array_view *view, int ndim, int64_t *ld)
{
  for (int d = 0; d + 1 < ndim; d++)
    ld[d] = view->strides[d + 1] != 0 ? view->strides[d] / view->strides[d + 1] : 0;
}

cw_error cwi_ga_hand_out(const cw_array_view *view, int ndim, void *ptr, int64_t *ld)
{
  CWI_TRY(cwi_check_not_null("ptr", ptr));
  if (ndim > 1)
    CWI_TRY(cwi_check_not_null("ld", ld));
  memcpy(ptr, &view->address, sizeof view->address);
  leading(view, ndim, ld);
  return CW_OK;
}

cw_error cwi_ga_narrow_ld(int g_a, const struct cwi_ga_index *wide, int *ld)
{
  const int ndim = cwi_ga_ndim(g_a);
  return ndim > 1 ? cwi_ga_narrow("ld", (size_t)ndim - 1, wide->at, ld) : CW_OK;
}

/* --- Patches --- */

static cw_error access_patch(int g_a, const int64_t *lo, const int64_t *hi, void *ptr, int64_t *ld)
{
  cw_array array = NULL;
  cw_array_view view;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_ga_check_order(array, lo, hi));
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  CWI_TRY(entry->nominal != NULL ? cwi_ga_nominal_access(entry, lo, hi, &view)
                                 : cw_array_access(array, lo, hi, &view));
  return cwi_ga_hand_out(&view, array->dimensions, ptr, ld);
}

void NGA_Access64(int g_a, int64_t lo[], int64_t hi[], void *ptr, int64_t ld[])
{
  (void)CWI_GA(access_patch(g_a, lo, hi, ptr, ld));
}

void NGA_Access(int g_a, int lo[], int hi[], void *ptr, int ld[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  struct cwi_ga_index wide = {{0}};
  (void)CWI_GA(access_patch(g_a, CWI_WIDE(lo), CWI_WIDE(hi), ptr, CWI_STORAGE(wide, ld)));
  (void)CWI_GA(cwi_ga_narrow_ld(g_a, &wide, ld));
}

/* Ends an access of any kind: the stores become visible before later operations. */
static cw_error ga_local_release(int g_a)
{
  cw_array array = NULL;
  const cw_array_view none = {.address = NULL};
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  return cw_array_release(array, &none);
}

/* Releases a patch. An invalid patch is no error: programs release the patch that NGA_Distribution
 * returns for a process without elements, and GA ignores it. */
static cw_error release_patch(int g_a, const int64_t *lo, const int64_t *hi, bool update)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  for (int d = 0; d < entry->ndim; d++)
    if (lo[d] < 0 || hi[d] >= entry->dims[d] || hi[d] < lo[d])
      return CW_OK;
  return entry->nominal != NULL ? cwi_ga_nominal_release(entry, lo, hi, update)
                                : ga_local_release(g_a);
}

void NGA_Release64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA(release_patch(g_a, lo, hi, false));
}

void NGA_Release_update64(int g_a, int64_t lo[], int64_t hi[])
{
  (void)CWI_GA(release_patch(g_a, lo, hi, true));
}

CWI_GA_INT(void, NGA_Release, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))
CWI_GA_INT(void, NGA_Release_update, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi)))

/* --- Blocks --- */

/* Finds an array that the program sees as block-cyclic. Errors: CW_MISUSE for other arrays. */
static cw_error local_cyclic(int g_a, cw_array *array)
{
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, array));
  if ((*array)->layout == CW_BLOCKS)
    return cwi_misuse("g_a is %d, array '%s', which is not block-cyclic", g_a, (*array)->name);
  return CW_OK;
}

static cw_error check_block(cw_array array, int64_t idx)
{
  if (idx >= 0 && idx < array->total_blocks)
    return CW_OK;
  return cwi_misuse("idx is %lld; array '%s' has the blocks 0 to %lld", (long long)idx, array->name,
                    (long long)array->total_blocks - 1);
}

static cw_error access_block(int g_a, int64_t idx, void *ptr, int64_t *ld)
{
  cw_array array = NULL;
  cw_array_view view;
  CWI_TRY(local_cyclic(g_a, &array));
  CWI_TRY(check_block(array, idx));
  CWI_TRY(cw_array_access_block(array, idx, false, &view));
  return cwi_ga_hand_out(&view, array->dimensions, ptr, ld);
}

void NGA_Access_block64(int g_a, int64_t idx, void *ptr, int64_t ld[])
{
  (void)CWI_GA(access_block(g_a, idx, ptr, ld));
}

void NGA_Access_block(int g_a, int idx, void *ptr, int ld[])
{
  struct cwi_ga_index wide = {{0}};
  (void)CWI_GA(access_block(g_a, idx, ptr, CWI_STORAGE(wide, ld)));
  (void)CWI_GA(cwi_ga_narrow_ld(g_a, &wide, ld));
}

/* Computes the number of a block from its indices in the grid of blocks. */
static cw_error block_at(int g_a, const int64_t *index, int64_t *idx)
{
  cw_array array = NULL;
  CWI_TRY(local_cyclic(g_a, &array));
  CWI_TRY(cwi_check_not_null("index", index));
  for (int d = 0; d < array->dimensions; d++)
    if (index[d] < 0 || index[d] >= array->axes[d].blocks)
      return cwi_misuse("index[%d] is %lld; array '%s' has the blocks 0 to %lld in dimension %d", d,
                        (long long)index[d], array->name, (long long)array->axes[d].blocks - 1, d);
  *idx = cwi_block_number(array, index);
  return CW_OK;
}

static cw_error access_block_grid(int g_a, const int64_t *index, void *ptr, int64_t *ld)
{
  int64_t idx = 0;
  CWI_TRY(block_at(g_a, index, &idx));
  return access_block(g_a, idx, ptr, ld);
}

void NGA_Access_block_grid64(int g_a, int64_t index[], void *ptr, int64_t ld[])
{
  (void)CWI_GA(access_block_grid(g_a, index, ptr, ld));
}

void NGA_Access_block_grid(int g_a, int index[], void *ptr, int ld[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  struct cwi_ga_index wide = {{0}};
  (void)CWI_GA(access_block_grid(g_a, CWI_WIDE(index), ptr, CWI_STORAGE(wide, ld)));
  (void)CWI_GA(cwi_ga_narrow_ld(g_a, &wide, ld));
}

static cw_error check_process(cw_array array, const char *what, int process)
{
  const int processes = array->team->size;
  if (process >= 0 && process < processes)
    return CW_OK;
  return cwi_misuse("%s is %d; array '%s' is on the processes 0 to %d", what, process, array->name,
                    processes - 1);
}

/* Stores a view of the nominal patch of a process. The view is empty if the process has none. */
static cw_error view_nominal(struct cwi_ga_array *entry, int process, cw_array_view *view)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  *view = (cw_array_view){.address = NULL};
  CWI_TRY(check_process(entry->array, "process", process));
  return cwi_ga_nominal_part(entry, process, lo, hi) ? cwi_ga_nominal_access(entry, lo, hi, view)
                                                     : CW_OK;
}

/* Stores the address and the number of all elements of a process. Any array is accepted. The
 * elements of a regular array include its ghost cells. */
static cw_error access_segment(int g_a, int process, void *ptr, int64_t *len)
{
  cw_array array = NULL;
  cw_array_view view;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("ptr", ptr));
  CWI_TRY(cwi_check_not_null("len", len));
  if (cwi_ga_entry(g_a)->nominal != NULL)
    CWI_TRY(view_nominal(cwi_ga_entry(g_a), process, &view));
  else
    CWI_TRY(cwi_ga_known_as(cw_array_access_local(array, process, &view), "rank is process"));
  *len = view.address != NULL ? 1 : 0;
  for (int d = 0; d < array->dimensions; d++)
    *len *= d == 0 || array->axes[0].dense ? view.extents[d] : 1;
  memcpy(ptr, &view.address, sizeof view.address);
  return CW_OK;
}

void NGA_Access_block_segment64(int g_a, int process, void *ptr, int64_t *len)
{
  (void)CWI_GA(access_segment(g_a, process, ptr, len));
}

void NGA_Access_block_segment(int g_a, int process, void *ptr, int *len)
{
  int64_t wide = 0;
  (void)CWI_GA(access_segment(g_a, process, ptr, len != NULL ? &wide : NULL));
  (void)CWI_GA(cwi_ga_narrow("len", 1, &wide, len));
}

static cw_error release_block(int g_a, int64_t idx)
{
  cw_array array = NULL;
  CWI_TRY(local_cyclic(g_a, &array));
  CWI_TRY(check_block(array, idx));
  return ga_local_release(g_a);
}

void NGA_Release_block(int g_a, int idx)
{
  (void)CWI_GA(release_block(g_a, idx));
}

void NGA_Release_update_block(int g_a, int idx)
{
  (void)CWI_GA(release_block(g_a, idx));
}

cw_error cwi_ga_release_block_grid(int g_a, const int64_t *index)
{
  int64_t idx = 0;
  CWI_TRY(block_at(g_a, index, &idx));
  return ga_local_release(g_a);
}

void NGA_Release_block_grid(int g_a, int index[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  (void)CWI_GA(cwi_ga_release_block_grid(g_a, CWI_WIDE(index)));
}

void NGA_Release_update_block_grid(int g_a, int index[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  (void)CWI_GA(cwi_ga_release_block_grid(g_a, CWI_WIDE(index)));
}

static cw_error release_segment(int g_a, int process, bool update)
{
  cw_array array = NULL;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(check_process(array, "idx", process));
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry->nominal == NULL)
    return ga_local_release(g_a);
  return cwi_ga_nominal_part(entry, process, lo, hi) ? cwi_ga_nominal_release(entry, lo, hi, update)
                                                     : CW_OK;
}

void NGA_Release_block_segment(int g_a, int idx)
{
  (void)CWI_GA(release_segment(g_a, idx, false));
}

void NGA_Release_update_block_segment(int g_a, int idx)
{
  (void)CWI_GA(release_segment(g_a, idx, true));
}
