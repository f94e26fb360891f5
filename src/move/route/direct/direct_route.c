/* The direct route: the target's memory is mapped here. Everything is complete on return. */
#include "base/memory_order.h"
#include "machine/rows.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/slice_index.h"
#include "route/direct/stripes.h"
#include "route/route.h"
#include "team/world.h"

#include <string.h>

enum { STRIPE_BYTES = 1 << CWI_STRIPE_SHIFT };

static cwi_accumulate_kernel kernel_of(const struct cwi_transfer *transfer)
{
  return cwi_update_kernel(transfer->reduction, transfer->type, transfer->scaled);
}

/* Accumulates one element that lies under two stripes, a complex number or an unaligned one. */
static void accumulate_across(const struct cwi_transfer *transfer, cwi_accumulate_kernel kernel,
                              char *remote, const char *local, size_t element)
{
  const struct cwi_across across = cwi_lock_across(remote, element);
  kernel(remote, 0, local, 0, element, 1, &transfer->scale);
  cwi_unlock_across(&across);
}

/* Returns true if an accumulate of the plane may change source bytes before it reads them. Memory
 * of the zone and other memory do not overlap. (Other memory may be a target, too, through a handle
 * of my own.) If rows of both sides alternate without overlap, the result is true nevertheless. */
static inline bool plane_runs_into_itself(const struct cwi_plane *plane)
{
  if (plane->rows == 1)
    return cwi_runs_into_itself(plane->remote, plane->local, plane->run);
  if (CWI_LIKELY(cwi_zone_has(plane->local) != cwi_zone_has(plane->remote)))
    return false;
  const struct cwi_extent to = cwi_rows_extent(plane->remote, plane->remote_stride, plane);
  const struct cwi_extent from = cwi_rows_extent(plane->local, plane->local_stride, plane);
  return to.begin < from.end && from.begin < to.end;
}

/* Accumulates a row that lies under several stripes, stripe by stripe. */
static void accumulate_stripes(const struct cwi_transfer *transfer, struct cwi_holding *holding,
                               char *remote, const char *local, size_t bytes)
{
  const cwi_accumulate_kernel kernel = kernel_of(transfer);
  const size_t element = cwi_type_bytes[transfer->type];
  while (bytes > 0) {
    const size_t left = cwi_left_under_stripe(remote);
    size_t part = bytes;
    if (CWI_UNLIKELY(left < element)) {
      part = element;
      cwi_stripe_hold(holding, NULL);
      accumulate_across(transfer, kernel, remote, local, element);
    } else {
      if (left < bytes)
        part = left / element * element;
      cwi_stripe_hold(holding, cwi_zone_stripe(remote));
      kernel(remote, 0, local, 0, part, 1, &transfer->scale);
    }
    remote += part;
    local += part;
    bytes -= part;
  }
}

/* Accumulates from the last element to the first, through a buffer, so that each element is read
 * before it changes. */
static __attribute__((noinline, cold)) void
accumulate_backwards(const struct cwi_transfer *transfer, struct cwi_holding *holding, char *remote,
                     const char *local, size_t bytes)
{
  char copy[4096]; /* a whole number of elements */
  while (bytes > 0) {
    const size_t part = bytes < sizeof copy ? bytes : sizeof copy;
    bytes -= part;
    memcpy(copy, local + bytes, part);
    accumulate_stripes(transfer, holding, remote + bytes, copy, part);
  }
}

/* Accumulates a row. All of the source is read before it changes, as by memmove. */
static void accumulate_row(const struct cwi_transfer *transfer, struct cwi_holding *holding,
                           char *remote, const char *local, size_t bytes)
{
  if (CWI_UNLIKELY(cwi_runs_into_itself(remote, local, bytes)))
    accumulate_backwards(transfer, holding, remote, local, bytes);
  else
    accumulate_stripes(transfer, holding, remote, local, bytes);
}

/* Adds one number, without a table or a loop. */
static void add_double(const void *scale, const void *local, void *remote)
{
  typedef double any_double __attribute__((aligned(1), may_alias));
  const double factor = scale != NULL ? *(const any_double *)scale : 1;
  const double number = *(const any_double *)local;
  const double product = factor == 1.0 ? number : factor * number;
  uint32_t *stripe = cwi_zone_stripe(remote);
  cwi_lock(stripe);
  *(any_double *)remote += product;
  cwi_unlock(stripe);
}

