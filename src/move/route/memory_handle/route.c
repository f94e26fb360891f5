/* Route memory_handle: memory of a process of my node that a handle names. Memory of the zone is
 * loaded and stored; private memory is copied by the kernel or by the owner's agent. Accumulates on
 * private memory read, add and write under the zone's stripe locks, by the owner's address. */
#include "route/memory_handle/memory_handle.h"

#include "base/lock.h"
#include "base/order.h"
#include "memory/zone.h"
#include "number/kernels.h"
#include "route/memory_handle/reach.h"
#include "route/route.h"

#include <string.h>

/* Pieces that move at once, and bytes that are added at once. */
enum { PIECES = 128, BUFFER = 1 << 15, STRIPE_BYTES = 1 << CWI_STRIPE_SHIFT };

/* --- Puts and gets ---------------------------------------------------------------------------- */

struct batch {
  const struct cwi_memory_handle *memory;
  bool write;
  size_t count;
  struct iovec mine[PIECES], there[PIECES];
};

static cw_error memory_handle_flush(struct batch *batch)
{
  const size_t count = batch->count;
  batch->count = 0;
  return count > 0 ? cwi_reach(batch->memory, batch->write, batch->mine, batch->there, count)
                   : CW_OK;
}

static cw_error add(struct batch *batch, char *mine, char *there, size_t bytes)
{
  if (batch->count == PIECES)
    CWI_TRY(memory_handle_flush(batch));
  batch->mine[batch->count] = (struct iovec){mine, bytes};
  batch->there[batch->count++] = (struct iovec){there, bytes};
  return CW_OK;
}

static cw_error move_all(const struct cwi_memory_handle *memory,
                         const struct cwi_transfer *transfer)
{
  struct batch batch;
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  batch.memory = memory;
  batch.write = transfer->operation == CW_PUT;
  batch.count = 0;
  while (cwi_planes_next(&planes, &plane))
    for (size_t row = 0; row < plane.rows; row++)
      CWI_TRY(add(&batch, plane.local + (ptrdiff_t)row * plane.local_stride,
                  plane.remote + (ptrdiff_t)row * plane.remote_stride, plane.run));
  return memory_handle_flush(&batch);
}

/* --- Accumulates ------------------------------------------------------------------------------ */

/* All processes of a node hash the owner's address: they may have the zone at different ones. */
static uint32_t *stripe_of(const char *there)
{
  const size_t number = (size_t)((uintptr_t)there >> CWI_STRIPE_SHIFT) % CWI_STRIPES;
  return &cwi_zone.header->stripes[number].lock;
}

static size_t left_under_stripe(const char *there)
{
  return STRIPE_BYTES - ((uintptr_t)there & (STRIPE_BYTES - 1));
}

static cw_error memory_handle_copy(const struct cwi_memory_handle *memory, bool write, char *mine,
                                   char *there, size_t bytes)
{
  struct iovec here = {mine, bytes}, other = {there, bytes};
  return cwi_reach(memory, write, &here, &other, 1);
}

/* What becomes of elements; a fetching update, or an accumulate. */
struct change {
  const struct cwi_memory_handle *memory;
  int operation; /* cw_reduction, or CWI_COMPARE_SWAP */
  cw_type type;
  bool scaled;
  const union cwi_scalar *scale;
  const char *expected; /* compare-and-swap */
};

static void change_copy(const struct change *change, char *elements, const char *operands,
                        size_t bytes)
{
  if (change->operation != CWI_COMPARE_SWAP)
    cwi_update_kernel((cw_reduction)change->operation, change->type,
                      change->scaled)(elements, 0, operands, 0, bytes, 1, change->scale);
  else if (operands != NULL && memcmp(elements, change->expected, bytes) == 0)
    memcpy(elements, operands, bytes);
}

/* Under the stripe's lock. before: receives what was there; or NULL. */
static cw_error change_piece(const struct change *change, char *there, const char *operands,
                             char *before, size_t bytes)
{
  _Alignas(64) char elements[BUFFER];
  CWI_TRY(memory_handle_copy(change->memory, false, elements, there, bytes));
  if (before != NULL)
    memcpy(before, elements, bytes);
  if (change->operation == CW_NO_OP)
    return CW_OK;
  change_copy(change, elements, operands, bytes);
  return memory_handle_copy(change->memory, true, elements, there, bytes);
}

/* An element that lies under two stripes needs both stripes: lower word first. */
static cw_error change_locked(const struct change *change, char *there, const char *operands,
                              char *before, size_t bytes)
{
  uint32_t *one = stripe_of(there), *two = stripe_of(there + bytes - 1);
  uint32_t *low = one < two ? one : two, *high = one < two ? two : one;
  cwi_lock(low);
  if (high != low)
    cwi_lock(high);
  const cw_error error = change_piece(change, there, operands, before, bytes);
  if (high != low)
    cwi_unlock(high);
  cwi_unlock(low);
  return error;
}

