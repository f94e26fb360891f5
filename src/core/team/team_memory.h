/* Memory that the members of a team on one node share: a barrier, and for each member an entry for
 * exchanges and a bounce buffer.
 *
 * Entries and bounce buffers are double-buffered: a member that writes number k+2 has passed
 * barrier k+1, which every member entered only after it had read number k. So an exchange costs one
 * barrier. */
#pragma once

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry that a member exchanges with the others. The callers define the meaning of the fields,
 * except `call`. */
struct cwi_entry {
  uint64_t address, bytes, place, key, status;
  uint64_t call; /* set by the exchange: identifies the call and the meeting */
};

/* An entry with a cache line of its own, so that a member's store disturbs no other entry. */
struct cwi_padded_entry {
  struct cwi_entry entry;
  uint64_t padding[2];
};

struct cwi_team_memory {
  /* Number of members that have arrived; the sum of their values from bit 32 on. In a job that
   * survives failures, bits 13 to 31 are those of enum cwi_arrival_bits. */
  uint64_t arrived;
  uint32_t left;    /* number of members that have freed the team */
  uint32_t members; /* this and next_retired are used by rank 0 after it has freed the team */
  struct cwi_team_memory *next_retired;
  char *wide; /* larger bounce buffers, valid in rank 0's address space; NULL if there are none */
  uint32_t padding[8];
  /* on another cache line than `arrived`, which arriving members write while others read this */
  struct cwi_signal generation;
  uint32_t odd; /* true if the values of the last barrier's members were not all equal */
  uint32_t padding2[13];
  /* [2][members], followed by bounce buffers [2][members][CWI_BOUNCE] and waits [members] */
  struct cwi_padded_entry entries[];
};

enum { CWI_BOUNCE = 4096 };

/* Bits of `arrived` in a job that survives failures. One atomic instruction on this word ends a
 * barrier or breaks it, so that all members see the same of the two, wherever a member fails.
 * CWI_ARRIVAL_SURVIVES is always set: the number of arrived members then never equals that of all
 * members, and every member goes through the slow path. */
enum cwi_arrival_bits {
  CWI_ARRIVAL_MOST = 8191,      /* the number of arrived members, in bits 0 to 12 */
  CWI_ARRIVAL_ODD = 1 << 13,    /* the values of the last barrier's members were not the same */
  CWI_ARRIVAL_BROKEN = 1 << 14, /* a member failed before all had arrived; the last state */
  CWI_ARRIVAL_SURVIVES = 1 << 15,
  CWI_ARRIVAL_BARRIER = 16 /* position of the number of the barrier, modulo 2^16 */
};

/* Space for the agreement of survivors (team/survivors.c); 0 bytes in other jobs. */
size_t cwi_survivors_bytes(int members);

static inline size_t cwi_team_memory_bytes(int members)
{
  return sizeof(struct cwi_team_memory) +
         (size_t)members *
             (2 * sizeof(struct cwi_padded_entry) + 2 * CWI_BOUNCE + sizeof(uint64_t)) +
         cwi_survivors_bytes(members);
}

/* Returns the bounce buffer of a member at meeting `number` of the team. */
static inline char *cwi_team_memory_bounce(struct cwi_team_memory *memory, int members,
                                           unsigned number, int rank)
{
  char *bounces = (char *)(memory->entries + 2 * (size_t)members);
  return bounces + ((size_t)(number % 2) * (size_t)members + (size_t)rank) * CWI_BOUNCE;
}

/* Returns the array of waits [members]: the generation whose end a member waits for, plus 1, or 0.
 * A member that waits long stores it here, so that others can determine which members are missing.
 */
static inline uint64_t *cwi_team_memory_waits(struct cwi_team_memory *memory, int members)
{
  return (uint64_t *)(void *)cwi_team_memory_bounce(memory, members, 0, 2 * members);
}

/* Initialises the memory of a team of these processes; the bounce buffers need no initial value. */
void cwi_team_memory_clear(struct cwi_team_memory *memory, const int *processes, int members);

/* The end of a barrier. All members see the same. */
enum cwi_meeting {
  CWI_MEETING_ODD,   /* all have arrived; their values differ */
  CWI_MEETING_ALIKE, /* all have arrived, with the same value */
  CWI_MEETING_BROKEN /* a member failed before all had arrived; all later ones end like this */
};

/* Waits for all members. The last member to arrive compares the sum of the values, and the others
 * read its result when they leave. If the values differ, their sum may hide that. For random values
 * and three members or more, the result is then wrongly CWI_MEETING_ALIKE with a probability of at
 * most (members / 2) / 2^32. For two members it is never wrong. */
enum cwi_meeting cwi_team_memory_barrier(struct cwi_team_memory *memory, int members, int rank,
                                         uint32_t value);

/* Returns true if the member is known to wait in the current barrier of its team. A member records
 * its wait only after a while. */
bool cwi_team_memory_has_arrived(struct cwi_team_memory *memory, int members, int rank);
