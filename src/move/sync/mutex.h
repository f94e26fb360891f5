/* Mutex sets: one table of functions for each way to keep them. */
#ifndef CWI_SYNC_MUTEX_H
#define CWI_SYNC_MUTEX_H

#include "base/error.h"
#include "team/team.h"

#include <causeway/sync.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `rank` is the host's rank in the set's team; number and rank are checked before. The set's own
 * list of what this process holds catches recursion and unlocking without holding. */
struct cwi_mutex_kind {
  const char *name;
  cw_error (*create)(cw_mutexes set);  /* collective; counts are filled in; sets set->state */
  cw_error (*destroy)(cw_mutexes set); /* collective */
  cw_error (*lock)(cw_mutexes set, size_t number, int rank);
  cw_error (*unlock)(cw_mutexes set, size_t number, int rank);
  cw_error (*trylock)(cw_mutexes set, size_t number, int rank, bool *acquired);
  int (*holder)(cw_mutexes set, size_t number, int rank); /* a process; -1: not known here */
};

/* All mutexes of a set: sizes computed from it do not wrap. */
#define CWI_MUTEXES_MOST ((size_t)1 << 40)

struct cwi_mutexes {
  const struct cwi_mutex_kind *kind;
  cw_team team;       /* kept */
  size_t *counts;     /* [team size] mutexes hosted by each member */
  size_t *firsts;     /* [team size] index of a member's first in `holders` */
  uintptr_t *holders; /* [all] 0, or the thread of this process that holds or waits for it */
  unsigned *depths;   /* [all] how often the holder has locked it again: ARMCI's mutexes nest */
  void *state;        /* the kind's */
  uint64_t number;    /* sets of a team are numbered as they were made */
  size_t each;        /* what the program counts through: number + each * host; 0: it knows hosts */
};

extern const struct cwi_mutex_kind cwi_mutex_node; /* ticket locks in the memory of a node */
extern const struct cwi_mutex_kind cwi_mutex_mpi;  /* Latham's queue on an MPI window */

/* Is this a set that lives? `name`: of the argument. */
CWI_CHECKED cw_error cwi_check_mutexes(const char *name, cw_mutexes set);

/* Lock as cw_mutex_lock, but the holder of a mutex may lock it again, and has it until the last
 * unlock. */
CWI_CHECKED cw_error cwi_mutex_lock_again(cw_mutexes set, size_t number, int process);

/* "mutex 5", or "mutex 1 of process 2": as the program knows it. */
enum { CWI_MUTEX_NAME = 48 };
void cwi_mutex_name(cw_mutexes set, size_t number, int process, char *text, size_t size);

/* The sets that live: NULL gives the first, NULL comes after the last. */
cw_mutexes cwi_mutexes_next(cw_mutexes set);

/* Free every set that is left (at shut-down, in one order on all processes). */
CWI_CHECKED cw_error cwi_mutexes_stop(void);
#endif
