/* All four topologies are meshes whose lines are fully connected: of one dimension (FCG), two
 * (MFCG), three (CFCG), or of log2 N dimensions of two nodes each (hypercube). A node's number is
 * its coordinates read as digits, lowest dimension first.
 *
 * A request goes lowest dimension first. In a full mesh a buffer of one dimension's link then only
 * waits for links of higher dimensions, so that nothing waits for itself. Where the last line or
 * plane is filled in part the node that would come next may not exist: the next dimension is taken
 * before. That keeps the graph of waiting free of cycles too, which tests/server/topology.c checks
 * link by link. */
#include "server/topology.h"

#include "base/settings.h"

#include <limits.h>
#include <stdlib.h>

/* Up to so many nodes every node has buffers for every other one: see docs/performance.md. */
enum { FCG_NODES = 64 };

enum { MOST_DIMENSIONS = 31 };

struct mesh {
  int dimensions;
  int side[MOST_DIMENSIONS];
};

static long power(long side, int dimensions)
{
  long held = 1;
  for (int d = 0; d < dimensions && held <= INT_MAX; d++)
    held *= side;
  return held;
}

/* The smallest mesh of equal sides that holds the nodes. */
static struct mesh mesh_of(int nodes, int dimensions)
{
  struct mesh mesh = {.dimensions = dimensions};
  int least = 1, most = 1;
  while (power(most, dimensions) < nodes)
    most *= 2;
  while (least < most) {
    const int middle = (least + most) / 2;
    if (power(middle, dimensions) < nodes)
      least = middle + 1;
    else
      most = middle;
  }
  for (int d = 0; d < dimensions; d++)
    mesh.side[d] = least;
  return mesh;
}

static struct mesh fcg(int nodes)
{
  return (struct mesh){.dimensions = 1, .side = {nodes}};
}

static struct mesh mfcg(int nodes)
{
  return mesh_of(nodes, 2);
}

static struct mesh cfcg(int nodes)
{
  return mesh_of(nodes, 3);
}

static struct mesh hypercube(int nodes)
{
  struct mesh mesh = {.dimensions = 0};
  while (mesh.dimensions < MOST_DIMENSIONS - 1 && (1L << mesh.dimensions) < nodes)
    mesh.side[mesh.dimensions++] = 2;
  return mesh;
}

/* The first dimension in which the two differ and whose next node exists. */
static int next_hop(const struct mesh *mesh, int nodes, int from, int to)
{
  long stride = 1;
  for (int d = 0; d < mesh->dimensions; d++, stride *= mesh->side[d - 1]) {
    const long here = from / stride % mesh->side[d], there = to / stride % mesh->side[d];
    const long next = from + (there - here) * stride;
    if (here != there && next < nodes)
      return (int)next;
  }
  return to;
}

static int ascending(const void *left, const void *right)
{
  const int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

static int neighbours(const struct mesh *mesh, int nodes, int node, int *list)
{
  int count = 0;
  long stride = 1;
  for (int d = 0; d < mesh->dimensions; d++, stride *= mesh->side[d - 1]) {
    const long first = node - node / stride % mesh->side[d] * stride;
    for (long i = 0; i < mesh->side[d] && first + i * stride < nodes; i++) {
      const int other = (int)(first + i * stride);
      if (other == node)
        continue;
      if (list != NULL)
        list[count] = other;
      count++;
    }
  }
  if (list != NULL)
    qsort(list, (size_t)count, sizeof *list, ascending);
  return count;
}

static int most_forwards(const struct mesh *mesh)
{
  int used = 0;
  for (int d = 0; d < mesh->dimensions; d++)
    used += mesh->side[d] > 1;
  return used > 0 ? used - 1 : 0;
}

#define TOPOLOGY(mesh_of_name)                                                                     \
  static int mesh_of_name##_next_hop(int nodes, int from, int to)                                  \
  {                                                                                                \
    const struct mesh mesh = mesh_of_name(nodes);                                                  \
    return next_hop(&mesh, nodes, from, to);                                                       \
  }                                                                                                \
  static int mesh_of_name##_neighbours(int nodes, int node, int *list)                             \
  {                                                                                                \
    const struct mesh mesh = mesh_of_name(nodes);                                                  \
    return neighbours(&mesh, nodes, node, list);                                                   \
  }                                                                                                \
  static int mesh_of_name##_most_forwards(int nodes)                                               \
  {                                                                                                \
    const struct mesh mesh = mesh_of_name(nodes);                                                  \
    return most_forwards(&mesh);                                                                   \
  }

TOPOLOGY(fcg)
TOPOLOGY(mfcg)
TOPOLOGY(cfcg)
TOPOLOGY(hypercube)

const struct cwi_topology cwi_topologies[CWI_TOPOLOGIES] = {
    {"fcg", fcg_next_hop, fcg_neighbours, fcg_most_forwards},
    {"mfcg", mfcg_next_hop, mfcg_neighbours, mfcg_most_forwards},
    {"cfcg", cfcg_next_hop, cfcg_neighbours, cfcg_most_forwards},
    {"hypercube", hypercube_next_hop, hypercube_neighbours, hypercube_most_forwards},
};

const struct cwi_topology *cwi_topology_choose(long setting, int nodes)
{
  if (setting == CWI_TOPOLOGY_AUTO)
    setting = nodes <= FCG_NODES ? CWI_TOPOLOGY_FCG : CWI_TOPOLOGY_MFCG;
  return &cwi_topologies[setting - CWI_TOPOLOGY_FCG];
}

/* No node has more neighbours than node 0: its lines are the first, and those are full. */
size_t cwi_topology_buffers(const struct cwi_topology *topology, int nodes, size_t credits)
{
  return (size_t)topology->neighbours(nodes, 0, NULL) * credits;
}
