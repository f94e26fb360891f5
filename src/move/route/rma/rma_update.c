/* Fetching updates of the rma route: MPI_Fetch_and_op, MPI_Get_accumulate, MPI_Compare_and_swap. */
#include "mpi/mpi_progress.h"
#include "mpi/workaround.h"
#include "region/slice_index.h"
#include "route/rma/dynamic_window.h"
#include "route/rma/pack_buffer.h"
#include "route/rma/rma.h"
#include "team/world.h"

#include <string.h>

/* --- Bugs of MPI libraries -------------------------------------------------------------------- */

/* Returns true if this MPI's operation has wrong results. */
static bool computes_wrongly(int operation, cw_type type, bool by_transport)
{
  switch (operation) {
  case CW_MINIMUM:
  case CW_MAXIMUM:
    return cwi_type_is_unsigned(type) && cwi_workaround_applies(CWI_UNSIGNED_EXTREMES);
  case CW_LOGICAL_AND:
  case CW_LOGICAL_OR:
  case CW_LOGICAL_XOR:
    return by_transport && cwi_workaround_applies(CWI_OPENMPI_UPDATES);
  case CW_BIT_AND:
  case CW_BIT_OR:
  case CW_BIT_XOR:
    return by_transport && cwi_type_bytes[type] == 8 && cwi_workaround_applies(CWI_OPENMPI_BITS);
  default:
    return false;
  }
}

/* Returns true for types of 8 bytes that are not integers. Open MPI's transport treats them as
 * plain bits. */
static bool is_real_word(cw_type type)
{
  return cwi_type_bytes[type] == 8 && !cwi_type_is_whole(type);
}

/* Returns true if MPI's operation would not be atomic with respect to compare-and-swap. */
static bool is_apart(int operation, cw_type type)
{
  if (cwi_type_bytes[type] != 8 || operation == CWI_COMPARE_SWAP ||
      !cwi_workaround_applies(CWI_OPENMPI_SWAP_APART))
    return false;
  return is_real_word(type) ? operation != CW_REPLACE && operation != CW_NO_OP
                            : operation == CW_PRODUCT;
}

/* Returns true if the update is done by compare-and-swap. Locked updates of real numbers are not:
 * they must be atomic with respect to MPI's accumulates. */
static bool swaps(int operation, cw_type type, bool locked, bool by_transport)
{
  return computes_wrongly(operation, type, by_transport) ||
         (by_transport && is_apart(operation, type) && !(locked && is_real_word(type)));
}

/* Returns true if this MPI's sums of short integers may saturate where they should wrap around. */
static bool saturates(int operation, cw_type type)
{
  return operation == CW_SUM && cwi_type_bytes[type] <= 2 &&
         cwi_workaround_applies(CWI_OPENMPI_SATURATED_SUM);
}

/* Returns true if only MPI operations of one element are atomic against compare-and-swap. Those are
 * carried out by the transport; of several elements, MPI loads all and stores them later. */
static bool goes_one_by_one(cw_type type, bool by_transport)
{
  return by_transport && cwi_type_bytes[type] == 8 && cwi_type_is_whole(type) &&
         cwi_workaround_applies(CWI_OPENMPI_SWAP_APART);
}

/* The window is not known yet. If it is not by transport, the rows of the transfer become one MPI
 * operation each. */
bool cwi_mpi_accumulate_is_wrong(const struct cwi_transfer *transfer)
{
  const int operation = (int)transfer->reduction;
  return saturates(operation, transfer->type) || goes_one_by_one(transfer->type, true) ||
         ((operation != CW_SUM || transfer->lock_free) &&
          swaps(operation, transfer->type, !transfer->lock_free, true));
}

/* Returns true if Open MPI's osc/ucx updates memory by integers of the network, of 4 or 8 bytes at
 * their multiples. It treats all numbers of MPI_Fetch_and_op as such integers, and ignores
 * MPI_Compare_and_swap of others. MPI_Get_accumulate is right. */
