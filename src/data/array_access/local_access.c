/* Access to elements by loads and stores, and the synchronisation of an array. */
#include "array/array.h"
#include "array/array_arguments.h"
#include "base/memory_order.h"
#include "base/settings.h"
#include "collective_call/collective_check.h"
#include "profile/profile.h"
#include "sync/barrier.h"

#include <causeway/array.h>

static bool accesses_may_stay;

void cwi_accesses_may_stay_open(bool may)
{
  accesses_may_stay = may;
}

static bool counts_accesses(void)
{
  return CWI_UNLIKELY(cwi_settings.check != 0) && !accesses_may_stay;
}

/* Counts an access if `error` is CW_OK, which means that it has begun. */
static cw_error count_access(cw_array array, cw_error error)
{
  if (error == CW_OK && counts_accesses())
    __atomic_add_fetch(&array->accesses, 1, __ATOMIC_RELAXED);
  return error;
}

/* Counts the end of an access. Returns an error if none is open. */
static cw_error count_release(cw_array array)
{
  if (!counts_accesses() || __atomic_sub_fetch(&array->accesses, 1, __ATOMIC_RELAXED) >= 0)
    return CW_OK;
  __atomic_add_fetch(&array->accesses, 1, __ATOMIC_RELAXED);
  return cwi_misuse("no access to array '%s' is open here (released already?)", array->name);
}

static cw_error check_reach(cw_array array, int rank, const char *what)
{
  if (cwi_rank_loadable(array, rank))
    return CW_OK;
  if (cwi_rank_on_device(array, rank))
    return cwi_misuse(
        "%s of array '%s' lies on a device of rank %d (process %d), where loads and stores do not "
        "reach: cw_array_access_device returns its place to its owner, for kernels; cw_array_get "
        "copies it to a local buffer, cw_array_copy to an array on the host",
        what, array->name, rank, cwi_rank_process(array, rank));
  return cwi_misuse("%s of array '%s' is at rank %d (process %d), whose memory this process cannot "
                    "load from",
                    what, array->name, rank, cwi_rank_process(array, rank));
}

/* Makes two things visible to my loads: data that others have put and fenced, and this process's
 * own transfers to `process`. */
static cw_error local_begin(int process)
{
  if (process == cwi_world.process || cwi_is_ready(process))
    cwi_acquire();
  else
    CWI_TRY(cwi_routes_fence(process));
  return CW_OK;
}

/* Makes a view of a patch. `place` is the place of lo. The address of an empty patch is NULL,
 * because its holder may have no memory. */
static void view_patch(cw_array array, const struct cwi_place *place, const int64_t *lo,
                       const int64_t *hi, cw_array_view *view)
{
  bool empty = false;
  for (int d = 0; d < array->dimensions; d++) {
    view->lo[d] = lo[d];
    view->extents[d] = hi[d] - lo[d] + 1;
    view->strides[d] = place->strides[d];
    empty = empty || view->extents[d] == 0;
  }
  view->address = empty ? NULL : cwi_holder_base(array, place->holder) + place->offset;
}

/* Returns true if the part of `rank` is on my device. */
static bool is_on_mine(cw_array array, int rank)
{
  return array->device != NULL && rank == array->team->rank;
}

/* Makes a view of the patch from lo to hi, which is in the block and the ghost cells around it.
 * on_mine: the block may be on my device. */
static cw_error access_in_block(cw_array array, const int64_t block[], const int64_t *lo,
                                const int64_t *hi, bool on_mine, cw_array_view *view)
{
  struct cwi_place place;
  cwi_element_place(array, block, lo, &place);
  const int rank = cwi_holder_rank(array, place.holder);
  if (!on_mine || !is_on_mine(array, rank))
    CWI_TRY(check_reach(array, rank, "the block"));
  CWI_TRY(local_begin(cwi_rank_process(array, rank)));
  view_patch(array, &place, lo, hi, view);
  return CW_OK;
}

bool cwi_patch_in_place(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view)
{
  int64_t block[CW_MAX_DIMENSIONS];
  struct cwi_place place;
  cwi_block_of(array, lo, block);
  for (int d = 0; d < array->dimensions; d++)
    if (hi[d] >= cwi_axis_end(&array->axes[d], block[d]))
      return false;
  cwi_element_place(array, block, lo, &place);
  if (!cwi_rank_loadable(array, cwi_holder_rank(array, place.holder)))
    return false;
  view_patch(array, &place, lo, hi, view);
  return true;
}

