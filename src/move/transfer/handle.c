/* Handles of non-blocking operations: what is pending on each, and how a thread waits for it. */
#include "transfer/handle.h"

#include "mpi/mpi_result.h"
#include "mpi/origin.h"
#include "team/world.h"
#include "wait/thread.h"

#include <stdlib.h>

/* A slot is one handle in use. Its generation changes when its last operation is done: a handle
 * that still names the old generation is then empty. */
struct handle_slot {
  struct cwi_pending *first;
  uint32_t generation;
  uint32_t next_free; /* slot + 1; 0 if there is none */
  bool turned; /* its generation number has wrapped around, so any generation may have been given */
};

static const uint32_t AGGREGATE = 0x80000000u;

/* A handle's index is made of the number of its origin and the number of its slot there. */
enum { SLOT_BITS = 24, MOST_SLOTS = (1 << SLOT_BITS) - 1 };

/* The pending operations of each origin, guarded by the origin's lock. */
static struct table {
  struct handle_slot *slots CWI_OF_ORIGIN;
  uint32_t slot_count, first_free;
  struct cwi_pending *all;
  struct cwi_pending *implicit; /* chained like the operations of a handle */
} tables[CWI_ORIGINS];

static struct table *mine(void)
{
  return &tables[cwi_origin];
}

static uint32_t number_of(const cw_handle *handle)
{
  return handle->index & MOST_SLOTS;
}

static bool handle_is_mine(const cw_handle *handle)
{
  return handle->index >> SLOT_BITS == cwi_origin;
}

uint32_t cwi_handle_origin(const cw_handle *handle)
{
  const uint32_t origin = handle != NULL ? handle->index >> SLOT_BITS : cwi_origin;
  return origin < CWI_ORIGINS ? origin : 0;
}

/* Returns the slot of a handle, or NULL if no operation is pending on it. */
static struct handle_slot *slot_of(const cw_handle *handle)
{
  const struct table *table = mine();
  const uint32_t number = number_of(handle);
  if (!handle_is_mine(handle) || number == 0 || number > table->slot_count)
    return NULL;
  struct handle_slot *slot = &table->slots[number - 1];
  return slot->first != NULL && slot->generation == (handle->generation & ~AGGREGATE) ? slot : NULL;
}

/* Returns true if a call has returned this handle. Either its generation is an earlier one of its
 * slot, or it is the current one and an operation is pending. */
static bool was_given(const cw_handle *handle)
{
  const uint32_t number = number_of(handle);
  if (!handle_is_mine(handle) || number == 0 || number > mine()->slot_count)
    return false;
  const struct handle_slot *slot = &mine()->slots[number - 1];
  const uint32_t generation = handle->generation & ~AGGREGATE;
  return slot->turned || generation < slot->generation ||
         (generation == slot->generation && slot->first != NULL);
}

cw_error cwi_handle_check(const cw_handle *handle)
{
  if (handle == NULL || CWI_LIKELY(handle->index == 0))
    return CW_OK;
  const uint32_t before = cwi_origin_enter(cwi_handle_origin(handle));
  cwi_origin_lock();
  const bool given = was_given(handle);
  cwi_origin_unlock();
  cwi_origin_enter(before);
  return given ? CW_OK
               : cwi_misuse(
                     "handle is {%u, %u}, which no call has returned (initialise handles with {0})",
                     handle->index, handle->generation);
}

bool cwi_handle_runs(const cw_handle *handle)
{
  const uint32_t before = cwi_origin_enter(cwi_handle_origin(handle));
  cwi_origin_lock();
  const bool runs = slot_of(handle) != NULL;
  cwi_origin_unlock();
  cwi_origin_enter(before);
  return runs;
}

static cw_error more_slots(void)
{
  struct table *table = mine();
  const uint32_t count = table->slot_count > 0 ? 2 * table->slot_count : 64;
  struct handle_slot *larger =
      count <= MOST_SLOTS ? realloc(table->slots, count * sizeof *table->slots) : NULL;
  if (larger == NULL)
    return cwi_outside("no memory for %u handles", count);
  table->slots = larger;
  for (uint32_t i = table->slot_count; i < count; i++)
    larger[i] = (struct handle_slot){.next_free = i + 1 < count ? i + 2 : 0};
  table->first_free = table->slot_count + 1;
  table->slot_count = count;
  return CW_OK;
}

/* Gives the handle a slot, unless it has one with pending operations. */
static cw_error take_slot(cw_handle *handle)
{
  struct table *table = mine();
  if (slot_of(handle) != NULL)
    return CW_OK;
  if (table->first_free == 0)
    CWI_TRY(more_slots());
  const struct handle_slot *slot = &table->slots[table->first_free - 1];
  handle->index = cwi_origin << SLOT_BITS | table->first_free;
  handle->generation = slot->generation | (handle->generation & AGGREGATE);
  table->first_free = slot->next_free;
  return CW_OK;
}

