/* Ghost cells: updates of all sides or of one side, and access. */
#include "ga/array/nominal.h"
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include <string.h>

/* Sets *has to 1 if the array has ghost cells. As in GA, this works even before GA_Allocate. */
static cw_error has_ghosts(int g_a, int *has)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  *has = entry->array != NULL ? cwi_has_ghosts(entry->array) : cwi_ga_sets_ghosts(entry);
  return CW_OK;
}

int GA_Has_ghosts(int g_a)
{
  int has = 0;
  (void)CWI_GA(has_ghosts(g_a, &has));
  return has;
}

CWI_GA_NGA(Has_ghosts);

/* --- Updates --- */

/* Updates all ghost cells. If the array has none, the processes only synchronise, as in GA. */
static cw_error ga_ghosts_update(int g_a)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cw_wait_all());
  if (!cwi_has_ghosts(array))
    return cw_array_sync(array);
  return cwi_ga_known_as(cw_array_update_ghosts(array, !cwi_ga_entry(g_a)->no_corners),
                         "corners is the flag of GA_Set_ghost_corner_flag");
}

void GA_Update_ghosts(int g_a)
{
  (void)CWI_GA_WAITS(ga_ghosts_update(g_a));
}

CWI_GA_NGA(Update_ghosts);

cw_error cwi_ga_fill_rim(cw_array array)
{
  return cwi_has_ghosts(array) ? cw_array_update_ghosts(array, true) : CW_OK;
}

/* Completes the update before it returns, so that *handle then stands for no operation. */
static cw_error update_now(int g_a, ga_nbhdl_t *handle)
{
  CWI_TRY(cwi_check_not_null("handle", handle));
  CWI_TRY(ga_ghosts_update(g_a));
  *handle = 0;
  return CW_OK;
}

void NGA_Update_ghosts_nb(int g_a, ga_nbhdl_t *handle)
{
  (void)CWI_GA_WAITS(update_now(g_a, handle));
}

/* Updates one side. GA counts the dimensions of this call from the last to the first, even in C. */
static cw_error update_direction(int g_a, int dimension, int way, bool corners)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cw_wait_all());
  if (!cwi_has_ghosts(array))
    return cw_array_sync(array);
  if (dimension < 0 || dimension >= array->dimensions)
    return cwi_misuse("dimension is %d; array '%s' has dimensions 0 to %d", dimension, array->name,
                      array->dimensions - 1);
  return cwi_ga_known_as(
      cw_array_update_ghost_side(array, array->dimensions - 1 - dimension, way, corners),
      "way is idir, corners is flag");
}

int NGA_Update_ghost_dir(int g_a, int dimension, int idir, int flag)
{
  (void)CWI_GA_WAITS(update_direction(g_a, dimension, idir, flag != 0));
  return 1;
}

static cw_error get_direction(int g_a, const int64_t *mask, ga_nbhdl_t *handle)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  if (!cwi_has_ghosts(array))
    return cwi_misuse("g_a is %d, array '%s', which has no ghost cells", g_a, array->name);
  CWI_TRY(cwi_check_not_null("mask", mask));
  CWI_TRY(cwi_check_not_null("handle", handle));
  for (int d = 0; d < array->dimensions; d++)
    if (mask[d] < -1 || mask[d] > 1)
      return cwi_misuse("mask[%d] is %lld; it may be -1, 0 or 1", d, (long long)mask[d]);
  cw_handle native_handle = cwi_ga_native_handle(handle);
  const cw_error error = cwi_ghosts_start(array, mask, &native_handle);
  memcpy(handle, &native_handle, sizeof native_handle);
  return error;
}

void NGA_NbGet_ghost_dir64(int g_a, int64_t mask[], ga_nbhdl_t *handle)
{
  (void)CWI_GA(get_direction(g_a, mask, handle));
}

CWI_GA_INT(void, NGA_NbGet_ghost_dir, cwi_ga_ndim(g_a), (int g_a, int mask[], ga_nbhdl_t *handle),
           (g_a, CWI_WIDE(mask), handle))

/* --- Access --- */

/* Computes the shape of this process's nominal patch. The patch has no ghost cells, and it has
 * memory only while it is accessed. */
