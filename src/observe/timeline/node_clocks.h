/* How far the clocks of nodes are from that of process 0. */
#ifndef CWI_TIMELINE_NODE_CLOCKS_H
#define CWI_TIMELINE_NODE_CLOCKS_H

#include "base/error.h"

#include <mpi.h>
#include <stdint.h>

/* What one look at a clock found. */
struct cwi_clock_sample {
  int64_t ahead; /* nanoseconds: the clock minus that of process 0 */
  uint64_t at;   /* on that clock */
  uint64_t trip; /* what a message there and back took: the look is wrong by half of it at most */
};

/* Process 0 samples at the clock of each node: samples[node]; elsewhere NULL. Collective over the
 * world, of which comm has all processes in order. */
CWI_CHECKED cw_error cwi_clocks_sample(struct cwi_clock_sample *samples, MPI_Comm comm);

/* A time on the clock that was looked at twice, on that of process 0. A clock that neither look can
 * tell from it is the same. */
uint64_t cwi_clock_aligned(const struct cwi_clock_sample samples[2], uint64_t time);
#endif
