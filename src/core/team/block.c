/* Barriers of teams on one node, in shared memory. */
#include "team/block.h"

#include <string.h>

void cwi_block_clear(struct cwi_block *block)
{
  memset(block, 0, sizeof *block);
}

enum { NOTE_TURNS = 256 };

bool cwi_block_has_come(struct cwi_block *block, int members, int rank)
{
  return __atomic_load_n(&cwi_block_waits(block, members)[rank], __ATOMIC_RELAXED) ==
         cwi_signal_value(&block->epoch) + 1;
}

void cwi_block_barrier(struct cwi_block *block, int members, int rank)
{
  const uint32_t epoch = cwi_signal_value(&block->epoch);
  if (__atomic_add_fetch(&block->arrived, 1, __ATOMIC_ACQ_REL) == (uint32_t)members) {
    __atomic_store_n(&block->arrived, 0, __ATOMIC_RELAXED);
    cwi_signal_advance(&block->epoch);
    return;
  }
  struct cwi_wait wait = {.sleeps = true};
  while (cwi_signal_value(&block->epoch) == epoch) {
    if (wait.looks++ == NOTE_TURNS)
      __atomic_store_n(&cwi_block_waits(block, members)[rank], epoch + 1, __ATOMIC_RELAXED);
    cwi_signal_wait(&wait, &block->epoch, epoch);
  }
}
