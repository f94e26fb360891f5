/* Ghost cells: each process gets what surrounds its block from those that own it. */
#include "array/array.h"
#include "sync/barrier.h"
#include "team/collective.h"

#include <causeway/array.h>

/* Which cells: before the block (-1), beside it (0) or after it (1) in each dimension. */
static bool next_side(int dimensions, int side[])
{
  for (int d = dimensions - 1; d >= 0; d--) {
    if (++side[d] <= 1)
      return true;
    side[d] = -1;
  }
  return false;
}

/* Dimensions in which the cells are outside of the block; -1: there are no such cells. */
static int outside(cw_array array, const int side[])
{
  int count = 0;
  for (int d = 0; d < array->dimensions; d++) {
    if (side[d] != 0 && array->axes[d].ghosts == 0)
      return -1;
    count += side[d] != 0;
  }
  return count;
}

/* Start getting the cells of one side into my memory. view: of my block with its ghosts. */
static cw_error start_side(cw_array array, const cw_array_view *view, const int side[],
                           cw_handle *handle)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], ld[CW_MAX_DIMENSIONS];
  char *buffer = view->address;
  for (int d = 0; d < array->dimensions; d++) {
    const int64_t width = array->axes[d].ghosts;
    const int64_t first = view->lo[d] + width; /* of the block */
    const int64_t last = view->lo[d] + view->extents[d] - width - 1;
    lo[d] = side[d] < 0 ? first - width : side[d] > 0 ? last + 1 : first;
    hi[d] = side[d] < 0 ? first - 1 : side[d] > 0 ? last + width : last;
    buffer += (lo[d] - view->lo[d]) * view->strides[d];
    if (d > 0)
      ld[d - 1] = view->extents[d];
  }
  const cw_patch patch = {
      .operation = CW_GET, .lo = lo, .hi = hi, .periodic = true, .buffer = buffer, .ld = ld};
  return cw_array_start(array, &patch, handle);
}

static cw_error fill_mine(cw_array array, bool corners)
{
  int side[CW_MAX_DIMENSIONS] = {0};
  int64_t block[CW_MAX_DIMENSIONS] = {0};
  cw_array_view view;
  cw_handle handle = {0};
  struct cwi_first_error first;
  if (cwi_rank_bytes(array, array->team->rank) == 0)
    return CW_OK;
  cwi_holder_coordinates(array, cwi_rank_holder(array, array->team->rank), block);
  CWI_TRY(cw_array_access_block(array, cwi_block_number(array, block), true, &view));
  for (int d = 0; d < array->dimensions; d++)
    side[d] = -1;
  cwi_first_begin(&first, cw_handle_set_aggregate(&handle, true));
  do {
    const int away = outside(array, side);
    if (away == 1 || (away > 1 && corners))
      cwi_first_note(&first, start_side(array, &view, side, &handle));
  } while (first.error == CW_OK && next_side(array->dimensions, side));
  cwi_first_note(&first, cw_wait(&handle));
  return cwi_first_return(&first);
}

/* Nobody leaves the others waiting, whatever fails. */
static cw_error update(cw_array array, bool corners)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_synchronise(array->team));
  cwi_first_note(&first, fill_mine(array, corners));
  cwi_first_note(&first, cwi_synchronise(array->team));
  return cwi_first_return(&first);
}

static cw_error check(cw_array array)
{
  CWI_TRY(cwi_check_array("array", array));
  for (int d = 0; d < array->dimensions; d++)
    if (array->axes[d].ghosts > 0)
      return CW_OK;
  return cwi_misuse("array '%s' has no ghost cells", array->name);
}

cw_error cw_array_update_ghosts(cw_array array, bool corners)
{
  struct cwi_waiting outer;
  CWI_TRY(cwi_in_call("cw_array_update_ghosts", check(array)));
  cw_error error =
      cwi_collective_begin("cw_array_update_ghosts", array->team, cwi_agreed_nothing(), &outer);
  if (error == CW_OK)
    error = update(array, corners);
  cwi_collective_end(&outer);
  return cwi_in_call("cw_array_update_ghosts", error);
}
