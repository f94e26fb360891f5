/* The kernels random and random-exact: words of a table, at random, are changed by exclusive or. */
#ifndef PRK_RANDOM_H
#define PRK_RANDOM_H

#include "kernel.h"
#include "mailbox.h"

/* Updates that a process may keep to itself, after HPC Challenge; and those whose cache lines it
 * asks for at a time. */
enum { LOOKAHEAD = 1024, AHEAD = 16 };

struct table {
  struct state state;
  int bits;          /* the table has 2 to this number of words */
  int64_t updates;   /* of all processes, in one iteration */
  struct span share; /* of the updates: this process's */
  uint64_t start;    /* the random word before them */
  struct span part;  /* of the table: this process's words */
  uint64_t *words;
  uint64_t **bases; /* by process: word i of the table lies at bases[owner] + i, if it may be loaded
                       here */
  bool whole;       /* this process may load and store all words */
  uint64_t *operands;     /* [LOOKAHEAD] of updates of own words */
  struct mailbox mailbox; /* of buckets */
};

/* The next word of the stream: the one before, times x, modulo a polynomial over two elements. */
static inline uint64_t table_next(uint64_t word)
{
  return word << 1 ^ ((int64_t)word < 0 ? UINT64_C(7) : 0);
}

/* The word of the table that a random word changes, and its process. */
static inline uint64_t table_index(const struct table *table, uint64_t word)
{
  return word & ((UINT64_C(1) << table->bits) - 1);
}

static inline int table_owner(const struct table *table, uint64_t index)
{
  const uint64_t processes = (uint64_t)table->state.problem->processes;
  return (int)(((index + 1) * processes - 1) >> table->bits);
}

/* Exclusive or into the words of the table, one after the other. */
void random_store(const struct table *table);

/* Buckets: random-exact on Causeway, and both kernels by MPI's two-sided and one-sided calls. */
extern const struct side random_causeway, random_buckets, random_shared;
extern const struct side random_exact_shared;

#endif