void cwi_direct_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                           size_t bytes)
{
  if (CWI_LIKELY(bytes == sizeof(double) && type == CW_DOUBLE &&
                 cwi_left_under_stripe(remote) >= sizeof(double))) {
    cwi_release();
    add_double(scale, local, remote);
    return;
  }
  struct cwi_transfer transfer;
  struct cwi_holding holding = {NULL};
  transfer.type = type;
  transfer.reduction = CW_SUM;
  transfer.scaled = cwi_scale_read(type, scale, &transfer.scale);
  cwi_release();
  accumulate_row(&transfer, &holding, remote, local, bytes);
  cwi_stripe_hold(&holding, NULL);
}

/* Returns the number of rows, counted from the one at `remote`, that lie entirely under the stripe
 * of that row; 0 if even the first one does not. `rows_per_byte` is the reciprocal of the stride,
 * or 0 if rows are taken one by one. The rounded reciprocal is exact enough: multiplied by a whole
 * number below 2^17, it never yields a whole number above the exact quotient. */
static inline size_t rows_under_stripe(const struct cwi_plane *plane, const char *remote,
                                       size_t rows, double rows_per_byte)
{
  const size_t left = cwi_left_under_stripe(remote);
  if (CWI_UNLIKELY(left < plane->run))
    return 0;
  const size_t fit = (size_t)((double)(left - plane->run) * rows_per_byte) + 1;
  return fit < rows ? fit : rows;
}

/* Accumulates a plane. One kernel call adds as many rows as lie under one stripe; a row under
 * several stripes is added by itself. */
static void accumulate_plane(const struct cwi_transfer *transfer, const struct cwi_plane *plane)
{
  const cwi_accumulate_kernel kernel = kernel_of(transfer);
  const bool one_by_one = plane_runs_into_itself(plane);
  const double rows_per_byte =
      plane->rows > 1 && plane->remote_stride > 0 ? 1.0 / (double)plane->remote_stride : 0;
  const size_t most = cwi_rows_in_flight(plane->remote_stride, plane->run);
  struct cwi_holding holding = {NULL};
  char *remote = plane->remote;
  const char *local = plane->local;
  for (size_t left = plane->rows; left > 0;) {
    size_t rows = CWI_UNLIKELY(one_by_one)
                      ? 0
                      : rows_under_stripe(plane, remote, left < most ? left : most, rows_per_byte);
    if (CWI_LIKELY(rows > 0)) {
      cwi_stripe_hold(&holding, cwi_zone_stripe(remote));
      kernel(remote, plane->remote_stride, local, plane->local_stride, plane->run, rows,
             &transfer->scale);
    } else {
      rows = 1;
      accumulate_row(transfer, &holding, remote, local, plane->run);
    }
    remote += (ptrdiff_t)rows * plane->remote_stride;
    local += (ptrdiff_t)rows * plane->local_stride;
    left -= rows;
    if (rows == most)
      cwi_drain_stores();
  }
  cwi_stripe_hold(&holding, NULL);
}

void cwi_direct_accumulate_rows(cw_type type, const void *scale, const struct cwi_plane *plane)
{
  struct cwi_transfer transfer;
  transfer.type = type;
  transfer.reduction = CW_SUM;
  transfer.scaled = cwi_scale_read(type, scale, &transfer.scale);
  cwi_release();
  accumulate_plane(&transfer, plane);
}

/* Accumulates a row by the processor's atomics. A scaled row goes through a buffer. So does a row
 * that would change its source before reading it; it is taken from its end. */
static void add_atomically(const struct cwi_transfer *transfer, cwi_atomic_kernel add, char *remote,
                           const char *local, size_t bytes)
{
  const size_t element = cwi_type_bytes[transfer->type];
  const bool backwards = cwi_runs_into_itself(remote, local, bytes);
  char copy[256];
  if (!transfer->scaled && !CWI_UNLIKELY(backwards)) {
    add(remote, local, NULL, bytes / element);
    return;
  }
  for (size_t done = 0, part = 0; done < bytes; done += part) {
    part = bytes - done < sizeof copy ? bytes - done : sizeof copy;
    const size_t at = backwards ? bytes - done - part : done;
    if (transfer->scaled)
      cwi_scale_kernels[transfer->type](copy, 0, local + at, 0, part, 1, &transfer->scale);
    else
      memcpy(copy, local + at, part);
    add(remote + at, copy, NULL, part / element);
  }
}

