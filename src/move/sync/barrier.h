/* Synchronisation, and atomic updates of single elements.
 *
 * atomic_calls.c       fetch-and-op, compare-and-swap, read, write, get-accumulate
 * barrier.c            fence and barrier
 * home_access.c        access to the state of teams on several nodes, in jobs that survive failures
 * mutex.c              the public calls of mutexes
 * mutex_mpi.c          mutexes between nodes without servers: a queue on an MPI window
 * mutex_node.c         mutexes in a node's memory: ticket locks
 * mutex_set.c          names and memory of sets of mutexes
 * mutex_survivors.c    mutexes that survive the failure of their holder
 * notification.c       counters that are incremented when the data has arrived
 * notification_sets.c  sets of such counters
 *
 * This header declares the work of cw_barrier, for modules that are already in a collective call.
 */
#pragma once

#include "base/error.h"
#include "team/team.h"

/* Completes all operations that this process has started, then waits for all members. The program
 * may have freed the team's handle. Collective over the team. Errors: CW_OUTSIDE. If the fence
 * fails, the call returns its error only after the barrier, so that the other members do not wait
 * forever. */
CWI_CHECKED cw_error cwi_synchronise(cw_team team);

/* Like cwi_synchronise, for the first of two barriers. Sets *arrived to true if all members have
 * arrived at the barrier. If *arrived is false, no member may enter the second barrier. */
CWI_CHECKED cw_error cwi_synchronise_first(cw_team team, bool *arrived);
