/* Barriers of teams on one node, in shared memory. */
#include "team/team_memory.h"

#include "base/error.h"

#include <string.h>

void cwi_team_memory_clear(struct cwi_team_memory *memory, int members)
{
  uint64_t *waits = cwi_team_memory_waits(memory, members);
  memset(memory, 0, sizeof *memory);
  /* the memory may come from an older team */
  memset(memory->entries, 0, 2 * (size_t)members * sizeof *memory->entries);
  memset(waits, 0, (size_t)members * sizeof *waits);
}

enum { NOTE_POLLS = 256 };

bool cwi_team_memory_has_arrived(struct cwi_team_memory *memory, int members, int rank)
{
  return __atomic_load_n(&cwi_team_memory_waits(memory, members)[rank], __ATOMIC_RELAXED) ==
         (uint64_t)cwi_signal_value(&memory->generation) + 1;
}

/* Waits until the generation ends. A member that has polled NOTE_POLLS times notes the generation
 * in *waits, for reports. */
static void memory_await_end(struct cwi_team_memory *memory, uint32_t generation, uint64_t *waits)
{
  struct cwi_wait wait = {.sleeps = true};
  while (cwi_signal_value(&memory->generation) == generation) {
    if (wait.poll_count++ == NOTE_POLLS)
      __atomic_store_n(waits, (uint64_t)generation + 1, __ATOMIC_RELAXED);
    cwi_signal_wait(&wait, &memory->generation, generation);
  }
  if (wait.poll_count > NOTE_POLLS) /* after 2^32 barriers the note would be taken for a new one */
    __atomic_store_n(waits, 0, __ATOMIC_RELAXED);
}

bool cwi_team_memory_barrier(struct cwi_team_memory *memory, int members, int rank, uint32_t value)
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
    return !odd;
  }
  memory_await_end(memory, generation, &cwi_team_memory_waits(memory, members)[rank]);
  /* `odd` is stable: only the next barrier may change it, and that cannot end before this member
   * arrives. */
  return __atomic_load_n(&memory->odd, __ATOMIC_RELAXED) == 0;
}
