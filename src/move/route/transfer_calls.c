/* The public transfer calls: check, choose the route, start, complete. */
#include "base/memory_order.h"
#include "base/operation_counts.h"
#include "base/size.h"
#include "machine/rows.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "profile/counted_call.h"
#include "route/device/device_route.h"
#include "route/route.h"
#include "team/world.h"

cw_error cwi_start_by(const struct cwi_route *route, const struct cwi_location *place,
                      const cw_transfer *given, bool blocking, cw_handle *handle)
{
  struct cwi_transfer transfer;
  bool locked;
  transfer.place = *place;
  CWI_TRY(cwi_transfer_check(given, route->locate, &transfer));
  if (transfer.shape.bytes == 0)
    return CW_OK;
  if (CWI_UNLIKELY(!cwi_is_unobserved()))
    cwi_note_transfer(given->operation, cwi_route_where(route, given->process), given->process,
                      &transfer.shape);
  if (cwi_route_is_direct(route))
    cwi_route_progress_sometimes();
  CWI_TRY(cwi_route_enter(route, given->process, &locked));
  const cw_error error = route->start(&transfer, blocking, handle);
  cwi_route_leave(locked);
  return error;
}

/* Starts each segment of a list by its own route, after all segments have been checked. The
 * segments may lie partly on devices and partly in host memory. Those of an accumulate to a node
 * peer may lie partly in regions that MPI updates and partly in regions that the processor
 * updates. */
static cw_error start_segments(const cw_transfer *given, bool blocking, cw_handle *handle)
{
  struct cwi_transfer whole;
  whole.place = (struct cwi_location){0};
  CWI_TRY(cwi_transfer_check(given, cwi_route_locate_now, &whole));
  for (size_t v = 0; v < given->vector_count; v++)
    for (size_t i = 0; given->vectors[v].bytes > 0 && i < given->vectors[v].count; i++) {
      cw_transfer one = *given;
      one.vectors = NULL;
      one.vector_count = 0;
      one.levels = 0; /* a list has no levels; the field may hold any value */
      one.local = given->vectors[v].local[i];
      one.remote = given->vectors[v].remote[i];
      one.bytes = given->vectors[v].bytes;
      CWI_TRY(cwi_start_transfer(&one, blocking, handle));
    }
  return CW_OK;
}

/* Returns true if the process may have slices on devices. A process may know such addresses even if
 * it is not a member of any region with slices there. */
static bool may_have_devices(int process)
{
  return !cwi_same_node(process) ||
         __atomic_load_n(&cwi_zone.header->on_device, __ATOMIC_RELAXED) != 0;
}

/* Returns true if some segments are on devices and others are not. */
static bool is_mixed(const cw_transfer *given)
{
  size_t all = 0, on_device = 0;
  if (!cwi_is_possible(given->vector_count, sizeof *given->vectors)) /* a later check rejects it */
    return false;
  for (size_t v = 0; v < given->vector_count; v++) {
    const cw_vector *vector = &given->vectors[v];
    if (!cwi_is_possible(vector->count,
                         sizeof *vector->remote)) /* a later check rejects it; do not read it */
      return false;
    for (size_t i = 0; vector->remote != NULL && vector->bytes > 0 && i < vector->count; i++) {
      on_device += cwi_is_device_address(vector->remote[i]);
      all++;
    }
  }
  return on_device > 0 && on_device < all;
}

/* Checks what the choice of the route depends on, and starts the transfer. A transfer is staged if
 * its local side lies on a device. A list is started segment by segment if its segments may need
 * several routes. */
static cw_error start_checked(const cw_transfer *given, bool blocking, cw_handle *handle)
{
  if (CWI_UNLIKELY(given == NULL))
    return cwi_misuse("transfer is NULL");
  CWI_TRY(cwi_check_process(given->process));
  CWI_TRY(cwi_handle_claim(handle));
  if (CWI_UNLIKELY(given->local_device))
    return cwi_device_stage(given, cwi_start_transfer);
  const bool mixed = given->operation == CW_ACCUMULATE && given->vectors != NULL &&
                     !cwi_ready.atomics && cwi_route_direct_reaches(given->process);
  if (CWI_UNLIKELY(mixed ||
                   (given->vectors != NULL && may_have_devices(given->process) && is_mixed(given))))
    return start_segments(given, blocking, handle);
  struct cwi_location place = {0};
  const struct cwi_route *route = cwi_transfer_route(given, &place);
  return cwi_start_by(route, &place, given, blocking, handle);
}

