/* Synchronisation, and atomic updates of single elements.
 *
 * atomic_calls.c       fetch-and-op, compare-and-swap, read, write, get-accumulate
 * barrier.c            fence and barrier
 * mutex.c              the public calls of mutexes
 * mutex_mpi.c          mutexes between nodes without servers: a queue on an MPI window
 * mutex_node.c         mutexes in a node's memory: ticket locks
 * notification.c       counters that are incremented when the data has arrived
 * notification_sets.c  sets of such counters
 *
 * This header has the work of cw_barrier, for modules that are already in a collective call. */
#ifndef CWI_SYNC_BARRIER_H
#define CWI_SYNC_BARRIER_H

#include "base/error.h"
#include "team/team.h"

/* Completes everything that this process has started, then waits for all members. The program may
 * have freed the team. Collective over the team. Errors: CW_OUTSIDE. An error of the fence is
 * returned after the barrier, so that the other members do not wait for ever. */
CWI_CHECKED cw_error cwi_synchronise(cw_team team);

/* Like cwi_synchronise, for the first of two barriers. Sets *arrived to true if all members have
 * arrived. If false, no member may enter the second one. */
CWI_CHECKED cw_error cwi_synchronise_first(cw_team team, bool *arrived);
#endif