static bool has_network_integers(const struct cwi_exposure *exposure)
{
  return !exposure->by_transport && cwi_workaround_applies(CWI_OPENMPI_UPDATES);
}

static bool fetches_wrongly(const struct cwi_update *update, const struct cwi_exposure *exposure)
{
  const size_t bytes = cwi_type_bytes[update->type];
  return has_network_integers(exposure) &&
         ((bytes != 4 && bytes != 8) || (uintptr_t)update->remote % bytes != 0 ||
          (update->operation == CW_SUM && !cwi_type_is_whole(update->type)));
}

/* --- MPI's operations ------------------------------------------------------------------------- */

/* Finds the type for a compare-and-swap. MPI compares integers only, so other types are passed as
 * integers of the same size. */
static cw_error find_swapped(const struct cwi_update *update, bool by_transport,
                             MPI_Datatype *swapped)
{
  if (by_transport && update->locked && is_real_word(update->type) &&
      cwi_workaround_applies(CWI_OPENMPI_SWAP_APART))
    return cwi_outside(
        "this MPI's compare-and-swap of 8 bytes is not atomic against accumulates of "
        "type %s; against lock-free updates (causeway/atomic.h) it is",
        cwi_type_word(update->type));
  if (cwi_type_is_wide(update->type))
    return cwi_outside("MPI, which updates this region (CW_ROUTE=rma, or no servers between "
                       "nodes), has no compare-and-swap of 16 bytes (%s)",
                       cwi_type_word(update->type));
  *swapped = cwi_type_is_whole(update->type)     ? cwi_mpi_type(update->type)
             : cwi_type_bytes[update->type] == 4 ? MPI_INT
                                                 : MPI_LONG;
  return CW_OK;
}

/* Returns the MPI type of an update. Reads and writes of real numbers use an integer type if only
 * integer operations are atomic with respect to compare-and-swap. */
static MPI_Datatype type_of(const struct cwi_update *update, bool by_transport)
{
  const bool moves = update->operation == CW_REPLACE || update->operation == CW_NO_OP;
  return by_transport && moves && !update->locked && is_real_word(update->type) &&
                 cwi_workaround_applies(CWI_OPENMPI_SWAP_APART)
             ? MPI_LONG
             : cwi_mpi_type(update->type);
}

/* A place in the memory of one process. */
struct rma_place {
  struct cwi_target *target;
  MPI_Aint at;
};

static cw_error update_one(const struct cwi_update *update, const struct rma_place *place,
                           void *old)
{
  const struct cwi_exposure *exposure = place->target->exposure;
  const int rank = place->target->rank;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (update->operation == CWI_COMPARE_SWAP) {
    CWI_TRY(find_swapped(update, exposure->by_transport, &type));
    return CWI_MPI(MPI_Compare_and_swap(update->operand.bytes, update->expected.bytes, old, type,
                                        rank, place->at, exposure->window));
  }
  type = type_of(update, exposure->by_transport);
  const MPI_Op op = cwi_mpi_op((cw_reduction)update->operation);
  if (CWI_UNLIKELY(fetches_wrongly(update, exposure)))
    return CWI_MPI(MPI_Get_accumulate(update->operand.bytes, 1, type, old, 1, type, rank, place->at,
                                      1, type, op, exposure->window));
  return CWI_MPI(
      MPI_Fetch_and_op(update->operand.bytes, old, type, rank, place->at, op, exposure->window));
}

/* Returns the number of elements that one MPI operation may have. */
static size_t most_elements(const struct cwi_update *update, bool by_transport)
{
  enum { UNSATURATED = 7, WHOLE_FETCH = 4096 };
  if (goes_one_by_one(update->type, by_transport))
    return 1;
  if (saturates(update->operation, update->type))
    return UNSATURATED;
  const bool fetches_less =
      update->before != NULL && cwi_workaround_applies(CWI_OPENMPI_FETCH_TAIL);
  return (fetches_less ? WHOLE_FETCH : cwi_mpi_traits()->accumulate_piece) /
         cwi_type_bytes[update->type];
}

