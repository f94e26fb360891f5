/* Route direct: the target's memory is mapped here. Everything is complete on return. */
#include "base/order.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "route/route.h"
#include "team/world.h"

enum { STRIPE_BYTES = 1 << CWI_STRIPE_SHIFT };

/* The stripe that is locked while successive rows stay in its block. */
struct holding {
  uint32_t *stripe;
};

static void hold(struct holding *holding, uint32_t *stripe)
{
  if (holding->stripe == stripe)
    return;
  if (holding->stripe != NULL)
    cwi_unlock(holding->stripe);
  if (stripe != NULL)
    cwi_lock(stripe);
  holding->stripe = stripe;
}

static size_t left_in_block(const char *address)
{
  const size_t offset = (size_t)(address - cwi_zone.base);
  return STRIPE_BYTES - (offset & (STRIPE_BYTES - 1));
}

/* A complex number that crosses into the next block needs both stripes: lower word first. */
static void accumulate_across(const struct cwi_transfer *transfer, cwi_accumulate_kernel kernel,
                              char *remote, const char *local, size_t element)
{
  uint32_t *one = cwi_zone_stripe(remote), *two = cwi_zone_stripe(remote + element - 1);
  uint32_t *low = one < two ? one : two, *high = one < two ? two : one;
  cwi_lock(low);
  cwi_lock(high);
  kernel(remote, 0, local, 0, element, 1, &transfer->scale);
  cwi_unlock(high);
  cwi_unlock(low);
}

/* A row that goes over the end of its block, piece by piece. */
static void accumulate_row(const struct cwi_transfer *transfer, struct holding *holding,
                           char *remote, const char *local, size_t bytes)
{
  const cwi_accumulate_kernel kernel = cwi_accumulate_kernels[transfer->type][transfer->scaled];
  const size_t element = cwi_type_bytes[transfer->type];
  while (bytes > 0) {
    const size_t left = left_in_block(remote);
    size_t part = bytes;
    if (CWI_UNLIKELY(left < element)) {
      part = element;
      hold(holding, NULL);
      accumulate_across(transfer, kernel, remote, local, element);
    } else {
      if (left < bytes)
        part = left / element * element;
      hold(holding, cwi_zone_stripe(remote));
      kernel(remote, 0, local, 0, part, 1, &transfer->scale);
    }
    remote += part;
    local += part;
    bytes -= part;
  }
}

/* One number alone: neither a table nor a loop. */
static void add_double(const void *scale, const void *local, void *remote)
{
  typedef double any_double __attribute__((aligned(1), may_alias));
  const double factor = scale != NULL ? *(const any_double *)scale : 1;
  const double number = *(const any_double *)local;
  const double product = cwi_is_one(factor) ? number : factor * number;
  uint32_t *stripe = cwi_zone_stripe(remote);
  cwi_lock(stripe);
  *(any_double *)remote += product;
  cwi_unlock(stripe);
}

void cwi_direct_accumulate(cw_type type, const void *scale, const void *local, void *remote,
                           size_t bytes)
{
  if (CWI_LIKELY(bytes == sizeof(double) && type == CW_DOUBLE &&
                 left_in_block(remote) >= sizeof(double))) {
    cwi_release();
    add_double(scale, local, remote);
    return;
  }
  struct cwi_transfer transfer;
  struct holding holding = {NULL};
  transfer.type = type;
  transfer.scaled = cwi_scale_read(type, scale, &transfer.scale);
  cwi_release();
  accumulate_row(&transfer, &holding, remote, local, bytes);
  hold(&holding, NULL);
}

/* How many of the next rows lie in this row's block as a whole; 0: not even the first. Where there
 * are few, counting them is faster than a division. */
static size_t rows_in_block(const struct cwi_plane *plane, const char *remote, size_t rows)
{
  const size_t left = left_in_block(remote), stride = (size_t)plane->remote_stride;
  if (left < plane->run)
    return 0;
  if (rows == 1 || plane->remote_stride <= 0)
    return 1;
  if (stride < STRIPE_BYTES / 16) {
    const size_t more = (left - plane->run) / stride;
    return more < rows ? more + 1 : rows;
  }
  size_t count = 1;
  for (size_t end = plane->run + stride; count < rows && end <= left; end += stride)
    count++;
  return count;
}

