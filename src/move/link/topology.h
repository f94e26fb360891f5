/* Virtual topologies of HiCOO (Yu, Tipparaju, Vetter 2012): which nodes send requests to each other
 * directly, and through whom requests to the others go.
 *
 * Nodes are numbered 0 .. nodes-1; any number, so that the last row or plane may be partly filled.
 * Pure functions of the numbers: no state, no communication. */
#ifndef CWI_LINK_TOPOLOGY_H
#define CWI_LINK_TOPOLOGY_H

#include <stddef.h>

struct cwi_topology {
  const char *name;
  /* The neighbour of `from` that a request to `to` (another node) goes to next; `to` itself when
   * the two are neighbours. */
  int (*next_hop)(int nodes, int from, int to);
  /* The neighbours of a node, ascending, in list (which may be NULL); returns their number.
   * Neighbourhood is mutual. */
  int (*neighbours)(int nodes, int node, int *list);
  /* An upper bound of the forwards that any request takes (hops - 1). */
  int (*most_forwards)(int nodes);
};

/* In the order of the setting CW_TOPOLOGY, without auto. */
enum { CWI_TOPOLOGIES = 4 };
extern const struct cwi_topology cwi_topologies[CWI_TOPOLOGIES];

/* The topology that the setting (enum cwi_topology_setting) gives for so many nodes. */
const struct cwi_topology *cwi_topology_choose(long setting, int nodes);

/* Request buffers of one node's server: at most so many, and their bytes, for `credits` buffers of
 * `buffer` bytes for each neighbour. The node with most neighbours counts. */
size_t cwi_topology_buffers(const struct cwi_topology *topology, int nodes, size_t credits);
#endif
