/* Synchronisation, and atomic updates of single elements.
 *
 * barrier.c        fence and barrier
 * atomic_calls.c         fetch-and-op, compare-and-swap, read, write, get-accumulate
 * mutex.c          the public calls of mutexes
 * mutex_node.c     mutexes in a node's memory: ticket locks
 * mutex_mpi.c      mutexes between nodes without servers: a queue on an MPI window
 * notification.c         counters that are incremented when the data has arrived
 * notification_sets.c  sets of such counters
 *
 * This header has the work of cw_barrier, for rooms that are already in a collective call. */
#ifndef CWI_SYNC_BARRIER_H
#define CWI_SYNC_BARRIER_H

#include "base/error.h"
#include "team/team.h"

/* Complete everything that I have started, then wait for all members; also of a team that the
 * program has freed. Collective over the team. Errors: CW_OUTSIDE; what was refused is told here,
 * but the others wait for this process all the same. */
CWI_CHECKED cw_error cwi_synchronise(cw_team team);

/* The first of two. met: all have come; else none comes to the second. */
CWI_CHECKED cw_error cwi_synchronise_first(cw_team team, bool *met);
#endif
