/* Barriers of teams on one node, in shared memory. */
#include "team/team_memory.h"

#include "base/error.h"
#include "team/survivors.h"
#include "wait/failures.h"

#include <string.h>

void cwi_team_memory_clear(struct cwi_team_memory *memory, const int *processes, int members)
{
  uint64_t *waits = cwi_team_memory_waits(memory, members);
  memset(memory, 0, sizeof *memory);
  /* the memory may come from an older team */
  memset(memory->entries, 0, 2 * (size_t)members * sizeof *memory->entries);
  memset(waits, 0, (size_t)members * sizeof *waits);
  if (cwi_survives()) {
    memory->arrived = CWI_ARRIVAL_SURVIVES;
    cwi_survivors_clear(memory, processes, members);
  }
}

enum { NOTE_POLLS = 256 };

bool cwi_team_memory_has_arrived(struct cwi_team_memory *memory, int members, int rank)
{
  return __atomic_load_n(&cwi_team_memory_waits(memory, members)[rank], __ATOMIC_RELAXED) ==
         (uint64_t)cwi_signal_value(&memory->generation) + 1;
}

/* Makes one pass of a wait for the end of the generation. A member that has polled NOTE_POLLS times
 * notes the generation in *waits, for reports. */
static void memory_wait(struct cwi_team_memory *memory, uint32_t generation, uint64_t *waits,
                        struct cwi_wait *wait)
{
  if (wait->poll_count++ == NOTE_POLLS)
    __atomic_store_n(waits, (uint64_t)generation + 1, __ATOMIC_RELAXED);
  cwi_signal_wait(wait, &memory->generation, generation);
}

/* Removes the note: after 2^32 barriers it would be taken for a new one. */
static void memory_wait_end(uint64_t *waits, const struct cwi_wait *wait)
{
  if (wait->poll_count > NOTE_POLLS)
    __atomic_store_n(waits, 0, __ATOMIC_RELAXED);
}

static uint32_t barrier_number(uint64_t word)
{
  return (uint32_t)word >> CWI_ARRIVAL_BARRIER;
}

/* Returns the word after `word`, or `word` itself if the barrier cannot end yet. It ends when all
 * members have arrived, and is broken when one of them has failed before. */
static uint64_t next_word(const struct cwi_team_memory *memory, int members, uint64_t word,
                          uint32_t value)
{
  if ((word & CWI_ARRIVAL_BROKEN) != 0)
    return word;
  if ((word & CWI_ARRIVAL_MOST) == (uint64_t)members) {
    const bool odd = (uint32_t)(word >> 32) != value * (uint32_t)members;
    const uint32_t number = barrier_number(word) + 1;
    return (uint32_t)(number << CWI_ARRIVAL_BARRIER) | CWI_ARRIVAL_SURVIVES |
           (odd ? CWI_ARRIVAL_ODD : 0U);
  }
  return cwi_failures_count() > 0 && cwi_survivors_missing(memory, members)
             ? word | CWI_ARRIVAL_BROKEN
             : word;
}

/* Waits in a job that survives failures; `arrived` is the word after my arrival. Every member that
 * finds that the barrier can end tries to end it, because the member that arrived last may have
 * failed. */
static enum cwi_meeting survivors_await_end(struct cwi_team_memory *memory, int members, int rank,
                                            uint64_t arrived, uint32_t value)
{
  uint64_t *waits = &cwi_team_memory_waits(memory, members)[rank];
  struct cwi_wait wait = {.sleeps = true};
  while (true) {
    const uint32_t generation = cwi_signal_value(&memory->generation);
    uint64_t word = __atomic_load_n(&memory->arrived, __ATOMIC_ACQUIRE);
    if (barrier_number(word) != barrier_number(arrived)) { /* the next one may be broken already */
      memory_wait_end(waits, &wait);
      return (word & CWI_ARRIVAL_ODD) == 0 ? CWI_MEETING_ALIKE : CWI_MEETING_ODD;
    }
    if ((word & CWI_ARRIVAL_BROKEN) != 0) {
      memory_wait_end(waits, &wait);
      /* my arrival must not remain: after many broken barriers the number would overflow */
      __atomic_fetch_sub(&memory->arrived, (uint64_t)value << 32 | 1, __ATOMIC_ACQ_REL);
      return CWI_MEETING_BROKEN;
    }
    const uint64_t next = next_word(memory, members, word, value);
    if (next == word)
      memory_wait(memory, generation, waits, &wait);
    else if (__atomic_compare_exchange_n(&memory->arrived, &word, next, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
      cwi_signal_advance(&memory->generation);
  }
}

static void memory_await_end(struct cwi_team_memory *memory, uint32_t generation, uint64_t *waits)
{
  struct cwi_wait wait = {.sleeps = true};
  while (cwi_signal_value(&memory->generation) == generation)
    memory_wait(memory, generation, waits, &wait);
  memory_wait_end(waits, &wait);
}

enum cwi_meeting cwi_team_memory_barrier(struct cwi_team_memory *memory, int members, int rank,
                                         uint32_t value)
{
  const uint32_t generation = cwi_signal_value(&memory->generation);
  const uint64_t now =
      __atomic_add_fetch(&memory->arrived, (uint64_t)value << 32 | 1, __ATOMIC_ACQ_REL);
  if ((uint32_t)now == (uint32_t)members) {
    const bool odd = (uint32_t)(now >> 32) != value * (uint32_t)members;
    if (CWI_UNLIKELY(memory->odd != odd))
      __atomic_store_n(&memory->odd, odd, __ATOMIC_RELAXED);
    __atomic_store_n(&memory->arrived, 0, __ATOMIC_RELAXED);
    cwi_signal_advance(&memory->generation);
    return odd ? CWI_MEETING_ODD : CWI_MEETING_ALIKE;
  }
  if (CWI_UNLIKELY((now & CWI_ARRIVAL_SURVIVES) != 0))
    return survivors_await_end(memory, members, rank, now, value);
  memory_await_end(memory, generation, &cwi_team_memory_waits(memory, members)[rank]);
  /* `odd` is stable: only the next barrier may change it, and that cannot end before this member
   * arrives. */
  return __atomic_load_n(&memory->odd, __ATOMIC_RELAXED) == 0 ? CWI_MEETING_ALIKE : CWI_MEETING_ODD;
}
