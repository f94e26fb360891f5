/* The search of `uts --device`. A task is up to thousands of nodes, which a kernel computes all at
 * once, or a host one by one. The process then adds their children as new tasks. */
#pragma once

#include "tree.h"

#include <causeway.h>

struct uts_device_search {
  const struct uts_tree *tree;
  long nodes;              /* most nodes of a task */
  struct uts_found *found; /* [threads + 1]; the last one is for the thread of the device */
  cw_device device;
  cw_where where;
};

/* Searches the tree, and adds the nodes found by this process to search->found. *seconds and
 * *counts receive the time and the statistics of the task phase. Collective. */
void uts_device_run(struct uts_device_search *search, const cw_tasks_options *given,
                    cw_tasks_counts *counts, double *seconds);
