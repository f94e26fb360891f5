/* The memory handle route: memory of a process of my node that a handle names. Memory of the zone
 * is loaded and stored; private memory is copied by the kernel or by the owner's agent. An
 * accumulate on private memory reads, adds and writes under a stripe lock of the zone; the owner's
 * address selects the stripe. */
#include "route/memory_handle/memory_handle.h"

#include "base/memory_order.h"
#include "machine/rows.h"
#include "memory/zone.h"
#include "number/number_kernels.h"
#include "region/agent.h"
#include "route/memory_handle/memory_handle_agent.h"
#include "route/memory_handle/private_memory.h"
#include "route/route.h"
#include "team/world.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <string.h>

/* Upper bounds on the pieces that one call moves, and on the bytes that one step accumulates. */
enum { PIECES = 128, BUFFER = 1 << 15, STRIPE_BYTES = 1 << CWI_STRIPE_SHIFT };

/* --- Puts and gets ---------------------------------------------------------------------------- */

struct batch {
  size_t count;
  struct iovec mine[PIECES], there[PIECES];
};

/* A walk over the rows of a transfer. */
struct row_walk {
  struct cwi_planes planes;
  struct cwi_plane plane;
  size_t row; /* next row of the plane */
};

static struct row_walk row_walk_begin(const struct cwi_transfer *transfer)
{
  return (struct row_walk){.planes = cwi_planes(&transfer->shape)};
}

/* Fills a batch with the next rows, at most PIECES. Returns false if there are none. */
static bool batch_fill(struct batch *batch, struct row_walk *walk)
{
  const struct cwi_plane *plane = &walk->plane;
  batch->count = 0;
  while (batch->count < PIECES) {
    if (walk->row == plane->rows) {
      walk->row = 0;
      if (!cwi_planes_next(&walk->planes, &walk->plane)) {
        walk->plane.rows = 0;
        break;
      }
    }
    const ptrdiff_t row = (ptrdiff_t)walk->row++;
    batch->mine[batch->count] =
        (struct iovec){plane->local + row * plane->local_stride, plane->run};
    batch->there[batch->count++] =
        (struct iovec){plane->remote + row * plane->remote_stride, plane->run};
  }
  return batch->count > 0;
}

static cw_error move_all(const struct cwi_memory_handle *memory,
                         const struct cwi_transfer *transfer)
{
  const bool write = transfer->operation == CW_PUT;
  struct batch batch;
  struct row_walk walk = row_walk_begin(transfer);
  while (batch_fill(&batch, &walk))
    CWI_TRY(cwi_reach(memory, write, batch.mine, batch.there, batch.count));
  return CW_OK;
}

/* --- Accumulates ------------------------------------------------------------------------------ */

/* Returns the lock of the stripe of an address in the owner. All processes of a node select the
 * same stripe, because the address is the owner's, and not relative to the zone, which they may
 * have mapped at different addresses. */
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

/* A change of elements: a fetching update or an accumulate. */
struct change {
  const struct cwi_memory_handle *memory;
  int operation; /* cw_reduction, or CWI_COMPARE_SWAP */
  cw_type type;
  bool scaled;
  const union cwi_scalar *scale;
  const char *expected; /* operand of compare-and-swap */
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

/* Changes a piece. The caller holds the stripe's lock. `before` receives the old contents, or is
 * NULL. */
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

/* Changes a piece under its lock. An element that lies under two stripes needs both locks, taken in
 * the order of their addresses. */
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

/* Changes a row in parts, each under one stripe; an element under two stripes is a part of its own.
 */
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

/* Changes a row from the last element to the first, through a buffer, so that each operand is read
 * before it changes. */
static cw_error change_backwards(const struct change *change, char *there, const char *operands,
                                 size_t bytes)
{
  char copy[4096]; /* a whole number of elements */
  while (bytes > 0) {
    const size_t part = bytes < sizeof copy ? bytes : sizeof copy;
    bytes -= part;
    memcpy(copy, operands + bytes, part);
    CWI_TRY(change_row(change, there + bytes, copy, NULL, part));
  }
  return CW_OK;
}

/* Accumulates a row. Takes it from its end if a forward loop would change memory of mine before
 * reading it. */
static cw_error add_row(const struct change *change, char *there, const char *operands,
                        size_t bytes)
{
  const bool backwards =
      change->memory->owner == cwi_world.process && cwi_runs_into_itself(there, operands, bytes);
  return CWI_UNLIKELY(backwards) ? change_backwards(change, there, operands, bytes)
                                 : change_row(change, there, operands, NULL, bytes);
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
      CWI_TRY(add_row(&change, plane.remote + (ptrdiff_t)row * plane.remote_stride,
                      plane.local + (ptrdiff_t)row * plane.local_stride, plane.run));
  return CW_OK;
}

/* --- The route -------------------------------------------------------------------------------- */

/* Checks that the region still exists: it may have been freed before the handle was released. */
static cw_error check_in_zone(const struct cwi_memory_handle *memory)
{
  return cwi_route_direct.locate(memory->entry->slice_owner, memory->address, memory->bytes,
                                 &(struct cwi_location){0});
}

/* Enters memory of the zone and checks it. After an error, the memory is not entered. */
static cw_error enter_in_zone(const struct cwi_memory_handle *memory)
{
  CWI_TRY(cwi_memory_handle_enter(memory));
  const cw_error error = check_in_zone(memory);
  if (error != CW_OK)
    cwi_memory_handle_leave(memory);
  return error;
}

/* Rejects lock-free updates of private memory, because the processor's atomics reach only memory
 * that is mapped here. */
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
                                     struct cwi_location *place)
{
  (void)process;
  return cwi_memory_handle_holds(place->memory, address, bytes);
}

