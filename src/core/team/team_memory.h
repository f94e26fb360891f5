/* The memory that the members of a team on one node share: a barrier, and for each member an entry
 * to exchange and a bounce buffer to share.
 *
 * Entries and bounce buffers are double-buffered: a member that writes number k+2 has passed
 * barrier k+1, which every member entered only after it had read number k. So an exchange costs one
 * barrier. */
#ifndef CWI_TEAM_TEAM_MEMORY_H
#define CWI_TEAM_TEAM_MEMORY_H

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What members tell each other; the rooms above give the fields their meaning. */
struct cwi_entry {
  uint64_t address, bytes, place, key, status;
  uint64_t call; /* the exchange's: which call and which exchange this is */
};

/* On a line of its own: what nobody reads costs nobody else anything. */
struct cwi_padded_entry {
  struct cwi_entry entry;
  uint64_t padding[2];
};

struct cwi_team_memory {
  uint64_t arrived; /* members; from bit 32 on the sum of what they value */
  uint32_t left;    /* members that have ended the team */
  uint32_t members; /* this and the next are rank 0's, after it has ended the team */
  struct cwi_team_memory *next_retired;
  char *wide; /* larger bounce buffers, in rank 0's words; NULL: none */
  uint32_t padding[8];
  struct cwi_signal
      generation; /* on its own cache line: waiters read it, arrivals write the other */
  uint32_t odd;   /* did the members of the last barrier not value the same? */
  uint32_t padding2[13];
  struct cwi_padded_entry entries[]; /* [2][members], then bounce buffers [2][members][CWI_BOUNCE],
                                 then waits */
};

enum { CWI_BOUNCE = 4096 };

static inline size_t cwi_team_memory_bytes(int members)
{
  return sizeof(struct cwi_team_memory) + (size_t)members * (2 * sizeof(struct cwi_padded_entry) +
                                                             2 * CWI_BOUNCE + sizeof(uint64_t));
}

/* The bounce buffer of a member at meeting number `number` of the team. */
static inline char *cwi_team_memory_bounce(struct cwi_team_memory *memory, int members,
                                           unsigned number, int rank)
{
  char *bounces = (char *)(memory->entries + 2 * (size_t)members);
  return bounces + ((size_t)(number % 2) * (size_t)members + (size_t)rank) * CWI_BOUNCE;
}

/* [members] The generation that a member waits to end, plus 1, or 0: a member that waits long notes
 * it here, so that others can tell which member is missing. */
static inline uint64_t *cwi_team_memory_waits(struct cwi_team_memory *memory, int members)
{
  return (uint64_t *)(void *)cwi_team_memory_bounce(memory, members, 0, 2 * members);
}

void cwi_team_memory_clear(struct cwi_team_memory *memory, int members);

/* A barrier, and whether all members value the same number: the last one that comes adds them up,
 * and the others hear it where they hear that they may go on. False: they do not. True, though they
 * do not: of random numbers at most once in 2^32 / (members / 2) times for three members or more,
 * and never for two. */
bool cwi_team_memory_barrier(struct cwi_team_memory *memory, int members, int rank, uint32_t value);

/* Has the member come to the barrier that its team waits in now? True, if it has waited a while.
 */
bool cwi_team_memory_has_come(struct cwi_team_memory *memory, int members, int rank);
#endif
