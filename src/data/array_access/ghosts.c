/* Ghost cells: each process gets the cells around its block from their owners. */
#include "array/array_arguments.h"
#include "array/array_walk.h"
#include "collective_call/collective_check.h"
#include "profile/profile.h"
#include "sync/barrier.h"

#include <causeway/array.h>

/* Returns the number of dimensions in which the ghost cells of one side are outside of the block,
 * or -1 if there are no such cells. side: as in cwi_ghosts_start. */
static int ghosts_outside(cw_array array, const int64_t side[])
{
  int count = 0;
  for (int d = 0; d < array->dimensions; d++) {
    if (side[d] != 0 && array->axes[d].ghosts == 0)
      return -1;
    count += side[d] != 0;
  }
  return count;
}

/* Starts to get the cells of one side into my memory. `view` is my block with its ghosts. */
static cw_error start_side(cw_array array, const cw_array_view *view, const int64_t side[],
                           cw_handle *handle)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], ld[CW_MAX_DIMENSIONS];
  char *buffer = view->address;
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t width = array->axes[d].ghosts;
    const int64_t first = view->lo[d] + width; /* first index of the block */
    const int64_t last = view->lo[d] + view->extents[d] - width - 1;
    lo[d] = side[d] < 0 ? first - width : side[d] > 0 ? last + 1 : first;
    hi[d] = side[d] < 0 ? first - 1 : side[d] > 0 ? last + width : last;
    buffer += (lo[d] - view->lo[d]) * view->strides[d];
    if (d > 0)
      ld[d - 1] = view->extents[d];
  }
  const cw_patch patch = {.operation = CW_GET,
                          .lo = lo,
                          .hi = hi,
                          .periodic = true,
                          .buffer = buffer,
                          .local_device = array->device != NULL,
                          .ld = ld};
  return cwi_array_start(array, &patch, handle);
}

cw_error cwi_ghosts_start(cw_array array, const int64_t side[], cw_handle *handle)
{
  cw_array_view view;
  if (ghosts_outside(array, side) <= 0)
    return CW_OK;
  CWI_TRY(cwi_own_block(array, true, &view));
  return view.address != NULL ? start_side(array, &view, side, handle) : CW_OK;
}

/* Fills my ghost cells. way, corners: as in cw_array_update_ghost_side. If dimension is -1, fills
 * all sides. */
static cw_error fill_mine(cw_array array, int dimension, int way, bool corners)
{
  int64_t first[CW_MAX_DIMENSIONS] = {0}, last[CW_MAX_DIMENSIONS] = {0},
          side[CW_MAX_DIMENSIONS] = {0};
  cw_array_view view;
  cw_handle handle = {0};
  struct cwi_first_error error;
  CWI_TRY(cwi_own_block(array, true, &view));
  if (view.address == NULL)
    return CW_OK;
  for (int d = 0; d < array->dimensions; d++) {
    first[d] = side[d] = d == dimension ? way : -1;
    last[d] = d == dimension ? way : 1;
  }
  cwi_first_begin(&error, cw_handle_set_aggregate(&handle, true));
  do {
    const int away = ghosts_outside(array, side);
    if (away == 1 || (away > 1 && corners))
      cwi_first_note(&error, start_side(array, &view, side, &handle));
  } while (error.error == CW_OK && cwi_index_next(array->dimensions, first, last, side));
  cwi_first_note(&error, cw_wait(&handle));
  return cwi_first_return(&error);
}

/* Fills the ghost cells between two synchronisations. A member takes part in both even if its
 * arguments are wrong (`checked`) or its transfers fail, so that the others do not wait for ever.
 * If the first synchronisation fails, no member enters the second. */
static cw_error ghosts_fill(cw_array array, cw_error checked, int dimension, int way, bool corners)
{
  struct cwi_first_error first;
  bool synchronized = false;
  cwi_first_begin(&first, checked);
  cwi_first_note(&first, cwi_synchronise_first(array->team, &synchronized));
  if (first.error == CW_OK)
    cwi_first_note(&first, fill_mine(array, dimension, way, corners));
  if (synchronized)
    cwi_first_note(&first, cwi_synchronise(array->team));
  return cwi_first_return(&first);
}

static cw_error ghosts_check(cw_array array)
{
  CWI_TRY(cwi_check_array("array", array));
  return cwi_has_ghosts(array) ? CW_OK : cwi_misuse("array '%s' has no ghost cells", array->name);
}

static cw_error ghosts_update(const char *call, cw_array array, cw_error checked, int dimension,
                              int way, bool corners)
{
  const struct cwi_argument agreed[] = {
      cwi_agreed_array("array", array), cwi_argument_int("dimension", &dimension),
      cwi_argument_int("way", &way), cwi_argument_truth("corners", corners), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY(call, array->team, checked == CW_OK ? agreed : NULL,
                          ghosts_fill(array, checked, dimension, way, corners));
}

cw_error cw_array_update_ghosts(cw_array array, bool corners)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_update_ghosts";
  CWI_TRY(cwi_in_call(call, ghosts_check(array)));
  return ghosts_update(call, array, CW_OK, -1, 0, corners);
}

static cw_error check_side(cw_array array, int dimension, int way)
{
  if (dimension < 0 || dimension >= array->dimensions)
    return cwi_misuse("dimension is %d; array '%s' has dimensions 0 to %d", dimension, array->name,
                      array->dimensions - 1);
  return way == -1 || way == 1 ? CW_OK : cwi_misuse("way is %d; it may be -1 or 1", way);
}

cw_error cw_array_update_ghost_side(cw_array array, int dimension, int way, bool corners)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_update_ghost_side";
  CWI_TRY(cwi_in_call(call, cwi_check_array("array", array)));
  const cw_error checked = check_side(array, dimension, way);
  if (!cwi_has_ghosts(array))
    return cwi_in_call(call, checked != CW_OK ? checked : ghosts_check(array));
  return ghosts_update(call, array, checked, dimension, way, corners);
}
