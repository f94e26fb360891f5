/* How far the clocks of nodes are from that of process 0. */
#ifndef CWI_REPORT_CLOCKS_H
#define CWI_REPORT_CLOCKS_H

#include "base/check.h"

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one look at a clock found. */
struct cwi_clock_look {
  int64_t ahead; /* nanoseconds: the clock minus that of process 0 */
  uint64_t at;   /* on that clock */
  uint64_t trip; /* what a message there and back took: the look is wrong by half of it at most */
};

/* Process 0 looks at the clock of each node: looks[node]; elsewhere NULL. Collective over the
 * world, of which comm has all processes in order. */
CWI_CHECKED cw_error cwi_clocks_look(struct cwi_clock_look *looks, MPI_Comm comm);

/* A time on the clock that was looked at twice, on that of process 0. A clock that neither look can
 * tell from it is the same. */
uint64_t cwi_clock_aligned(const struct cwi_clock_look looks[2], uint64_t time);

#ifdef __cplusplus
}
#endif
#endif
