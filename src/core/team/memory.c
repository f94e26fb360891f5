/* Barriers of teams on one node, in shared memory. */
#include "team/memory.h"

#include <string.h>

void cwi_team_memory_clear(struct cwi_team_memory *memory, int members)
{
  uint32_t *waits = cwi_team_memory_waits(memory, members);
  memset(memory, 0, sizeof *memory);
  memset(waits, 0, (size_t)members * sizeof *waits);
}

enum { NOTE_TURNS = 256 };

bool cwi_team_memory_has_come(struct cwi_team_memory *memory, int members, int rank)
{
  return __atomic_load_n(&cwi_team_memory_waits(memory, members)[rank], __ATOMIC_RELAXED) ==
         cwi_signal_value(&memory->generation) + 1;
}

void cwi_team_memory_barrier(struct cwi_team_memory *memory, int members, int rank)
{
  const uint32_t generation = cwi_signal_value(&memory->generation);
  if (__atomic_add_fetch(&memory->arrived, 1, __ATOMIC_ACQ_REL) == (uint32_t)members) {
    __atomic_store_n(&memory->arrived, 0, __ATOMIC_RELAXED);
    cwi_signal_advance(&memory->generation);
    return;
  }
  struct cwi_wait wait = {.sleeps = true};
  while (cwi_signal_value(&memory->generation) == generation) {
    if (wait.looks++ == NOTE_TURNS)
      __atomic_store_n(&cwi_team_memory_waits(memory, members)[rank], generation + 1,
                       __ATOMIC_RELAXED);
    cwi_signal_wait(&wait, &memory->generation, generation);
  }
}