static void accumulate_plane(const struct cwi_transfer *transfer, const struct cwi_plane *plane)
{
  const cwi_accumulate_kernel kernel = cwi_accumulate_kernels[transfer->type][transfer->scaled];
  struct holding holding = {NULL};
  char *remote = plane->remote;
  const char *local = plane->local;
  for (size_t left = plane->rows; left > 0;) {
    size_t rows = rows_in_block(plane, remote, left);
    if (rows > 0) {
      hold(&holding, cwi_zone_stripe(remote));
      kernel(remote, plane->remote_stride, local, plane->local_stride, plane->run, rows,
             &transfer->scale);
    } else {
      rows = 1;
      accumulate_row(transfer, &holding, remote, local, plane->run);
    }
    remote += (ptrdiff_t)rows * plane->remote_stride;
    local += (ptrdiff_t)rows * plane->local_stride;
    left -= rows;
  }
  hold(&holding, NULL);
}

void cwi_direct_accumulate_rows(cw_type type, const void *scale, const struct cwi_plane *plane)
{
  struct cwi_transfer transfer;
  transfer.type = type;
  transfer.scaled = cwi_scale_read(type, scale, &transfer.scale);
  cwi_release();
  accumulate_plane(&transfer, plane);
}

static void move_plane(const struct cwi_transfer *transfer, const struct cwi_plane *plane)
{
  if (transfer->operation == CW_PUT)
    cwi_copy_rows(plane->remote, plane->remote_stride, plane->local, plane->local_stride,
                  plane->run, plane->rows);
  else if (transfer->operation == CW_GET)
    cwi_copy_rows(plane->local, plane->local_stride, plane->remote, plane->remote_stride,
                  plane->run, plane->rows);
  else
    accumulate_plane(transfer, plane);
}

static cw_error start(const struct cwi_transfer *transfer, bool blocking, cw_handle *handle)
{
  (void)blocking;
  (void)handle;
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  if (transfer->operation != CW_GET)
    cwi_release();
  while (cwi_planes_next(&planes, &plane))
    move_plane(transfer, &plane);
  if (transfer->operation == CW_GET)
    cwi_acquire();
  return CW_OK;
}

static int64_t rmw32(const struct cwi_rmw *rmw)
{
  int32_t *remote = rmw->remote;
  int32_t expected = (int32_t)rmw->expected;
  switch (rmw->operation) {
  case CWI_FETCH_ADD:
    return __atomic_fetch_add(remote, (int32_t)rmw->value, __ATOMIC_SEQ_CST);
  case CWI_SWAP:
    return __atomic_exchange_n(remote, (int32_t)rmw->value, __ATOMIC_SEQ_CST);
  default:
    __atomic_compare_exchange_n(remote, &expected, (int32_t)rmw->value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
  }
}

static int64_t rmw64(const struct cwi_rmw *rmw)
{
  int64_t *remote = rmw->remote;
  int64_t expected = rmw->expected;
  switch (rmw->operation) {
  case CWI_FETCH_ADD:
    return __atomic_fetch_add(remote, rmw->value, __ATOMIC_SEQ_CST);
  case CWI_SWAP:
    return __atomic_exchange_n(remote, rmw->value, __ATOMIC_SEQ_CST);
  default:
    __atomic_compare_exchange_n(remote, &expected, rmw->value, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    return expected;
  }
}

static cw_error rmw(const struct cwi_rmw *given, int64_t *before)
{
  *before = given->width == 4 ? rmw32(given) : rmw64(given);
  return CW_OK;
}

static cw_error notify(const struct cwi_rmw *add)
{
  rmw64(add);
  return CW_OK;
}

static cw_error fence(int process)
{
  (void)process;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return CW_OK;
}

static cw_error fence_all(void)
{
  return fence(0);
}

static cw_error locate(int process, const void *address, size_t bytes, struct cwi_remote *place)
{
  (void)place;
  return CWI_LIKELY(cwi_zone_holds(process, address, bytes))
             ? CW_OK
             : cwi_address_misuse(process, address, bytes);
}

const struct cwi_route cwi_route_direct = {.name = "direct",
                                           .where = CWI_PEER,
                                           .locate = locate,
                                           .start = start,
                                           .rmw = rmw,
                                           .notify = notify,
                                           .fence = fence,
                                           .fence_all = fence_all};