static void shape_nominal(const struct cwi_ga_array *entry, cw_array_view *view)
{
  int64_t hi[CW_MAX_DIMENSIONS];
  ptrdiff_t stride = (ptrdiff_t)entry->array->element;
  if (!cwi_ga_nominal_part(entry, entry->array->team->rank, view->lo, hi))
    return;
  for (int d = entry->ndim - 1; d >= 0; d--) {
    view->extents[d] = hi[d] - view->lo[d] + 1;
    view->strides[d] = stride;
    stride *= view->extents[d];
  }
}

/* Stores a view of this process's block and its ghost cells. The extents are 0 if this process has
 * no block. */
static cw_error view_mine(int g_a, cw_array *array, cw_array_view *view)
{
  cw_array seen = NULL;
  *view = (cw_array_view){.address = NULL};
  CWI_TRY(cwi_ga_array("g_a", g_a, array));
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &seen));
  if (seen->layout != CW_BLOCKS)
    return cwi_misuse("g_a is %d, array '%s', which is block-cyclic", g_a, seen->name);
  if (seen == *array)
    return cwi_own_block(seen, false, view);
  shape_nominal(cwi_ga_entry(g_a), view);
  return CW_OK;
}

/* Like view_mine, but the address is also valid if the array has nominal patches. */
static cw_error access_mine(int g_a, cw_array *array, cw_array_view *view)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  CWI_TRY(view_mine(g_a, array, view));
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry->nominal == NULL || !cwi_ga_nominal_part(entry, (*array)->team->rank, lo, hi))
    return CW_OK;
  return cwi_ga_nominal_access(entry, lo, hi, view);
}

static cw_error release_mine(int g_a, bool update)
{
  cw_array array = NULL;
  cw_array_view view;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  CWI_TRY(view_mine(g_a, &array, &view));
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry->nominal == NULL)
    return cw_array_release(array, &view);
  return cwi_ga_nominal_part(entry, array->team->rank, lo, hi)
             ? cwi_ga_nominal_release(entry, lo, hi, update)
             : CW_OK;
}

static cw_error access_ghosts(int g_a, int64_t *dims, void *ptr, int64_t *ld)
{
  cw_array array = NULL;
  cw_array_view view;
  CWI_TRY(cwi_check_not_null("dims", dims));
  CWI_TRY(access_mine(g_a, &array, &view));
  memcpy(dims, view.extents, (size_t)array->dimensions * sizeof *dims);
  return cwi_ga_hand_out(&view, array->dimensions, ptr, ld);
}

void NGA_Access_ghosts64(int g_a, int64_t dims[], void *ptr, int64_t ld[])
{
  (void)CWI_GA(access_ghosts(g_a, dims, ptr, ld));
}

void NGA_Access_ghosts(int g_a, int dims[], void *ptr, int ld[])
{
  struct cwi_ga_index wide_dims = {{0}}, wide_ld = {{0}};
  (void)CWI_GA(access_ghosts(g_a, CWI_STORAGE(wide_dims, dims), ptr, CWI_STORAGE(wide_ld, ld)));
  (void)CWI_GA(cwi_ga_narrow("dims", (size_t)cwi_ga_ndim(g_a), wide_dims.at, dims));
  (void)CWI_GA(cwi_ga_narrow_ld(g_a, &wide_ld, ld));
}

/* Computes the offset of an element in bytes. The index counts from the first element that
 * NGA_Access_ghosts returns. */
static cw_error find_element(cw_array array, const cw_array_view *view, const int64_t *index,
                             ptrdiff_t *offset)
{
  CWI_TRY(cwi_check_not_null("index", index));
  *offset = 0;
  for (int d = 0; d < array->dimensions; d++) {
    if (index[d] < 0 || index[d] >= view->extents[d])
      return cwi_misuse("index[%d] is %lld; my block of array '%s' has %lld elements in that "
                        "dimension, ghost cells included",
                        d, (long long)index[d], array->name, (long long)view->extents[d]);
    *offset += index[d] * view->strides[d];
  }
  return CW_OK;
}

static cw_error access_element(int g_a, void *ptr, const int64_t *index, int64_t *ld)
{
  cw_array array = NULL;
  cw_array_view view;
  ptrdiff_t offset = 0;
  CWI_TRY(view_mine(g_a, &array, &view));
  CWI_TRY(find_element(array, &view, index, &offset));
  CWI_TRY(access_mine(g_a, &array, &view));
  view.address = (char *)view.address + offset;
  return cwi_ga_hand_out(&view, array->dimensions, ptr, ld);
}

void NGA_Access_ghost_element64(int g_a, void *ptr, int64_t index[], int64_t ld[])
{
  (void)CWI_GA(access_element(g_a, ptr, index, ld));
}

