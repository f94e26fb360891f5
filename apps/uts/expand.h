/* The kernel of `uts --device`: it computes many nodes of a tree from their parents.
 *
 * Arguments: the seeds, the nodes made, and the table; `count`, the number of seeds; `last`, the
 * last row of the table. Any number of work items, along dimension 0. */
#pragma once

#include <causeway.h>

#include <stdint.h>

enum { EXPAND_STATE = 5, EXPAND_STEPS = 100 };

/* A node to be computed. `parent` is the parent's 20 bytes as big-endian words. */
struct expand_seed {
  uint32_t parent[EXPAND_STATE], depth,
      number; /* depth: that of the node; number: index among its parent's children */
};

/* A computed node. */
struct expand_made {
  uint32_t state[EXPAND_STATE], children;
};

/* Number of children of the nodes of one depth. Let r be the lowest 31 bits of the last word of a
 * node's state. If r is less than `below`, the node has `children` children; otherwise it has as
 * many as there are entries of `steps` that are at most r. The table has a row for each depth; the
 * last row is for all greater depths. */
struct expand_row {
  uint32_t below, children, steps[EXPAND_STEPS];
};

extern const cw_kernel_source expand_source;
extern const cw_host_function expand_functions[];
