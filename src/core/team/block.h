/* A team's block of shared memory: its barrier, and for each member an entry to exchange and a page
 * to share.
 *
 * Entries and pages are double-buffered: a member that writes number k+2 has passed barrier k+1,
 * which every member entered only after it had read number k. So an exchange costs one barrier. */
#ifndef CWI_TEAM_BLOCK_H
#define CWI_TEAM_BLOCK_H

#include "base/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What members tell each other; the rooms above give the fields their meaning. */
struct cwi_entry {
  uint64_t address, bytes, key, status;
  uint64_t call; /* the exchange's: which call and which exchange this is */
};

struct cwi_block {
  uint32_t arrived;
  uint32_t left;    /* members that have ended the team */
  uint32_t members; /* this and the next are rank 0's, after it has ended the team */
  uint32_t unused;
  struct cwi_block *next_retired;
  char *wide; /* larger pages, in rank 0's words; NULL: none */
  uint32_t padding[8];
  struct cwi_signal epoch; /* on its own cache line: waiters read it, arrivals write the other */
  uint32_t padding2[14];
  struct cwi_entry entries[]; /* [2][members], then pages [2][members][CWI_PAGE], then waits,
                                  then names [2][members] */
};

enum { CWI_PAGE = 4096, CWI_CALL_NAME = 48 };

static inline size_t cwi_block_bytes(int members)
{
  return sizeof(struct cwi_block) + (size_t)members * (2 * sizeof(struct cwi_entry) + 2 * CWI_PAGE +
                                                       sizeof(uint32_t) + 2 * CWI_CALL_NAME);
}

/* The page of a member in exchange number `number`. */
static inline char *cwi_block_page(struct cwi_block *block, int members, unsigned number, int rank)
{
  char *pages = (char *)(block->entries + 2 * (size_t)members);
  return pages + ((size_t)(number % 2) * (size_t)members + (size_t)rank) * CWI_PAGE;
}

/* [members] The epoch that a member waits to end, plus 1: a member that waits long notes it here,
 * so that others can tell which member is missing. */
static inline uint32_t *cwi_block_waits(struct cwi_block *block, int members)
{
  return (uint32_t *)(void *)cwi_block_page(block, members, 0, 2 * members);
}

/* The call that a member is in, at meeting number `number` of the team: it has said so before it
 * came. */
static inline char *cwi_block_name(struct cwi_block *block, int members, unsigned number, int rank)
{
  char *names = (char *)(cwi_block_waits(block, members) + members);
  return names + ((size_t)(number % 2) * (size_t)members + (size_t)rank) * CWI_CALL_NAME;
}

void cwi_block_clear(struct cwi_block *block);
void cwi_block_barrier(struct cwi_block *block, int members, int rank);

/* Has the member come to the barrier that the block waits in now? True, if it has waited a while.
 */
bool cwi_block_has_come(struct cwi_block *block, int members, int rank);

#ifdef __cplusplus
}
#endif
#endif