cw_error cwi_patch_block(cw_array array, const int64_t *lo, const int64_t *hi, int64_t block[])
{
  CWI_TRY(cwi_check_patch(array, lo, hi));
  for (int d = 0; d < array->dimensions; d++) {
    if (hi[d] < lo[d])
      return cwi_misuse("the patch is empty: lo[%d] is %lld and hi[%d] is %lld", d,
                        (long long)lo[d], d, (long long)hi[d]);
    block[d] = cwi_axis_block_of(&array->axes[d], lo[d]);
    const int64_t last = cwi_axis_end(&array->axes[d], block[d]) - 1;
    if (hi[d] > last)
      return cwi_misuse("hi[%d] is %lld; the block of array '%s' that holds lo ends at %lld", d,
                        (long long)hi[d], array->name, (long long)last);
  }
  return CW_OK;
}

static cw_error access_patch(cw_array array, const int64_t *lo, const int64_t *hi,
                             cw_array_view *view)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_not_null("view", view));
  CWI_TRY(cwi_patch_block(array, lo, hi, block));
  return access_in_block(array, block, lo, hi, false, view);
}

cw_error cw_array_access(cw_array array, const int64_t *lo, const int64_t *hi, cw_array_view *view)
{
  return cwi_in_call("cw_array_access", count_access(array, access_patch(array, lo, hi, view)));
}

static cw_error access_block(cw_array array, int64_t number, bool ghosts, bool on_mine,
                             cw_array_view *view)
{
  int64_t block[CW_MAX_DIMENSIONS];
  int64_t lo[CW_MAX_DIMENSIONS] CWI_SET_LATER, hi[CW_MAX_DIMENSIONS] CWI_SET_LATER;
  CWI_TRY(cwi_check_array("array", array));
  if (number < 0 || number >= array->total_blocks)
    return cwi_misuse("block is %lld; array '%s' has blocks 0 to %lld", (long long)number,
                      array->name, (long long)array->total_blocks - 1);
  if (view == NULL)
    return cwi_misuse("view is NULL; it receives the place of the block");
  cwi_block_at(array, number, block);
  cwi_block_limits(array, block, lo, hi);
  if (ghosts && !cwi_patch_empty(array->dimensions, lo, hi))
    for (int d = 0; d < array->dimensions; d++) {
      lo[d] -= array->axes[d].ghosts;
      hi[d] += array->axes[d].ghosts;
    }
  return access_in_block(array, block, lo, hi, on_mine, view);
}

cw_error cwi_own_block(cw_array array, bool on_device, cw_array_view *view)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  const int rank = array->team->rank;
  *view = (cw_array_view){.address = NULL};
  if (cwi_rank_bytes(array, rank) == 0)
    return CW_OK;
  cwi_holder_coordinates(array, cwi_rank_holder(array, rank), block);
  return access_block(array, cwi_block_number(array, block), true, on_device, view);
}

cw_error cw_array_access_block(cw_array array, int64_t block, bool ghosts, cw_array_view *view)
{
  return cwi_in_call("cw_array_access_block",
                     count_access(array, access_block(array, block, ghosts, false, view)));
}

/* Makes a view of the dense matrix of a holder that has elements. */
static void view_matrix(cw_array array, int holder, cw_array_view *view)
{
  int64_t coordinate[CW_MAX_DIMENSIONS] = {0};
  ptrdiff_t stride = (ptrdiff_t)array->element;
  view->address = cwi_holder_base(array, holder);
  cwi_holder_coordinates(array, holder, coordinate);
  for (int d = array->dimensions - 1; d >= 0; d--) {
    const int64_t ghosts = array->axes[d].ghosts;
    view->lo[d] = 0;
    view->extents[d] = cwi_axis_own_elements(&array->axes[d], coordinate[d]);
    view->strides[d] = stride;
    view->address = (char *)view->address + ghosts * stride;
    stride *= view->extents[d] + 2 * ghosts;
  }
}

/* Makes a view of the part of a rank. Its address is NULL if the rank has none. */
static void view_local(cw_array array, int rank, cw_array_view *view)
{
  const size_t bytes = cwi_rank_bytes(array, rank);
  const int holder = cwi_rank_holder(array, rank);
  *view = (cw_array_view){.address = NULL};
  if (bytes > 0 && array->axes[0].dense) {
    view_matrix(array, holder, view);
  } else if (bytes > 0) {
    view->address = cwi_holder_base(array, holder);
    view->extents[0] = (int64_t)(bytes / array->element);
    view->strides[0] = (ptrdiff_t)array->element;
  }
}