static cw_error update_piece(const struct cwi_update *update, const struct rma_place *place,
                             size_t first, int count)
{
  const size_t skipped = first * cwi_type_bytes[update->type];
  const MPI_Aint at = place->at + (MPI_Aint)skipped;
  const int rank = place->target->rank, reads = update->operation == CW_NO_OP;
  const struct cwi_exposure *exposure = place->target->exposure;
  MPI_Win window = exposure->window;
  MPI_Datatype type = type_of(update, exposure->by_transport);
  const MPI_Op op = cwi_mpi_op((cw_reduction)update->operation);
  const char *operands = reads ? NULL : (const char *)update->local + skipped;
  if (update->before == NULL)
    return reads
               ? CW_OK
               : CWI_MPI(MPI_Accumulate(operands, count, type, rank, at, count, type, op, window));
  return CWI_MPI(MPI_Get_accumulate(operands, reads ? 0 : count, type,
                                    (char *)update->before + skipped, count, type, rank, at, count,
                                    type, op, window));
}

static cw_error update_many(const struct cwi_update *update, const struct rma_place *place)
{
  const size_t most = most_elements(update, place->target->exposure->by_transport);
  size_t part = 0;
  for (size_t first = 0; first < update->count; first += part) {
    part = update->count - first < most ? update->count - first : most;
    CWI_TRY(update_piece(update, place, first, (int)part));
  }
  return CW_OK;
}

/* Runs the update and completes it. The old contents of one element are received in a local
 * variable, because MPI may need alignment. */
static cw_error run_elements(const struct cwi_update *update, struct cwi_target *target)
{
  union cwi_scalar old = {.d = {0, 0}};
  const struct rma_place place = {target, (MPI_Aint)((const char *)update->remote - target->base)};
  CWI_TRY(update->count == 1 ? update_one(update, &place, old.bytes) : update_many(update, &place));
  CWI_TRY(cwi_target_flush(target));
  if (update->count == 1 && update->before != NULL)
    memcpy(update->before, old.bytes, cwi_update_bytes(update));
  return CW_OK;
}

/* Compares and swaps 1 or 2 bytes by a compare-and-swap of the 4 bytes around them. Windows consist
 * of whole pages, so that these are in the window. */
static cw_error swap_within(const struct cwi_update *update, struct cwi_target *target)
{
  const size_t bytes = cwi_type_bytes[update->type], skipped = (uintptr_t)update->remote % 4;
  union cwi_scalar found = {.d = {0, 0}};
  struct cwi_update whole = {.operation = CW_NO_OP,
                             .type = CW_INT32,
                             .locked = update->locked,
                             .process = update->process,
                             .remote = (char *)update->remote - skipped,
                             .count = 1,
                             .before = found.bytes,
                             .place = update->place};
  CWI_TRY(run_elements(&whole, target));
  whole.operation = CWI_COMPARE_SWAP;
  do {
    whole.expected = whole.operand = found;
    memcpy((char *)whole.operand.bytes + skipped, update->operand.bytes, bytes);
    if (memcmp((char *)found.bytes + skipped, update->expected.bytes, bytes) != 0)
      break;
    CWI_TRY(run_elements(&whole, target));
  } while (memcmp(found.bytes, whole.expected.bytes, 4) != 0);
  if (update->before != NULL)
    memcpy(update->before, (char *)found.bytes + skipped, bytes);
  return CW_OK;
}

/* Compares and swaps where MPI has integers of 4 and 8 bytes only, at their multiples. */
static cw_error swap_integer(const struct cwi_update *update, struct cwi_target *target)
{
  const size_t bytes = cwi_type_bytes[update->type];
  if ((uintptr_t)update->remote % bytes != 0)
    return cwi_outside("this MPI cannot compare and swap %zu bytes at %p, which is not a multiple "
                       "of %zu",
                       bytes, update->remote, bytes);
  return bytes < 4 ? swap_within(update, target) : run_elements(update, target);
}