static cw_error change_row(const struct change *change, char *there, const char *operands,
                           char *before, size_t bytes)
{
  const size_t element = cwi_type_bytes[change->type];
  while (bytes > 0) {
    const size_t left = left_under_stripe(there);
    size_t part = bytes < BUFFER ? bytes : BUFFER;
    part = part <= left ? part : left / element * element;
    part = part > 0 ? part : element;
    CWI_TRY(change_locked(change, there, operands, before, part));
    there += part;
    operands = operands != NULL ? operands + part : NULL;
    before = before != NULL ? before + part : NULL;
    bytes -= part;
  }
  return CW_OK;
}

static cw_error add_all(const struct cwi_memory_handle *memory, const struct cwi_transfer *transfer)
{
  const struct change change = {.memory = memory,
                                .operation = (int)transfer->reduction,
                                .type = transfer->type,
                                .scaled = transfer->scaled,
                                .scale = &transfer->scale};
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane))
    for (size_t row = 0; row < plane.rows; row++)
      CWI_TRY(change_row(&change, plane.remote + (ptrdiff_t)row * plane.remote_stride,
                         plane.local + (ptrdiff_t)row * plane.local_stride, NULL, plane.run));
  return CW_OK;
}

/* --- The route -------------------------------------------------------------------------------- */

/* The region may have gone before the handle. */
static cw_error check_in_zone(const struct cwi_memory_handle *memory)
{
  return cwi_route_direct.locate(memory->entry->slice_owner, memory->address, memory->bytes,
                                 &(struct cwi_remote){0});
}

/* Errors: those of both; then it has not been entered. */
static cw_error enter_in_zone(const struct cwi_memory_handle *memory)
{
  CWI_TRY(cwi_memory_handle_enter(memory));
  const cw_error error = check_in_zone(memory);
  if (error != CW_OK)
    cwi_memory_handle_leave(memory);
  return error;
}

/* The processor's atomics reach what is mapped here. */
static cw_error check_locked(bool locked)
{
  return CWI_LIKELY(locked) ? CW_OK
                            : cwi_outside("updates of private memory that a handle names are never "
                                          "lock-free");
}

static cw_error memory_handle_start(const struct cwi_transfer *transfer, bool blocking,
                                    cw_handle *handle)
{
  const struct cwi_memory_handle *memory = transfer->place.memory;
  const bool adds = transfer->operation == CW_ACCUMULATE;
  if (memory->in_zone) {
    CWI_TRY(enter_in_zone(memory));
    const cw_error error = cwi_route_direct.start(transfer, blocking, handle);
    cwi_memory_handle_leave(memory);
    return error;
  }
  CWI_TRY(check_locked(!adds || !transfer->lock_free));
  CWI_TRY(cwi_memory_handle_enter(memory));
  if (transfer->operation != CW_GET)
    cwi_release();
  const cw_error error = adds ? add_all(memory, transfer) : move_all(memory, transfer);
  if (transfer->operation == CW_GET)
    cwi_acquire();
  cwi_memory_handle_leave(memory);
  return error;
}

static cw_error change_all(const struct cwi_memory_handle *memory, const struct cwi_update *update)
{
  const union cwi_scalar none = {.d = {0, 0}};
  const struct change change = {.memory = memory,
                                .operation = update->operation,
                                .type = update->type,
                                .scale = &none,
                                .expected = (const char *)update->expected.bytes};
  return change_row(&change, update->remote, cwi_update_operands(update), update->before,
                    cwi_update_bytes(update));
}

static cw_error memory_handle_update(const struct cwi_update *given, bool blocking,
                                     cw_handle *handle)
{
  const struct cwi_memory_handle *memory = given->place.memory;
  if (memory->in_zone) {
    CWI_TRY(enter_in_zone(memory));
    const cw_error error = cwi_route_direct.update(given, blocking, handle);
    cwi_memory_handle_leave(memory);
    return error;
  }
  CWI_TRY(check_locked(given->locked));
  CWI_TRY(cwi_memory_handle_enter(memory));
  cwi_release();
  const cw_error error = change_all(memory, given);
  cwi_acquire();
  cwi_memory_handle_leave(memory);
  return error;
}

static cw_error memory_handle_locate(int process, const void *address, size_t bytes,
                                     struct cwi_remote *place)
{
  (void)process;
  return cwi_memory_handle_holds(place->memory, address, bytes);
}

static cw_error memory_handle_fence(int process)
{
  return cwi_route_direct.fence(process);
}

static cw_error memory_handle_fence_all(void)
{
  return cwi_route_direct.fence_all();
}

const struct cwi_route cwi_route_memory_handle = {.name = "memory handle",
                                                  .where = CWI_PEER,
                                                  .locate = memory_handle_locate,
                                                  .start = memory_handle_start,
                                                  .update = memory_handle_update,
                                                  .fence = memory_handle_fence,
                                                  .fence_all = memory_handle_fence_all};
