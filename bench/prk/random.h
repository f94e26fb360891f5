/* The kernels random and random-exact: random words of a table are changed by exclusive or. */
#pragma once

#include "kernel.h"
#include "mailbox.h"

/* Number of updates that a process may hold back, after HPC Challenge; and of those whose cache
 * lines are prefetched at a time. */
enum { LOOKAHEAD = 1024, AHEAD = 16 };

struct table {
  struct state state;
  int bits;          /* the table has 2^bits words */
  int64_t updates;   /* of all processes in one iteration */
  struct span share; /* this process's updates */
  uint64_t start;    /* the random word before them */
  struct span part;  /* this process's words of the table */
  uint64_t *words;
  uint64_t *
      *bases; /* by process: word i of the table is at bases[owner] + i, if it can be loaded here */
  bool whole; /* this process can load and store all words */
  uint64_t *operands;     /* [LOOKAHEAD] operands of updates of own words */
  struct mailbox mailbox; /* mailbox for buckets */
};

/* Returns the next word of the stream: the previous one times x, modulo a polynomial over GF(2). */
static inline uint64_t table_next(uint64_t word)
{
  return word << 1 ^ ((int64_t)word < 0 ? UINT64_C(7) : 0);
}

/* Returns the index of the word of the table that a random word changes. */
static inline uint64_t table_index(const struct table *table, uint64_t word)
{
  return word & ((UINT64_C(1) << table->bits) - 1);
}

static inline int table_owner(const struct table *table, uint64_t index)
{
  const uint64_t processes = (uint64_t)table->state.problem->processes;
  return (int)(((index + 1) * processes - 1) >> table->bits);
}

/* Applies this process's updates to the table one after the other, by plain loads and stores. */
void random_store(const struct table *table);

/* Sides with buckets: random-exact on Causeway, and both kernels by MPI's two-sided and one-sided
 * calls. */
extern const struct side random_causeway, random_buckets, random_shared;
extern const struct side random_exact_shared;
