/* A team's block of shared memory: its barrier, and one entry of exchange for each member.
 *
 * Entries are double-buffered: a member that writes entry k+2 has passed barrier k+1, which every
 * member entered only after it had read entry k. So an exchange costs one barrier. */
#ifndef CWI_TEAM_BLOCK_H
#define CWI_TEAM_BLOCK_H

#include "base/lock.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What members tell each other; the rooms above give the fields their meaning. */
struct cwi_entry {
  uint64_t address, bytes, key, status;
};

struct cwi_block {
  uint32_t arrived;
  uint32_t left;    /* members that have ended the team */
  uint32_t members; /* this and the next are rank 0's, after it has ended the team */
  uint32_t unused;
  struct cwi_block *next_retired;
  uint32_t padding[10];
  struct cwi_signal epoch; /* on its own cache line: waiters read it, arrivals write the other */
  uint32_t padding2[14];
  struct cwi_entry entries[]; /* [2][members] */
};

static inline size_t cwi_block_bytes(int members)
{
  return sizeof(struct cwi_block) + 2 * (size_t)members * sizeof(struct cwi_entry);
}

void cwi_block_clear(struct cwi_block *block, int members);
void cwi_block_barrier(struct cwi_block *block, int members);

#ifdef __cplusplus
}
#endif
#endif