/* Returns true if plain loads and stores can do the transfer and both buffers exist. */
static inline __attribute__((always_inline)) bool can_move(int process, const void *local,
                                                           const void *remote, size_t bytes)
{
  return (unsigned)process < (unsigned)cwi_world.processes && cwi_is_ready(process) &&
         local != NULL && cwi_zone_holds(process, remote, bytes);
}

/* Returns true if the transfer may take the short path: a bounds check, a branch, a move. Most
 * transfers move a few bytes of a node peer. If operations are counted, transfers take the long
 * path. */
static inline __attribute__((always_inline)) bool may_move(int process, const void *local,
                                                           const void *remote, size_t bytes)
{
  return cwi_is_unobserved() && can_move(process, local, remote, bytes);
}

/* Returns true if the processor may do the accumulate and `bytes` are whole elements, whose sizes
 * are powers of two. */
static inline bool may_accumulate(cw_type type, size_t bytes)
{
  return cwi_ready.atomics && (unsigned)type < CW_TYPES &&
         (bytes & (cwi_type_bytes[type] - 1)) == 0;
}

/* Returns true if plain loads and stores can move all rows of the plane. Rows that touch are one
 * contiguous run, which the general path moves faster. Products of numbers below `most` cannot
 * overflow. */
static inline bool may_move_rows(int process, const struct cwi_plane *plane)
{
  const size_t most = (size_t)1 << 31;
  const size_t run = plane->run, rows = plane->rows;
  const size_t local = (size_t)plane->local_stride, remote = (size_t)plane->remote_stride;
  if (run - 1 >= most || rows - 1 >= most || local >= most || remote >= most ||
      (local == run && remote == run))
    return false;
  return may_move(process, plane->local, plane->remote, (rows - 1) * remote + run);
}

bool cwi_try_put_rows(int process, const struct cwi_plane *plane)
{
  if (!may_move_rows(process, plane))
    return false;
  cwi_release();
  cwi_copy_rows(plane->remote, plane->remote_stride, plane->local, plane->local_stride, plane->run,
                plane->rows);
  cwi_route_progress_sometimes();
  return true;
}

bool cwi_try_get_rows(int process, const struct cwi_plane *plane)
{
  if (!may_move_rows(process, plane))
    return false;
  cwi_copy_rows(plane->local, plane->local_stride, plane->remote, plane->remote_stride, plane->run,
                plane->rows);
  cwi_acquire();
  cwi_route_progress_sometimes();
  return true;
}

bool cwi_try_accumulate_rows(cw_type type, const void *scale, int process,
                             const struct cwi_plane *plane)
{
  if (!may_accumulate(type, plane->run) || !may_move_rows(process, plane))
    return false;
  cwi_direct_accumulate_rows(type, scale, plane);
  cwi_route_progress_sometimes();
  return true;
}

/* Moves the rows of a simple two-dimensional transfer. Returns false if the general path has to do
 * it, which also reports errors. */
static bool transfer_move_rows(const cw_transfer *given)
{
  if (given == NULL || given->levels != 1 || given->local_device || given->vectors != NULL ||
      given->vector_count != 0 || given->counts == NULL || given->local_strides == NULL ||
      given->remote_strides == NULL)
    return false;
  const struct cwi_plane plane = {
      given->local,     given->remote,           given->bytes,
      given->counts[0], given->local_strides[0], given->remote_strides[0]};
  if (given->operation == CW_PUT)
    return cwi_try_put_rows(given->process, &plane);
  if (given->operation == CW_GET)
    return cwi_try_get_rows(given->process, &plane);
  return given->operation == CW_ACCUMULATE && given->reduction == CW_SUM && !given->lock_free &&
         cwi_try_accumulate_rows(given->type, given->scale, given->process, &plane);
}

cw_error cwi_start_transfer(const cw_transfer *given, bool blocking, cw_handle *handle)
{
  if (CWI_LIKELY(transfer_move_rows(given)))
    return CW_OK;
  CWI_TRY(cwi_mpi_enter());
  const cw_error error = start_checked(given, blocking, handle);
  cwi_mpi_leave();
  return error;
}

