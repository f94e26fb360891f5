/* Mutex sets. There is one table of functions for each implementation of mutexes. */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <causeway/sync.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An implementation of mutexes. `rank` is the host's rank in the set's team. mutex.c checks number
 * and rank before it calls these functions. With the set's list of holders it also detects a thread
 * that locks a mutex again or unlocks one that it does not hold. */
struct cwi_mutex_kind {
  const char *name;
  cw_error (*create)(cw_mutexes set);  /* collective; set->counts is filled in; sets set->state */
  cw_error (*destroy)(cw_mutexes set); /* collective */
  cw_error (*lock)(cw_mutexes set, size_t number, int rank);
  cw_error (*unlock)(cw_mutexes set, size_t number, int rank);
  cw_error (*trylock)(cw_mutexes set, size_t number, int rank, bool *acquired);
  int (*holder)(cw_mutexes set, size_t number,
                int rank); /* returns the process that holds the mutex, or -1 if that is unknown */
};

/* Largest number of mutexes in a set, small enough that sizes computed from it do not overflow. */
#define CWI_MUTEXES_MOST ((size_t)1 << 40)

/* A set of mutexes. */
struct cwi_mutexes {
  const struct cwi_mutex_kind *kind;
  cw_team team;       /* the set keeps a reference */
  size_t *counts;     /* [team size] mutexes hosted by each member */
  size_t *firsts;     /* [team size] index in `holders` of a member's first mutex */
  uintptr_t *holders; /* [all mutexes] 0, or the thread of this process that holds the mutex or
                         waits for it */
  unsigned *depths; /* [all mutexes] how many times the holder has locked it again; mutexes of ARMCI
                       may be nested */
  void *state;      /* private to the implementation */
  size_t home_first; /* place of the set's first mutex at the home of a team on several nodes */
  uint64_t number;   /* position in the order in which the team's sets were created */
  size_t each; /* if not 0, the program numbers all mutexes of the set consecutively: the number of
                  a mutex is number + each * host */
};

/* Returns the number of mutexes of all members. */
static inline size_t cwi_mutex_count(cw_mutexes set)
{
  const int last = set->team->size - 1;
  return set->firsts[last] + set->counts[last];
}

extern const struct cwi_mutex_kind cwi_mutex_node;      /* ticket locks in the memory of a node */
extern const struct cwi_mutex_kind cwi_mutex_survivors; /* words that name their holder */
extern const struct cwi_mutex_kind cwi_mutex_mpi;       /* Latham's queue on an MPI window */

/* cwi_mutex_allocate makes the region set->state, with `each` bytes of zeros for each mutex of a
 * member. cwi_mutex_deallocate frees it. Collective. */
CWI_CHECKED cw_error cwi_mutex_allocate(cw_mutexes set, size_t each);
CWI_CHECKED cw_error cwi_mutex_deallocate(cw_mutexes set);

/* Checks that `set`, the argument called `name`, is an existing set. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_mutexes(const char *name, cw_mutexes set);

/* Locks like cw_mutex_lock, but the holder of a mutex may lock it again; the mutex is released by
 * the last unlock. */
CWI_CHECKED cw_error cwi_mutex_lock_again(cw_mutexes set, size_t number, int process);

/* Writes the name by which the program knows a mutex: "mutex 5" or "mutex 1 of process 2". */
enum { CWI_MUTEX_NAME = 48 };
void cwi_mutex_name(cw_mutexes set, size_t number, int process, char *text, size_t size);

/* Iterates over the existing sets: returns the first one for NULL, and NULL after the last. */
cw_mutexes cwi_mutexes_next(cw_mutexes set);

/* Frees all sets that the program has not freed when Causeway stops, in the same order on all
 * processes. */
CWI_CHECKED cw_error cwi_mutexes_stop(void);
