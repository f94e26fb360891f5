/* Differences between the clocks of the nodes and that of process 0. */
#pragma once

#include "base/error.h"

#include <mpi.h>
#include <stdint.h>

/* One reading of a node's clock. */
struct cwi_clock_sample {
  int64_t ahead; /* nanoseconds: the clock minus that of process 0 */
  uint64_t at;   /* time of the reading on that clock */
  uint64_t trip; /* nanoseconds of the round trip; the reading is wrong by at most half of it */
};

/* Reads the clock of each node into samples[node] on process 0; elsewhere `samples` is NULL.
 * Collective over the world; `comm` has all its processes in order. */
CWI_CHECKED cw_error cwi_clocks_sample(struct cwi_clock_sample *samples, MPI_Comm comm);

/* Converts a time on a clock that was read twice to the clock of process 0. If neither reading
 * distinguishes the two clocks, they are taken as the same. */
uint64_t cwi_clock_aligned(const struct cwi_clock_sample samples[2], uint64_t time);