/* Returns the head of a slot's list; slot 0 has the implicit operations. Fences read the heads
 * without a lock to find out whether anything is pending. */
static struct cwi_pending **chain_of(uint32_t slot)
{
  return slot == 0 ? &mine()->implicit : &mine()->slots[slot - 1].first;
}

/* Sets the head of a list with release semantics: a thread that sees that an operation has left the
 * list also sees the data that the operation moved. */
static void set_first(struct cwi_pending **first, struct cwi_pending *pending)
{
  __atomic_store_n(first, pending, __ATOMIC_RELEASE);
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
  pending->reported = false;
  pending->starter = cwi_thread_name();
  pending->failed = NULL;
  if (!pending->apart)
    link_in(pending, CWI_CHAIN_ALL, &mine()->all);
  link_in(pending, CWI_CHAIN_HANDLE, chain_of(slot));
}

/* Takes an operation off its lists. If it was the last one of its slot, the slot becomes free and
 * its generation changes. */
static void unlink_pending(const struct cwi_pending *pending)
{
  if (!pending->apart)
    link_out(pending, CWI_CHAIN_ALL, &mine()->all);
  link_out(pending, CWI_CHAIN_HANDLE, chain_of(pending->slot));
  if (pending->slot == 0)
    return;
  struct handle_slot *slot = &mine()->slots[pending->slot - 1];
  if (slot->first == NULL) {
    slot->generation = (slot->generation + 1) & ~AGGREGATE;
    slot->turned |= slot->generation == 0;
    slot->next_free = mine()->first_free;
    mine()->first_free = pending->slot;
  }
}

cw_error cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending)
{
  cwi_origin_lock();
  const cw_error error = handle != NULL ? take_slot(handle) : CW_OK;
  if (error == CW_OK)
    link_pending(pending, handle != NULL ? number_of(handle) : 0);
  cwi_origin_unlock();
  return error;
}

void cwi_handle_detach(cw_handle *handle, cw_handle before, const struct cwi_pending *pending)
{
  cwi_origin_lock();
  unlink_pending(pending);
  *handle = before;
  cwi_origin_unlock();
}

bool cwi_handle_aggregates(const cw_handle *handle)
{
  return handle != NULL && (handle->generation & AGGREGATE) != 0;
}

cw_error cw_handle_set_aggregate(cw_handle *handle, bool aggregate)
{
  if (handle == NULL)
    return cwi_in_call("cw_handle_set_aggregate", cwi_misuse("handle is NULL"));
  CWI_TRY(cwi_in_call("cw_handle_set_aggregate", cwi_handle_check(handle)));
  handle->generation = (handle->generation & ~AGGREGATE) | (aggregate ? AGGREGATE : 0);
  return CW_OK;
}

static void take_away(struct cwi_pending *pending)
{
  unlink_pending(pending);
  pending->release(pending);
}

/* Ends one use of an operation. The last user releases the operation if it is done and its error
 * has been reported. */
static void end_use(struct cwi_pending *pending)
{
  if (--pending->users == 0 && pending->done && pending->failed == NULL)
    take_away(pending);
}

/* Keeps an error for the thread that started the operation. With several threads, a thread that
 * flushes or waits for all may find the error of another thread's operation. Both must receive it,
 * because the data has not arrived. If there is no memory, only the thread that found the error
 * receives it. */
static void keep_failure(struct cwi_pending *pending, cw_error error)
{
  struct cwi_first_error *failed = malloc(sizeof *failed);
  if (failed != NULL)
    cwi_first_begin(failed, error);
  pending->failed = failed;
}

static cw_error report_failure(struct cwi_pending *pending)
{
  const cw_error error = cwi_first_again(pending->failed);
  free(pending->failed);
  pending->failed = NULL;
  return error;
}

/* WAIT_ASIDE waits on behalf of an operation of another kind. It does not return errors that later
 * waits for the operations will return. */
enum how { POLL, WAIT, WAIT_ASIDE };

/* Polls or waits for one operation. The caller has counted itself in `users`, so the operation is
 * not freed, though other threads may poll or wait for it meanwhile. */
static cw_error try_complete(struct cwi_pending *pending, enum cwi_chain chain, enum how how,
                             bool *done)
{
  const bool own =
      pending->slot != 0 ? chain == CWI_CHAIN_HANDLE : pending->starter == cwi_thread_name();
  *done = pending->done;
  cw_error error = *done ? CW_OK : pending->complete(pending, how != POLL, done);
  pending->done = pending->done || *done;
  if (CWI_UNLIKELY(own && pending->failed != NULL))
    error = report_failure(pending);
  else if (CWI_UNLIKELY(error != CW_OK && *done && !own && !pending->reported)) {
    keep_failure(pending, error);
    if (how == WAIT_ASIDE && pending->failed != NULL && !cwi_first_is_from_mpi(pending->failed))
      error = CW_OK;
  }
  pending->reported = pending->reported || (own && *done);
  return error;
}

