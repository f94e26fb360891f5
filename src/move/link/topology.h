/* Virtual topologies of HiCOO (Yu, Tipparaju, Vetter 2012). A topology defines which nodes send
 * requests to each other directly, and through which neighbour a request reaches any other node.
 *
 * Nodes are numbered 0 to nodes - 1. Their number is arbitrary, so the last row or plane may be
 * partly filled. All functions depend on their arguments alone: no state, no communication. */
#pragma once

#include <stddef.h>

/* The functions of one topology. */
struct cwi_topology {
  const char *name;
  /* Returns the neighbour of `from` to which a request for `to`, another node, is sent next. That
   * is `to` itself if the two are neighbours. */
  int (*next_hop)(int nodes, int from, int to);
  /* Stores the neighbours of a node in ascending order in `list`, which may be NULL. Returns their
   * number. Neighbourhood is mutual. */
  int (*neighbours)(int nodes, int node, int *list);
  /* Returns an upper bound on how often a request is forwarded (hops - 1). */
  int (*most_forwards)(int nodes);
};

/* All topologies, in the order of the values of CW_TOPOLOGY, without auto. */
enum { CWI_TOPOLOGIES = 4 };
extern const struct cwi_topology cwi_topologies[CWI_TOPOLOGIES];

/* Returns the topology that the setting (enum cwi_topology_setting) selects for `nodes` nodes. */
const struct cwi_topology *cwi_topology_choose(long setting, int nodes);

/* Returns an upper bound on the number of request buffers of a node's server, with `credits`
 * buffers for each neighbour. The bound is that of the node with the most neighbours. */
size_t cwi_topology_buffers(const struct cwi_topology *topology, int nodes, size_t credits);