static cw_error access_local(cw_array array, int rank, cw_array_view *view)
{
  CWI_TRY(cwi_check_array("array", array));
  if (rank < 0 || rank >= array->team->size)
    return cwi_misuse("rank is %d; the team of array '%s' has ranks 0 to %d", rank, array->name,
                      array->team->size - 1);
  if (view == NULL)
    return cwi_misuse("view is NULL; it receives the place of the elements");
  if (cwi_rank_bytes(array, rank) > 0) {
    CWI_TRY(check_reach(array, rank, "the part"));
    CWI_TRY(local_begin(cwi_rank_process(array, rank)));
  }
  view_local(array, rank, view);
  return CW_OK;
}

cw_error cw_array_access_local(cw_array array, int rank, cw_array_view *view)
{
  return cwi_in_call("cw_array_access_local", count_access(array, access_local(array, rank, view)));
}

/* Returns the error for a block that is not on a device of this process. */
static cw_error reject_place(cw_array array, int rank)
{
  return cwi_rank_on_device(array, rank)
             ? cwi_misuse(
                   "the block of array '%s' lies on a device of rank %d (process %d): only kernels "
                   "of that process reach it; cw_array_get copies it to a local buffer",
                   array->name, rank, cwi_rank_process(array, rank))
             : cwi_misuse("the block of rank %d (process %d) of array '%s' lies in host memory, "
                          "not on a device: cw_array_access returns a pointer to it",
                          rank, cwi_rank_process(array, rank), array->name);
}

static cw_error access_device(cw_array array, const int64_t *lo, const int64_t *hi, void **memory,
                              cw_array_view *view)
{
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_not_null("view", view));
  const int mine = array->team->rank;
  const bool whole = lo == NULL && hi == NULL;
  if (!whole)
    CWI_TRY(cwi_patch_block(array, lo, hi, block));
  const int rank = whole ? mine : cwi_holder_rank(array, cwi_block_holder(array, block));
  if (!is_on_mine(array, rank) && !(whole && cwi_rank_bytes(array, mine) == 0))
    return reject_place(array, rank);
  cwi_acquire();
  if (memory != NULL)
    *memory = array->region->slices[mine].address;
  if (!whole)
    return access_in_block(array, block, lo, hi, true, view);
  view_local(array, mine, view);
  return CW_OK;
}

cw_error cw_array_access_device(cw_array array, const int64_t *lo, const int64_t *hi, void **memory,
                                cw_array_view *view)
{
  return cwi_in_call("cw_array_access_device",
                     count_access(array, access_device(array, lo, hi, memory, view)));
}

/* Returns true if the address is in the slice of `rank`. */
static bool holds(cw_array array, int rank, const char *address)
{
  const struct cwi_slice *slice = &array->region->slices[rank];
  return address >= slice->address && (size_t)(address - slice->address) < slice->bytes;
}

static cw_error local_release(cw_array array, const cw_array_view *view)
{
  CWI_TRY(cwi_check_array("array", array));
  if (view == NULL)
    return cwi_misuse("view is NULL");
  cwi_release();
  if (view->address == NULL || holds(array, array->team->rank, view->address))
    return count_release(array);
  for (int rank = 0; rank < array->team->size; rank++)
    if (cwi_rank_loadable(array, rank) && holds(array, rank, view->address))
      return count_release(array);
  return cwi_misuse("the view's address is %p, which is not memory of array '%s' on this process",
                    view->address, array->name);
}

cw_error cw_array_release(cw_array array, const cw_array_view *view)
{
  return cwi_in_call("cw_array_release", local_release(array, view));
}

cw_error cw_array_fence(cw_array array)
{
  CWI_PROFILED(CW_CALL_FENCE);
  CWI_TRY(cwi_in_call("cw_array_fence", cwi_check_array("array", array)));
  return cwi_in_call("cw_array_fence", cwi_routes_fence_all());
}

cw_error cw_array_sync(cw_array array)
{
  CWI_PROFILED(CW_CALL_BARRIER);
  CWI_TRY(cwi_in_call("cw_array_sync", cwi_check_array("array", array)));
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", array), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_array_sync", array->team, agreed, cwi_synchronise(array->team));
}