cw_error cw_transfer_run(const cw_transfer *transfer)
{
  CWI_PROFILED(cwi_class_of_transfer(transfer));
  return cwi_in_call("cw_transfer_run", cwi_start_transfer(transfer, true, NULL));
}

cw_error cw_transfer_start(const cw_transfer *transfer, cw_handle *handle)
{
  CWI_PROFILED(cwi_class_of_transfer(transfer));
  CWI_TRY(cwi_in_call("cw_transfer_start", cwi_handle_check(handle)));
  return cwi_in_call("cw_transfer_start", cwi_start_transfer(transfer, false, handle));
}

static __attribute__((noinline)) cw_error move_by_route(const char *call, cw_operation operation,
                                                        const void *local, const void *remote,
                                                        size_t bytes, int process)
{
  CWI_PROFILED_AS(call, (cw_call_class)operation);
  const cw_transfer transfer =
      cw_contiguous(operation, (void *)(uintptr_t)local, (void *)(uintptr_t)remote, bytes, process);
  cw_error error = cwi_mpi_enter(); /* not cwi_start_transfer, which would first try to move rows */
  if (error == CW_OK) {
    error = start_checked(&transfer, true, NULL);
    cwi_mpi_leave();
  }
  return cwi_in_call(call, error);
}

/* Handles all other cases out of line, so that the short path saves no registers for them. If only
 * the profile observes transfers, this counts the call and then moves as the short path does,
 * provided that loads and stores can reach the local buffer. */
static __attribute__((noinline)) cw_error move_slowly(const char *call, cw_operation operation,
                                                      const void *local, const void *remote,
                                                      size_t bytes, int process)
{
  __attribute__((cleanup(cwi_call_leave))) struct cwi_profiled_call this_call;
  this_call.thread = NULL;
  if ((cwi_settings.observed & CWI_OBSERVED_BY_OTHERS) != 0 || bytes == 0 ||
      !can_move(process, local, remote, bytes) || !cwi_is_loadable(local))
    return move_by_route(call, operation, local, remote, bytes, process);
  if (cwi_is_profiled())
    cwi_call_enter_counted(&this_call, call, (enum cwi_counted)operation,
                           process == cwi_world.process ? CWI_OWN : CWI_PEER, process, remote,
                           bytes);
  if (operation == CW_PUT) {
    cwi_release();
    cwi_route_move((void *)(uintptr_t)remote, local, bytes);
  } else {
    cwi_route_move((void *)(uintptr_t)local, remote, bytes);
    cwi_acquire();
  }
  return CW_OK;
}

cw_error cw_put(const void *local, void *remote, size_t bytes, int process)
{
  if (CWI_UNLIKELY(!may_move(process, local, remote, bytes)))
    return move_slowly("cw_put", CW_PUT, local, remote, bytes, process);
  cwi_release();
  cwi_route_move(remote, local, bytes);
  return CW_OK;
}

cw_error cw_get(void *local, const void *remote, size_t bytes, int process)
{
  if (CWI_UNLIKELY(!may_move(process, local, remote, bytes)))
    return move_slowly("cw_get", CW_GET, local, remote, bytes, process);
  cwi_route_move(local, remote, bytes);
  cwi_acquire();
  return CW_OK;
}

static __attribute__((noinline, cold)) cw_error accumulate_slowly(cw_type type, const void *scale,
                                                                  const void *local, void *remote,
                                                                  size_t bytes, int process)
{
  CWI_PROFILED_AS("cw_accumulate", CW_CALL_ACCUMULATE);
  cw_transfer transfer =
      cw_contiguous(CW_ACCUMULATE, (void *)(uintptr_t)local, remote, bytes, process);
  transfer.type = type;
  transfer.scale = scale;
  return cwi_in_call("cw_accumulate", cwi_start_transfer(&transfer, true, NULL));
}

cw_error cw_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                       size_t bytes, int process)
{
  if (CWI_LIKELY(may_accumulate(type, bytes) && may_move(process, local, remote, bytes))) {
    cwi_direct_accumulate(type, scale, local, remote, bytes);
    cwi_route_progress_sometimes();
    return CW_OK;
  }
  return accumulate_slowly(type, scale, local, remote, bytes, process);
}