/* Runs the update. Open MPI cannot sum float complex, so the parts are summed as floats. */
static cw_error rma_update_run(const struct cwi_update *update, struct cwi_target *target)
{
  struct cwi_update parts = *update;
  if (update->operation == CWI_COMPARE_SWAP && has_network_integers(target->exposure))
    return swap_integer(update, target);
  if (CWI_LIKELY(update->operation != CW_SUM || update->type != CW_FLOAT_COMPLEX ||
                 !cwi_workaround_applies(CWI_OPENMPI_UPDATES)))
    return run_elements(update, target);
  parts.type = cwi_type_of_parts(update->type);
  parts.count = 2 * update->count;
  parts.local = cwi_update_operands(update);
  return run_elements(&parts, target);
}

/* --- By compare-and-swap ---------------------------------------------------------------------- */

/* Updates one element: reads it, computes the new value, and swaps. Repeats this if another update
 * has come in between. */
static cw_error swap_one(const struct cwi_update *update, struct cwi_target *target)
{
  const size_t bytes = cwi_type_bytes[update->type];
  struct cwi_update step = *update;
  union cwi_scalar found = {.d = {0, 0}};
  step.before = found.bytes;
  step.operation = CW_NO_OP;
  CWI_TRY(rma_update_run(&step, target));
  step.operation = CWI_COMPARE_SWAP;
  do {
    step.expected = step.operand = found;
    cwi_plain_kernel_of((cw_reduction)update->operation, update->type)(
        (char *)step.operand.bytes, 0, (const char *)update->operand.bytes, 0, bytes, 1, NULL);
    CWI_TRY(rma_update_run(&step, target));
  } while (memcmp(found.bytes, step.expected.bytes, bytes) != 0);
  if (update->before != NULL)
    memcpy(update->before, found.bytes, bytes);
  return CW_OK;
}

static cw_error swap_each(const struct cwi_update *update, struct cwi_target *target)
{
  const size_t bytes = cwi_type_bytes[update->type];
  const char *operands = cwi_update_operands(update);
  struct cwi_update one = *update;
  one.count = 1;
  for (size_t i = 0; i < update->count; i++) {
    memcpy(one.operand.bytes, operands + i * bytes, bytes);
    CWI_TRY(swap_one(&one, target));
    one.remote = (char *)one.remote + bytes;
    one.before = one.before != NULL ? (char *)one.before + bytes : NULL;
  }
  return CW_OK;
}

/* --- By the processor ------------------------------------------------------------------------- */

/* Returns true if the processor updates memory of the calling process. For that memory 8-byte
 * compare-and-swap of Open MPI's osc/rdma crashes, and its other operations are a load and a store,
 * between which another thread can receive a compare-and-swap. Operations of other processes reach
 * my memory as messages, which this process executes with the processor's atomics. So mine may use
 * these atomics, too. Locked updates of real numbers must be atomic with respect to MPI's
 * accumulates, which use none. */
static bool is_mine(const struct cwi_update *update, const struct cwi_exposure *exposure)
{
  return update->process == cwi_world.process && cwi_type_bytes[update->type] == 8 &&
         exposure->by_transport && !(update->locked && is_real_word(update->type)) &&
         cwi_workaround_applies(CWI_OPENMPI_SWAP_SELF);
}

/* At addresses that are not multiples of 8, uses MPI's operation where that is right. */
static cw_error update_mine(const struct cwi_update *mine, struct cwi_target *target)
{
  struct cwi_update update = *mine;
  const bool is_aligned = (uintptr_t)mine->remote % 8 == 0;
  if (CWI_UNLIKELY(!is_aligned && (mine->operation == CWI_COMPARE_SWAP ||
                                   swaps(mine->operation, mine->type, mine->locked, true))))
    return cwi_outside("this MPI cannot update 8 bytes of the calling process in this way; the "
                       "processor can, but not at %p, which is not a multiple of 8",
                       mine->remote);
  if (CWI_UNLIKELY(!is_aligned))
    return rma_update_run(mine, target);
  update.locked = false;
  cwi_direct_update(&update);
  return CW_OK;
}

