/* Inboxes: tasks that processes add to each other's queues. Used by the workers of a pool. */
#include "worker/inbox.h"

#include "mpi/mpi_result.h"

#include <causeway/atomic.h>
#include <causeway/sync.h>
#include <causeway/transfer.h>

void cwi_inbox_begin(struct cwi_inbox *inbox, void *memory, int64_t *seen, size_t slots,
                     size_t slot_bytes)
{
  struct cwi_inbox_shared *shared = memory;
  *inbox = (struct cwi_inbox){.shared = shared,
                              .slots = (char *)(shared->ready + slots),
                              .slot_bytes = slot_bytes,
                              .mask = (uint32_t)slots - 1,
                              .near = true,
                              .seen = seen};
  *shared = (struct cwi_inbox_shared){.control = (int64_t)((uint64_t)slots << 32)};
  for (size_t i = 0; i < slots; i++)
    shared->ready[i] = 0;
}

const struct cwi_slot_head *cwi_inbox_first(struct cwi_inbox *inbox)
{
  const uint32_t slot = inbox->head & inbox->mask;
  if (inbox->batch == 0) {
    const int64_t ready = __atomic_load_n(&inbox->shared->ready[slot], __ATOMIC_ACQUIRE);
    const int64_t fresh = ready - inbox->seen[slot];
    if (fresh == 0)
      return NULL;
    __atomic_store_n(&inbox->seen[slot], ready, __ATOMIC_RELAXED);
    __atomic_store_n(&inbox->batch, (uint32_t)fresh, __ATOMIC_RELAXED);
  }
  return (const struct cwi_slot_head *)(const void *)(inbox->slots + slot * inbox->slot_bytes);
}

/* Adds free slots to the control word when they are a quarter of the ring, or when the inbox is
 * empty. */
cw_error cwi_inbox_drop(struct cwi_inbox *inbox)
{
  __atomic_store_n(&inbox->batch, inbox->batch - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&inbox->head, inbox->head + 1, __ATOMIC_RELAXED);
  inbox->behind++;
  if (inbox->behind <= inbox->mask / 4 && cwi_inbox_has_tasks(inbox))
    return CW_OK;
  const int64_t more = (int64_t)((uint64_t)inbox->behind << 32);
  inbox->behind = 0;
  if (CWI_LIKELY(inbox->near)) {
    __atomic_fetch_add(&inbox->shared->control, more, __ATOMIC_RELEASE);
    return CW_OK;
  }
  __atomic_thread_fence(__ATOMIC_RELEASE); /* reads of the slots come before the update */
  return cw_fetch_add_int64(&inbox->shared->control, more, inbox->process, NULL);
}

static uint32_t claimed_of(int64_t word)
{
  return (uint32_t)word;
}

static uint32_t limit_of(int64_t word)
{
  return (uint32_t)((uint64_t)word >> 32);
}

/* Claims slots. The first try uses the word that was seen last, which saves a read when it is still
 * current. */
static cw_error claim_slots(struct cwi_inbox_target *target, uint32_t count, uint32_t *first,
                            bool *claimed)
{
  enum { TRIES = 16 };
  int64_t expected = __atomic_load_n(&target->last, __ATOMIC_RELAXED);
  bool sure = false;
  *claimed = false;
  for (int i = 0; i < TRIES && !*claimed; i++) {
    int64_t seen = 0;
    const bool fits = limit_of(expected) - claimed_of(expected) >= count;
    if (!fits && sure)
      break;
    const uint32_t next = fits ? claimed_of(expected) + count : claimed_of(expected);
    const int64_t wanted = (int64_t)((uint64_t)limit_of(expected) << 32 | next);
    CWI_TRY(
        cw_compare_swap_int64(&target->shared->control, expected, wanted, target->process, &seen));
    *claimed = fits && seen == expected;
    *first = claimed_of(seen);
    expected = *claimed ? wanted : seen;
    sure = true;
  }
  __atomic_store_n(&target->last, expected, __ATOMIC_RELAXED);
  return CW_OK;
}

cw_error cwi_inbox_send(struct cwi_inbox_target *target, uint32_t slots, size_t slot_bytes,
                        const char *tasks, uint32_t count, bool *sent)
{
  uint32_t first = 0;
  const cw_error claimed = claim_slots(target, count, &first, sent);
  if (claimed != CW_OK)
    *sent =
        cwi_error_is_from_mpi(); /* the swap may have taken effect although MPI reported an error */
  if (claimed != CW_OK || !*sent)
    return claimed;
  const uint32_t slot = first & (slots - 1);
  const uint32_t run = count < slots - slot ? count : slots - slot;
  char *to = (char *)(target->shared->ready + slots);
  CWI_TRY(cw_put(tasks, to + slot * slot_bytes, run * slot_bytes, target->process));
  if (run < count)
    CWI_TRY(cw_put(tasks + run * slot_bytes, to, (count - run) * slot_bytes, target->process));
  return cw_notify(&target->shared->ready[slot], count, target->process);
}