void NGA_Access_ghost_element(int g_a, void *ptr, int index[], int ld[])
{
  const int cwi_dimensions = cwi_ga_ndim(g_a);
  struct cwi_ga_index wide = {{0}};
  (void)CWI_GA(access_element(g_a, ptr, CWI_WIDE(index), CWI_STORAGE(wide, ld)));
  (void)CWI_GA(cwi_ga_narrow_ld(g_a, &wide, ld));
}

void NGA_Release_ghosts(int g_a)
{
  (void)CWI_GA(release_mine(g_a, false));
}

void NGA_Release_update_ghosts(int g_a)
{
  (void)CWI_GA(release_mine(g_a, true));
}

static cw_error release_element(int g_a, const int64_t *index, bool update)
{
  cw_array array = NULL;
  cw_array_view view;
  ptrdiff_t offset = 0;
  CWI_TRY(view_mine(g_a, &array, &view));
  CWI_TRY(find_element(array, &view, index, &offset));
  return release_mine(g_a, update);
}

void NGA_Release_ghost_element64(int g_a, int64_t index[])
{
  (void)CWI_GA(release_element(g_a, index, false));
}

void NGA_Release_update_ghost_element64(int g_a, int64_t index[])
{
  (void)CWI_GA(release_element(g_a, index, true));
}

CWI_GA_INT(void, NGA_Release_ghost_element, cwi_ga_ndim(g_a), (int g_a, int index[]),
           (g_a, CWI_WIDE(index)))
CWI_GA_INT(void, NGA_Release_update_ghost_element, cwi_ga_ndim(g_a), (int g_a, int index[]),
           (g_a, CWI_WIDE(index)))

/* --- Patches that include ghost cells --- */

/* Copies a patch that is within this process's block and its ghost cells from the memory of this
 * process. */
static cw_error ga_ghosts_copy_mine(cw_array array, const cw_array_view *view, const int64_t *lo,
                                    const int64_t *hi, void *buf, const int64_t *ld)
{
  const int last = array->dimensions - 1;
  size_t counts[CW_MAX_LEVELS];
  ptrdiff_t from[CW_MAX_LEVELS], to[CW_MAX_LEVELS], stride = (ptrdiff_t)array->element;
  char *address = view->address;
  for (int d = last; d >= 0; d--) {
    address += (lo[d] - view->lo[d]) * view->strides[d];
    if (d == last)
      continue;
    stride *= ld[d];
    counts[last - 1 - d] = (size_t)(hi[d] - lo[d] + 1);
    from[last - 1 - d] = view->strides[d];
    to[last - 1 - d] = stride;
  }
  const cw_transfer transfer =
      cw_strided(CW_GET, buf, to, address, from, (size_t)(hi[last] - lo[last] + 1) * array->element,
                 counts, last, cw_process());
  return cw_transfer_run(&transfer);
}

static cw_error get_block(int g_a, const int64_t *lo, const int64_t *hi, void *buf,
                          const int64_t *ld)
{
  static const int64_t none[GA_MAX_DIM];
  cw_array array = NULL;
  cw_array_view view;
  CWI_TRY(view_mine(g_a, &array, &view));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  CWI_TRY(cwi_ga_check_order(array, lo, hi));
  CWI_TRY(cwi_check_not_null("buf", buf));
  ld = array->dimensions == 1 ? none : ld;
  CWI_TRY(cwi_check_not_null("ld", ld));
  bool mine = view.address != NULL;
  for (int d = 0; d < array->dimensions && mine; d++)
    mine = lo[d] >= view.lo[d] && hi[d] < view.lo[d] + view.extents[d] &&
           (d == 0 || ld[d - 1] > hi[d] - lo[d]);
  if (mine)
    return ga_ghosts_copy_mine(array, &view, lo, hi, buf, ld);
  const cw_patch patch = {
      .operation = CW_GET, .lo = lo, .hi = hi, .periodic = true, .buffer = buf, .ld = ld};
  return cw_array_transfer(array, &patch);
}

void NGA_Get_ghost_block64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
  (void)CWI_GA(get_block(g_a, lo, hi, buf, ld));
}

CWI_GA_INT(void, NGA_Get_ghost_block, cwi_ga_ndim(g_a),
           (int g_a, int lo[], int hi[], void *buf, int ld[]),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), buf, CWI_WIDE_LD(ld)))