/* --- In order --------------------------------------------------------------------------------- */

/* Runs an update after the outstanding operations that it must not overtake. */
static cw_error run_in_order(const struct cwi_update *update)
{
  struct cwi_target *target = NULL;
  CWI_TRY(update->place.memory != NULL ? cwi_dynamic_find(update->place.memory, &target)
                                       : cwi_target_at(&update->place, &target));
  const struct cwi_trace trace = {
      .bytes = cwi_footprint_of_run(update->remote, cwi_update_bytes(update)),
      .kind = CWI_KIND_RMW};
  CWI_TRY(cwi_target_order(target, &trace));
  if (update->process == cwi_world.process && cwi_exposure_alone(target->exposure)) {
    cwi_direct_update(update);
    return CW_OK;
  }
  target->updates++;
  if (is_mine(update, target->exposure))
    return update_mine(update, target);
  return swaps(update->operation, update->type, update->locked, target->exposure->by_transport)
             ? swap_each(update, target)
             : rma_update_run(update, target);
}

/* Runs the update. If a handle of my node names the memory, enters the memory, so that the owner's
 * release waits for the update. */
static cw_error run_entered(const struct cwi_update *update)
{
  const struct cwi_memory_handle *memory = update->place.memory;
  if (CWI_LIKELY(memory == NULL || memory->entry == NULL))
    return run_in_order(update);
  CWI_TRY(cwi_memory_handle_enter(memory));
  const cw_error error = run_in_order(update);
  cwi_memory_handle_leave(memory);
  return error;
}

/* The update is complete on return: nothing is attached to the handle. */
cw_error cwi_rma_update(const struct cwi_update *update, bool blocking, cw_handle *handle)
{
  (void)blocking;
  (void)handle;
  cwi_threads_lock();
  const cw_error error = run_entered(update);
  cwi_threads_unlock();
  return error;
}

static cw_error accumulate_row(const struct cwi_transfer *transfer, const char *local, char *remote,
                               size_t bytes)
{
  struct cwi_update update = {.operation = (int)transfer->reduction,
                              .type = transfer->type,
                              .locked = !transfer->lock_free,
                              .process = transfer->process,
                              .remote = remote,
                              .count = bytes / cwi_type_bytes[transfer->type]};
  update.local = local;
  if (update.count == 1)
    memcpy(update.operand.bytes, local, bytes);
  update.place.memory = transfer->place.memory;
  if (CWI_UNLIKELY(update.place.memory == NULL &&
                   !cwi_slice_index_at(update.process, remote, &update.place)))
    return cwi_address_misuse(update.process, remote, bytes);
  return cwi_rma_update(&update, true, NULL);
}

static cw_error accumulate_planes(const struct cwi_transfer *transfer)
{
  struct cwi_planes planes = cwi_planes(&transfer->shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane))
    for (size_t row = 0; row < plane.rows; row++)
      CWI_TRY(accumulate_row(transfer, plane.local + (ptrdiff_t)row * plane.local_stride,
                             plane.remote + (ptrdiff_t)row * plane.remote_stride, plane.run));
  return CW_OK;
}

static cw_error accumulate_part(const struct cwi_transfer *part, void *unused)
{
  (void)unused;
  return accumulate_planes(part);
}

/* Accumulates row by row; complete on return. */
cw_error cwi_rma_accumulate_emulated(const struct cwi_transfer *transfer)
{
  if (!transfer->scaled && !cwi_rma_reads_target(transfer))
    return accumulate_planes(transfer);
  char *left = NULL;
  const cw_error error = cwi_rma_move_parts(transfer, accumulate_part, NULL, &left);
  cwi_buffer_give(left);
  return error;
}