/* Accumulates a plane without locks. Elements of 16 bytes have no atomics and use the stripes. */
static void accumulate_lock_free(const struct cwi_transfer *transfer, const struct cwi_plane *plane)
{
  const cwi_atomic_kernel add = cwi_atomic_kernel_of(transfer->reduction, transfer->type);
  char *remote = plane->remote;
  const char *local = plane->local;
  if (add == NULL) {
    accumulate_plane(transfer, plane);
    return;
  }
  for (size_t rows = plane->rows; rows > 0; rows--) {
    add_atomically(transfer, add, remote, local, plane->run);
    remote += plane->remote_stride;
    local += plane->local_stride;
  }
}

void cwi_direct_entries(const struct cwi_transfer *transfer, const char *entries, size_t distance,
                        size_t count)
{
  const size_t run = transfer->shape.run;
  const bool puts = transfer->operation == CW_PUT;
  const cwi_atomic_kernel add = !puts && transfer->lock_free
                                    ? cwi_atomic_kernel_of(transfer->reduction, transfer->type)
                                    : NULL;
  struct cwi_holding holding = {NULL};
  cwi_release();
  for (size_t i = 0; i < count; i++, entries += distance) {
    uint64_t offset = 0;
    memcpy(&offset, entries, sizeof offset);
    char *remote = cwi_zone.base + offset;
    if (puts)
      cwi_copy_rows(remote, 0, entries + 8, 0, run, 1);
    else if (add != NULL)
      add_atomically(transfer, add, remote, entries + 8, run);
    else
      accumulate_row(transfer, &holding, remote, entries + 8, run);
  }
  cwi_stripe_hold(&holding, NULL);
}

static cw_error direct_start(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  (void)blocking;
  (void)handle;
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  if (transfer->operation != CW_GET)
    cwi_release();
  while (cwi_planes_next(&planes, &plane))
    if (transfer->operation == CW_PUT)
      cwi_copy_rows(plane.remote, plane.remote_stride, plane.local, plane.local_stride, plane.run,
                    plane.rows);
    else if (transfer->operation == CW_GET)
      cwi_copy_rows(plane.local, plane.local_stride, plane.remote, plane.remote_stride, plane.run,
                    plane.rows);
    else if (transfer->lock_free)
      accumulate_lock_free(transfer, &plane);
    else
      accumulate_plane(transfer, &plane);
  if (transfer->operation == CW_GET)
    cwi_acquire();
  return CW_OK;
}

static cw_error direct_update(const struct cwi_update *given, bool blocking, cw_handle *handle)
{
  (void)blocking;
  (void)handle;
  cwi_direct_update(given);
  return CW_OK;
}

static cw_error direct_notify(const struct cwi_update *add)
{
  cwi_direct_update(add);
  return CW_OK;
}

static cw_error direct_fence(int process)
{
  (void)process;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return CW_OK;
}

static cw_error direct_locate(int process, const void *address, size_t bytes,
                              struct cwi_location *place)
{
  (void)place;
  return CWI_LIKELY(cwi_zone_holds(process, address, bytes))
             ? CW_OK
             : cwi_address_misuse(process, address, bytes);
}

static enum cwi_route_reach direct_reaches(int process, enum cwi_route_use use)
{
  if (use > CWI_HOST_UPDATE || !cwi_route_direct_reaches(process))
    return CWI_REACH_NONE;
  return use == CWI_HOST_TRANSFER || cwi_ready.atomics ? CWI_REACH_ALL : CWI_REACH_SOME;
}

/* Leaves updates to MPI if they touch a region of a team that spans nodes. */
static bool direct_carries(int process, const void *remote, const cw_transfer *transfer,
                           struct cwi_location *place)
{
  (void)transfer;
  return !cwi_slice_index_at(process, remote, place);
}

const struct cwi_route cwi_route_direct = {.name = "direct",
                                           .where = CWI_PEER,
                                           .reaches = direct_reaches,
                                           .carries = direct_carries,
                                           .locate = direct_locate,
                                           .start = direct_start,
                                           .update = direct_update,
                                           .notify = direct_notify,
                                           .fence = direct_fence};
