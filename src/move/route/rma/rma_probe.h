/* Probe of MPI's progress at start. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Result of the probe, the same in all processes. */
struct cwi_probe {
  bool progresses;     /* one-sided operations complete while the target is outside MPI */
  double milliseconds; /* duration of the probe */
};

/* Finds whether MPI's one-sided operations between nodes progress while the target computes.
 * Process 0 tries it with the last process that is on another node. This must come before any
 * server thread starts, since MPI progresses in a process while its server thread is in MPI.
 * Collective over the world; takes about 10 ms. */
CWI_CHECKED cw_error cwi_probe_progress(struct cwi_probe *probe);

/* Returns the result of the latest start that has probed. */
const struct cwi_probe *cwi_probe_result(void);
