/* Probes of what this MPI does, at start-up. */
#ifndef CWI_ROUTE_RMA_PROBE_H
#define CWI_ROUTE_RMA_PROBE_H

#include "base/error.h"

#include <stdbool.h>

struct cwi_probe {
  bool progresses;     /* one-sided operations complete while the target is outside MPI */
  double milliseconds; /* what the probe took */
};

/* Do MPI's one-sided operations between nodes progress while the target computes? Tried between the
 * first process and the last one of another node, before any server's thread runs, which lets MPI
 * progress in its process. Collective over the world; about 10 ms. */
CWI_CHECKED cw_error cwi_probe_progress(struct cwi_probe *probe);
#endif