/* Polls or waits for the operations of a list whose target is `process` (any target if -1).
 * Continues after an error and returns the first one. Sets *done to true if all these operations
 * are complete. Other threads attach operations at the head of the list, so those that they attach
 * meanwhile are not visited. */
static cw_error wait_or_poll(struct cwi_pending *first, enum cwi_chain chain, int process,
                             enum how how, bool *done)
{
  struct cwi_first_error error;
  cwi_first_begin(&error, CW_OK);
  *done = true;
  for (struct cwi_pending *pending = first; pending != NULL;) {
    bool one = true;
    pending->users++;
    if (process < 0 || pending->process == process)
      cwi_first_note(&error, try_complete(pending, chain, how, &one));
    struct cwi_pending *next = pending->next[chain];
    end_use(pending);
    pending = next;
    *done = *done && one;
  }
  return cwi_first_return(&error);
}

cw_error cwi_handle_finish(cw_handle *handle, bool wait, bool *done)
{
  const uint32_t before = cwi_origin_enter(cwi_handle_origin(handle));
  cwi_origin_lock();
  const struct handle_slot *slot = slot_of(handle);
  const cw_error error = wait_or_poll(slot != NULL ? slot->first : NULL, CWI_CHAIN_HANDLE, -1,
                                      wait ? WAIT : POLL, done);
  if (*done)
    *handle = (cw_handle){0, handle->generation & AGGREGATE};
  cwi_origin_unlock();
  cwi_origin_enter(before);
  return error;
}

cw_error cwi_handle_claim(cw_handle *handle)
{
  bool done = true;
  if (CWI_LIKELY(handle == NULL || handle->index == 0 || handle_is_mine(handle)))
    return CW_OK;
  CWI_TRY(cwi_handle_finish(handle, false, &done));
  return done ? CW_OK
              : cwi_misuse("handle names operations of another scope or thread that are not "
                           "complete");
}

bool cwi_pending_any(void)
{
  return __atomic_load_n(&mine()->all, __ATOMIC_ACQUIRE) != NULL;
}

cw_error cwi_pending_finish(int process, bool aside)
{
  bool done = false;
  if (CWI_LIKELY(!cwi_pending_any()))
    return CW_OK;
  cwi_origin_lock();
  const cw_error error =
      wait_or_poll(mine()->all, CWI_CHAIN_ALL, process, aside ? WAIT_ASIDE : WAIT, &done);
  cwi_origin_unlock();
  return error;
}

cw_error cwi_implicit_settle(int process)
{
  bool done = false;
  if (CWI_LIKELY(__atomic_load_n(&mine()->implicit, __ATOMIC_RELAXED) == NULL))
    return CW_OK;
  cwi_origin_lock();
  const cw_error error = wait_or_poll(mine()->implicit, CWI_CHAIN_HANDLE, process, POLL, &done);
  cwi_origin_unlock();
  return error;
}

size_t cwi_handles_pending(void)
{
  size_t pending = 0;
  for (uint32_t origin = 0; origin < cwi_origins(); origin++) {
    const uint32_t before = cwi_origin_enter(origin);
    cwi_origin_lock();
    for (const struct cwi_pending *one = mine()->all; one != NULL; one = one->next[CWI_CHAIN_ALL])
      pending += one->slot != 0 && !one->done;
    cwi_origin_unlock();
    cwi_origin_enter(before);
  }
  return pending;
}

/* Frees the entries that are not transfers and that have never completed, such as waits for
 * notifications. */
static void forget_apart(void)
{
  for (uint32_t slot = 1; slot <= mine()->slot_count; slot++)
    while (*chain_of(slot) != NULL) {
      struct cwi_pending *pending = *chain_of(slot);
      CWI_ASSERT(pending->apart);
      free(pending->failed);
      take_away(pending);
    }
}

/* Frees failed operations whose error will never be reported. */
static void forget_failures(void)
{
  while (mine()->all != NULL) {
    struct cwi_pending *pending = mine()->all;
    CWI_ASSERT(pending->failed != NULL);
    free(pending->failed);
    take_away(pending);
  }
}

void cwi_handles_stop(void)
{
  for (uint32_t origin = 0; origin < CWI_ORIGINS; origin++) {
    const uint32_t before = cwi_origin_enter(origin);
    forget_failures();
    forget_apart();
    cwi_origin_enter(before);
  }
}
