/* All four topologies are grids: of 1, 2 or 3 dimensions, or of as many dimensions of length 2 as
 * needed. A node's number is its position in the grid, lowest dimension first. Nodes on one line
 * are neighbours. Only the last row, plane or cube may be partly filled.
 *
 * A path corrects the coordinate in the lowest dimension first. It skips a dimension if the node
 * that the step would reach does not exist. Such a node is missing only inside the partly filled
 * last layer (row, plane, half) of some dimension. A step in the highest dimension always leads out
 * of that layer. So the links of every path come in this order:
 *   1. inside the last layer (a grid of one dimension less, with the same order again)
 *   2. out of the last layer
 *   3. inside a full layer, by dimension
 *   4. out of a full layer: the lower dimensions are correct, and the path never returns to 1
 * Therefore the dependencies between buffers (a buffer of A->B waits for a credit of B->C) have no
 * cycle, and there is no deadlock. Each hop corrects one dimension for good. */
#include "link/topology.h"

#include "base/settings.h"
#include "base/size.h"

/* Largest number of nodes for which auto selects fcg. With that number, the buffers of fcg take at
 * most 136 MiB. Compared with mfcg, fcg needs half the time if each process communicates with a few
 * others, and 1.4 times the time if all send to one (bench/scale). */
enum { FCG_NODES = 256 };

enum { MOST_DIMENSIONS = 31 };

struct grid {
  long nodes;
  int dimensions;
  /* Neighbours in dimension d are stride[d] apart; a line of them spans stride[d + 1] numbers. */
  long stride[MOST_DIMENSIONS + 1];
};

/* Returns the smallest number that is at least `what` when raised to `power`. */
static long root_up(long what, int power)
{
  long low = 1, high = 1L << (MOST_DIMENSIONS / power + 1);
  while (low < high) {
    const long middle = (low + high) / 2;
    const long raised = power == 2 ? middle * middle : middle * middle * middle;
    if (raised < what)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static struct grid fcg_grid(int nodes)
{
  return (struct grid){.nodes = nodes, .dimensions = 1, .stride = {1, nodes}};
}

static struct grid mfcg_grid(int nodes)
{
  const long columns = root_up(nodes, 2);
  const long rows = cwi_divide_up(nodes, columns);
  return (struct grid){.nodes = nodes, .dimensions = 2, .stride = {1, columns, columns * rows}};
}

static struct grid cfcg_grid(int nodes)
{
  const long columns = root_up(nodes, 3);
  const long plane = columns * root_up(cwi_divide_up(nodes, columns), 2);
  const long planes = cwi_divide_up(nodes, plane);
  return (struct grid){
      .nodes = nodes, .dimensions = 3, .stride = {1, columns, plane, plane * planes}};
}

static struct grid hypercube_grid(int nodes)
{
  struct grid grid = {.nodes = nodes, .stride = {1}};
  while (grid.stride[grid.dimensions] < nodes) {
    grid.stride[grid.dimensions + 1] = 2 * grid.stride[grid.dimensions];
    grid.dimensions++;
  }
  return grid;
}

static long length(const struct grid *grid, int dimension)
{
  return grid->stride[dimension + 1] / grid->stride[dimension];
}

static long coordinate(const struct grid *grid, int dimension, long node)
{
  return node % grid->stride[dimension + 1] / grid->stride[dimension];
}

static int next_hop(const struct grid *grid, int from, int to)
{
  for (int d = 0; d < grid->dimensions; d++) {
    const long steps = coordinate(grid, d, to) - coordinate(grid, d, from);
    const long next = from + steps * grid->stride[d];
    if (steps != 0 && next < grid->nodes)
      return (int)next;
  }
  return to; /* from == to */
}

/* Appends the nodes first, first + stride, ... below `end` to `list`, unless it is NULL. Returns
 * the new number of nodes. */
static int add_line(int *list, int count, long first, long stride, long end)
{
  if (first >= end)
    return count;
  if (list != NULL)
    for (long node = first, at = count; node < end; node += stride)
      list[at++] = (int)node;
  return count + (int)cwi_divide_up(end - first, stride);
}

static int neighbours(const struct grid *grid, int node, int *list)
{
  int count = 0;
  for (int d = grid->dimensions - 1; d >= 0; d--) {
    const long first = node - coordinate(grid, d, node) * grid->stride[d];
    count = add_line(list, count, first, grid->stride[d], node);
  }
  for (int d = 0; d < grid->dimensions; d++) {
    const long first = node + grid->stride[d];
    const long line = node - node % grid->stride[d + 1] + grid->stride[d + 1];
    count = add_line(list, count, first, grid->stride[d], line < grid->nodes ? line : grid->nodes);
  }
  return count;
}

static int most_forwards(const struct grid *grid)
{
  int hops = 0;
  for (int d = 0; d < grid->dimensions; d++)
    hops += length(grid, d) > 1;
  return hops > 0 ? hops - 1 : 0;
}

/* Defines the functions of the table for one kind of grid. */
#define TOPOLOGY(kind)                                                                             \
  static int kind##_next_hop(int nodes, int from, int to)                                          \
  {                                                                                                \
    const struct grid grid = kind##_grid(nodes);                                                   \
    return next_hop(&grid, from, to);                                                              \
  }                                                                                                \
  static int kind##_neighbours(int nodes, int node, int *list)                                     \
  {                                                                                                \
    const struct grid grid = kind##_grid(nodes);                                                   \
    return neighbours(&grid, node, list);                                                          \
  }                                                                                                \
  static int kind##_most_forwards(int nodes)                                                       \
  {                                                                                                \
    const struct grid grid = kind##_grid(nodes);                                                   \
    return most_forwards(&grid);                                                                   \
  }

TOPOLOGY(fcg)
TOPOLOGY(mfcg)
TOPOLOGY(cfcg)
TOPOLOGY(hypercube)

#define ENTRY(kind)                                                                                \
  {                                                                                                \
    .name = #kind, .next_hop = kind##_next_hop, .neighbours = kind##_neighbours,                   \
    .most_forwards = kind##_most_forwards                                                          \
  }

const struct cwi_topology cwi_topologies[CWI_TOPOLOGIES] = {
    [CWI_TOPOLOGY_FCG - 1] = ENTRY(fcg),
    [CWI_TOPOLOGY_MFCG - 1] = ENTRY(mfcg),
    [CWI_TOPOLOGY_CFCG - 1] = ENTRY(cfcg),
    [CWI_TOPOLOGY_HYPERCUBE - 1] = ENTRY(hypercube),
};

const struct cwi_topology *cwi_topology_choose(long setting, int nodes)
{
  if (setting == CWI_TOPOLOGY_AUTO)
    setting = nodes <= FCG_NODES ? CWI_TOPOLOGY_FCG : CWI_TOPOLOGY_MFCG;
  return &cwi_topologies[setting - 1];
}

size_t cwi_topology_buffers(const struct cwi_topology *topology, int nodes, size_t credits)
{
  /* Node 0 has the most neighbours: no line through it lacks a node that a parallel line has. */
  return (size_t)topology->neighbours(nodes, 0, NULL) * credits;
}
