/* Handles of non-blocking operations: what is pending on each, and waiting for it. */
#include "transfer/handle.h"

#include "mpi/call.h"
#include "team/world.h"

#include <stdlib.h>

/* A slot is one handle in use. Its generation changes when its last operation is done: a handle
 * that still names the old generation is then empty. */
struct slot {
  struct cwi_pending *first;
  uint32_t generation;
  uint32_t next_free; /* slot + 1; 0: none */
};

static const uint32_t AGGREGATE = 0x80000000u;

static struct slot *slots;
static uint32_t slot_count, first_free;
static struct cwi_pending *all;
static struct cwi_pending *implicit; /* chained like the operations of a handle */

static struct slot *slot_of(const cw_handle *handle)
{
  if (handle->index == 0 || handle->index > slot_count)
    return NULL;
  struct slot *slot = &slots[handle->index - 1];
  return slot->first != NULL && slot->generation == (handle->generation & ~AGGREGATE) ? slot : NULL;
}

/* Its generation is one that the slot had, or has now: then something is pending on it. */
static bool was_given(const cw_handle *handle)
{
  if (handle->index > slot_count)
    return false;
  const struct slot *slot = &slots[handle->index - 1];
  const uint32_t age = (slot->generation - handle->generation) & ~AGGREGATE;
  return age == 0 ? slot->first != NULL : age < AGGREGATE / 2;
}

cw_error cwi_handle_check(const cw_handle *handle)
{
  if (handle == NULL || CWI_LIKELY(handle->index == 0))
    return CW_OK;
  cwi_threads_lock();
  const bool given = was_given(handle);
  cwi_threads_unlock();
  return given ? CW_OK
               : cwi_misuse("handle is {%u, %u}, which no call has given (begin with {0})",
                            handle->index, handle->generation);
}

static cw_error more_slots(void)
{
  const uint32_t count = slot_count > 0 ? 2 * slot_count : 64;
  struct slot *larger = realloc(slots, count * sizeof *slots);
  if (larger == NULL)
    return cwi_outside("no memory for %u handles", count);
  slots = larger;
  for (uint32_t i = slot_count; i < count; i++)
    slots[i] = (struct slot){.next_free = i + 1 < count ? i + 2 : 0};
  first_free = slot_count + 1;
  slot_count = count;
  return CW_OK;
}

static cw_error take_slot(cw_handle *handle)
{
  if (slot_of(handle) != NULL)
    return CW_OK;
  if (first_free == 0)
    CWI_TRY(more_slots());
  handle->index = first_free;
  handle->generation = slots[first_free - 1].generation | (handle->generation & AGGREGATE);
  first_free = slots[first_free - 1].next_free;
  return CW_OK;
}

/* slot 0: implicit operations. Fences look, without a lock, whether there are any. */
static struct cwi_pending **chain_of(uint32_t slot)
{
  return slot == 0 ? &implicit : &slots[slot - 1].first;
}

static void set_first(struct cwi_pending **first, struct cwi_pending *pending)
{
  __atomic_store_n(first, pending, __ATOMIC_RELAXED);
}

static void link_in(struct cwi_pending *pending, enum cwi_chain chain, struct cwi_pending **first)
{
  pending->previous[chain] = NULL;
  pending->next[chain] = *first;
  if (*first != NULL)
    (*first)->previous[chain] = pending;
  set_first(first, pending);
}

static void link_out(const struct cwi_pending *pending, enum cwi_chain chain,
                     struct cwi_pending **first)
{
  struct cwi_pending *previous = pending->previous[chain], *next = pending->next[chain];
  if (previous != NULL)
    previous->next[chain] = next;
  else
    set_first(first, next);
  if (next != NULL)
    next->previous[chain] = previous;
}

static void link_pending(struct cwi_pending *pending, uint32_t slot)
{
  pending->slot = slot;
  pending->users = 0;
  pending->done = false;
  link_in(pending, CWI_CHAIN_ALL, &all);
  link_in(pending, CWI_CHAIN_HANDLE, chain_of(slot));
}

