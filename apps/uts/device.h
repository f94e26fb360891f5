/* The search of `uts --device`: tasks of up to thousands of nodes, each of which a kernel makes at
 * once, or a host one by one; what follows from them the process adds as new tasks. */
#ifndef UTS_DEVICE_H
#define UTS_DEVICE_H

#include "tree.h"

#include <causeway.h>

struct uts_device_search {
  const struct uts_tree *tree;
  long nodes;              /* of a task, at most */
  struct uts_found *found; /* [threads + 1] the last one is the device's */
  cw_device device;
  cw_where where;
};

/* Search the tree, and count what has been found here. seconds, counts: of the phase. Collective.
 */
void uts_device_run(struct uts_device_search *search, const cw_tasks_options *given,
                    cw_tasks_counts *counts, double *seconds);

#endif