/* If MPI updates such memory, the rma route takes precedence over this one. */
static enum cwi_route_reach memory_handle_reaches(int process, enum cwi_route_use use)
{
  const bool named = use == CWI_HANDLE_TRANSFER || use == CWI_HANDLE_UPDATE;
  return named && cwi_same_node(process) ? CWI_REACH_ALL : CWI_REACH_NONE;
}

const struct cwi_route cwi_route_memory_handle = {.name = "memory handle",
                                                  .where = CWI_PEER,
                                                  .reaches = memory_handle_reaches,
                                                  .locate = memory_handle_locate,
                                                  .start = memory_handle_start,
                                                  .update = memory_handle_update};

/* --- Without waiting for an agent ------------------------------------------------------------- */

struct handle_operation {
  struct cwi_agent_operation agent_operation;
  struct cwi_memory_handle memory; /* entered until the operation ends */
  struct cwi_transfer transfer;
  struct row_walk walk;
  struct batch batch;
  struct cwi_agent_move move; /* the agent's copy of the batch */
  bool moves;
  cw_error error;
};

/* Continues batch by batch. Returns true at the end, or false if an agent has not yet answered. */
static bool handle_operation_advance(struct cwi_agent_operation *agent_operation)
{
  struct handle_operation *mine = (struct handle_operation *)(void *)agent_operation;
  while (mine->error == CW_OK) {
    bool ended = true;
    if (mine->moves)
      mine->error = cwi_agent_move_on(&mine->move, false, &ended);
    if (!ended)
      return false;
    mine->moves = batch_fill(&mine->batch, &mine->walk);
    if (!mine->moves)
      return true;
    cwi_agent_move_begin(&mine->move, mine->memory.owner, mine->transfer.operation == CW_PUT,
                         mine->batch.mine, mine->batch.there, mine->batch.count);
  }
  return true;
}

/* Returns the result of an operation that has ended, and frees it. */
static cw_error handle_operation_end(struct cwi_agent_operation *agent_operation)
{
  struct handle_operation *mine = (struct handle_operation *)(void *)agent_operation;
  const cw_error error = mine->error == CW_OK ? CW_OK : cwi_reach_not_mapped(&mine->memory);
  if (mine->transfer.operation == CW_GET)
    cwi_acquire();
  cwi_memory_handle_leave(&mine->memory);
  free(mine);
  return error;
}

cw_error cwi_memory_handle_start_later(const struct cwi_transfer *transfer,
                                       struct cwi_agent_operation **agent_operation)
{
  const struct cwi_memory_handle *memory = transfer->place.memory;
  if (memory->in_zone || transfer->operation == CW_ACCUMULATE ||
      !cwi_private_memory_needs_agent(memory->owner))
    return cwi_route_memory_handle.start(transfer, true, NULL);
  struct handle_operation *mine = malloc(sizeof *mine);
  if (mine == NULL)
    return cwi_outside("no memory for a request to the agent of process %d", memory->owner);
  const cw_error error = cwi_memory_handle_enter(memory);
  if (error != CW_OK) {
    free(mine);
    return error;
  }
  mine->agent_operation =
      (struct cwi_agent_operation){handle_operation_advance, handle_operation_end};
  mine->memory = *memory;
  mine->transfer = *transfer;
  mine->walk = row_walk_begin(&mine->transfer);
  mine->moves = false;
  mine->error = CW_OK;
  if (transfer->operation == CW_PUT)
    cwi_release();
  *agent_operation = &mine->agent_operation;
  return CW_OK;
}