static void unlink_pending(const struct cwi_pending *pending)
{
  link_out(pending, CWI_CHAIN_ALL, &all);
  link_out(pending, CWI_CHAIN_HANDLE, chain_of(pending->slot));
  if (pending->slot == 0)
    return;
  struct slot *slot = &slots[pending->slot - 1];
  if (slot->first == NULL) {
    slot->generation = (slot->generation + 1) & ~AGGREGATE;
    slot->next_free = first_free;
    first_free = pending->slot;
  }
}

cw_error cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending)
{
  cwi_threads_lock();
  const cw_error error = handle != NULL ? take_slot(handle) : CW_OK;
  if (error == CW_OK)
    link_pending(pending, handle != NULL ? handle->index : 0);
  cwi_threads_unlock();
  return error;
}

bool cwi_handle_aggregates(const cw_handle *handle)
{
  return handle != NULL && (handle->generation & AGGREGATE) != 0;
}

cw_error cw_handle_set_aggregate(cw_handle *handle, bool aggregate)
{
  if (handle == NULL)
    return cwi_misuse("cw_handle_set_aggregate: handle is NULL");
  CWI_TRY(cwi_in_call("cw_handle_set_aggregate", cwi_handle_check(handle)));
  handle->generation = (handle->generation & ~AGGREGATE) | (aggregate ? AGGREGATE : 0);
  return CW_OK;
}

/* The last one takes away what is done. */
static void end_use(struct cwi_pending *pending)
{
  if (--pending->users > 0 || !pending->done)
    return;
  unlink_pending(pending);
  pending->release(pending);
}

/* Of one that is in use: it stays where it is, though other threads may look and wait meanwhile. */
static cw_error try_complete(struct cwi_pending *pending, bool wait, bool *done)
{
  *done = pending->done;
  const cw_error error = *done ? CW_OK : pending->complete(pending, wait, done);
  pending->done = pending->done || *done;
  return error;
}

/* Look at the operations of a chain, or wait for them: those at a process, or (-1) all. *done: all
 * that it looked at are. What other threads attach meanwhile comes before what is visited. */
static cw_error visit(struct cwi_pending *first, enum cwi_chain chain, int process, bool wait,
                      bool *done)
{
  cw_error error = CW_OK;
  *done = true;
  for (struct cwi_pending *pending = first; pending != NULL && error == CW_OK;) {
    bool one = true;
    pending->users++;
    if (process < 0 || pending->process == process)
      error = try_complete(pending, wait, &one);
    struct cwi_pending *next = pending->next[chain];
    end_use(pending);
    pending = next;
    *done = *done && one;
  }
  return error;
}

cw_error cwi_handle_finish(cw_handle *handle, bool wait, bool *done)
{
  cwi_threads_lock();
  const struct slot *slot = slot_of(handle);
  const cw_error error = visit(slot != NULL ? slot->first : NULL, CWI_CHAIN_HANDLE, -1, wait, done);
  if (*done && error == CW_OK)
    *handle = (cw_handle){0, handle->generation & AGGREGATE};
  cwi_threads_unlock();
  return error;
}

cw_error cwi_pending_finish(int process)
{
  bool done = false;
  cwi_threads_lock();
  const cw_error error = visit(all, CWI_CHAIN_ALL, process, true, &done);
  cwi_threads_unlock();
  return error;
}

cw_error cwi_implicit_settle(int process)
{
  bool done = false;
  if (CWI_LIKELY(__atomic_load_n(&implicit, __ATOMIC_RELAXED) == NULL))
    return CW_OK;
  cwi_threads_lock();
  const cw_error error = visit(implicit, CWI_CHAIN_HANDLE, process, false, &done);
  cwi_threads_unlock();
  return error;
}

size_t cwi_handles_pending(void)
{
  size_t pending = 0;
  cwi_threads_lock();
  for (const struct cwi_pending *one = all; one != NULL; one = one->next[CWI_CHAIN_ALL])
    pending += one->slot != 0;
  cwi_threads_unlock();
  return pending;
}

void cwi_handles_stop(void)
{
  CWI_ASSERT(all == NULL);
}
