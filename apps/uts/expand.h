/* The kernel of `uts --device`: nodes of a tree out of their parents, many at a time.
 *
 * Arguments: seeds, made, table; count: of seeds; last: row of the table. Work items: any number,
 * of dimension 0. */
#ifndef UTS_EXPAND_H
#define UTS_EXPAND_H

#include <causeway.h>

#include <stdint.h>

enum { EXPAND_STATE = 5, EXPAND_STEPS = 100 };

/* A node that is to be made. State: its 20 bytes as big-endian words. */
struct expand_seed {
  uint32_t parent[EXPAND_STATE], depth,
      number; /* depth: the node's; number: of its parent's children */
};

/* A node. */
struct expand_made {
  uint32_t state[EXPAND_STATE], children;
};

/* How many children nodes of a depth have, by the 31 lowest bits of their last word: `children` if
 * they are less than below; else as many as there are steps that are not greater. The table has a
 * row for each depth; the last one is for all that are deeper. */
struct expand_row {
  uint32_t below, children, steps[EXPAND_STEPS];
};

extern const cw_kernel_source expand_source;
extern const cw_host_function expand_functions[];

#endif
