/* The virtual topologies, for any number of nodes: every route arrives within the stated number of
 * forwards, by links between neighbours only, and no buffer waits for itself.
 *
 * A buffer of link A->B holds a message until there is a credit for its next link B->C: that is an
 * edge (A->B) -> (B->C). A topology whose graph of such edges has a cycle can deadlock; this test
 * makes one and sees that it is found. */
#include "kit/kit.h"

#include "server/topology.h"

#include <base/settings.h>
#include <stdlib.h>
#include <string.h>

/* --- The graph of waiting --------------------------------------------------------------------- */

/* Links are found by hashing, numbered as they turn up. */
struct graph {
  struct link {
    int from, to; /* from -1: free */
    int number;
  } * table;
  size_t capacity;
  int links;
  struct edge {
    int from, to;
  } * edges;
  size_t edge_count, edge_capacity;
};

static void make_graph(struct graph *graph, size_t capacity)
{
  *graph = (struct graph){.capacity = capacity};
  graph->table = kit_alloc(capacity, sizeof *graph->table);
  for (size_t i = 0; i < capacity; i++)
    graph->table[i].from = -1;
}

static void free_graph(struct graph *graph)
{
  free(graph->table);
  free(graph->edges);
}

static int link_number(struct graph *graph, int from, int to)
{
  size_t at = ((size_t)from * 2654435761u ^ (size_t)to * 40503u) & (graph->capacity - 1);
  while (graph->table[at].from >= 0 && (graph->table[at].from != from || graph->table[at].to != to))
    at = (at + 1) & (graph->capacity - 1);
  if (graph->table[at].from < 0)
    graph->table[at] = (struct link){from, to, graph->links++};
  return graph->table[at].number;
}

static void add_edge(struct graph *graph, int from, int to)
{
  if (graph->edge_count == graph->edge_capacity) {
    graph->edge_capacity = graph->edge_capacity > 0 ? 2 * graph->edge_capacity : 1024;
    graph->edges = realloc(graph->edges, graph->edge_capacity * sizeof *graph->edges);
  }
  graph->edges[graph->edge_count++] = (struct edge){from, to};
}

/* The ends of edges, ordered by where they begin: those of link i are [first[i], first[i + 1]). */
static int *order_edges(const struct graph *graph, size_t *first)
{
  int *ends = kit_alloc(graph->edge_count + 1, sizeof *ends);
  for (size_t i = 0; i < graph->edge_count; i++)
    first[graph->edges[i].from + 1]++;
  for (int link = 0; link < graph->links; link++)
    first[link + 1] += first[link];
  for (size_t i = graph->edge_count; i > 0; i--)
    ends[--first[graph->edges[i - 1].from + 1]] = graph->edges[i - 1].to;
  /* each start has moved to its predecessor's place */
  memmove(first, first + 1, (size_t)graph->links * sizeof *first);
  first[graph->links] = graph->edge_count;
  return ends;
}

/* Take away links that nothing waits for, until none or only cycles are left. */
static bool has_cycle(const struct graph *graph)
{
  int *waiting = kit_alloc((size_t)graph->links + 1, sizeof *waiting);
  int *ready = kit_alloc((size_t)graph->links + 1, sizeof *ready);
  size_t *first = kit_alloc((size_t)graph->links + 2, sizeof *first);
  int *ends = order_edges(graph, first);
  int count = 0, taken = 0;
  for (size_t i = 0; i < graph->edge_count; i++)
    waiting[graph->edges[i].to]++;
  for (int link = 0; link < graph->links; link++)
    if (waiting[link] == 0)
      ready[count++] = link;
  for (; taken < count; taken++)
    for (size_t i = first[ready[taken]]; i < first[ready[taken] + 1]; i++)
      if (--waiting[ends[i]] == 0)
        ready[count++] = ends[i];
  free(waiting);
  free(ready);
  free(first);
  free(ends);
  return taken < graph->links;
}

/* --- Routes ----------------------------------------------------------------------------------- */

static bool are_neighbours(const struct cwi_topology *topology, int nodes, int from, int to,
                           int *list)
{
  const int count = topology->neighbours(nodes, from, list);
  for (int i = 0; i < count; i++)
    if (list[i] == to)
      return true;
  return false;
}

/* Follow a route, adding what it makes wait. False: it does not arrive. */
static bool follow(const struct cwi_topology *topology, int nodes, int from, int to,
                   struct graph *graph, int *list)
{
  const int most = topology->most_forwards(nodes) + 1;
  int before = -1, node = from;
  for (int hops = 0; node != to; hops++) {
    const int next = topology->next_hop(nodes, node, to);
    if (hops == most || next < 0 || next >= nodes || next == node ||
        (list != NULL && !are_neighbours(topology, nodes, node, next, list)))
      return false;
    const int link = link_number(graph, node, next);
    if (before >= 0)
      add_edge(graph, before, link);
    before = link;
    node = next;
  }
  return true;
}

/* All pairs of nodes; neighbours are looked up for small numbers only. */
static void check_all_pairs(const struct cwi_topology *topology, int nodes)
{
  struct graph graph;
  int *list = kit_alloc((size_t)nodes + 1, sizeof *list);
  int lost = 0;
  size_t capacity = 64;
  while (capacity < 2 * (size_t)nodes * (size_t)nodes)
    capacity *= 2;
  make_graph(&graph, capacity);
  for (int from = 0; from < nodes; from++)
    for (int to = 0; to < nodes; to++)
      lost += from != to && !follow(topology, nodes, from, to, &graph, nodes <= 40 ? list : NULL);
  kit_check(lost == 0, "%s of %d nodes: %d routes do not arrive in time", topology->name, nodes,
            lost);
  kit_check(!has_cycle(&graph), "%s of %d nodes: buffers wait for each other in a circle",
            topology->name, nodes);
  free_graph(&graph);
  free(list);
}

/* Some nodes to and from some others: those that a hot spot and its surroundings make. */
static void check_some_pairs(const struct cwi_topology *topology, int nodes)
{
  enum { SOME = 300 };
  struct graph graph;
  int *list = kit_alloc((size_t)nodes + 1, sizeof *list);
  int some[SOME], lost = 0;
  make_graph(&graph, (size_t)1 << 20);
  for (int i = 0; i < SOME; i++)
    some[i] = i < 100 ? i * (nodes / 100) : i < 200 ? nodes - 1 - (i - 100) : kit_common(nodes);
  for (int i = 0; i < SOME; i++)
    for (int k = 0; k < SOME; k++)
      if (some[i] != some[k])
        lost += !follow(topology, nodes, some[i], some[k], &graph, NULL);
  kit_check(lost == 0, "%s of %d nodes: %d routes do not arrive in time", topology->name, nodes,
            lost);
  kit_check(!has_cycle(&graph), "%s of %d nodes: buffers wait for each other in a circle",
            topology->name, nodes);
  free_graph(&graph);
  free(list);
}

/* --- Neighbours ------------------------------------------------------------------------------- */

static void check_neighbours(const struct cwi_topology *topology, int nodes, int node, size_t most)
{
  int *list = kit_alloc((size_t)nodes + 1, sizeof *list);
  int *back = kit_alloc((size_t)nodes + 1, sizeof *back);
  const int count = topology->neighbours(nodes, node, list);
  kit_check(count == topology->neighbours(nodes, node, NULL), "%s: the count of node %d of %d",
            topology->name, node, nodes);
  kit_check((size_t)count <= most, "%s: node %d of %d has %d neighbours, more than node 0",
            topology->name, node, nodes, count);
  for (int i = 0; i < count; i++) {
    kit_check(list[i] != node && list[i] >= 0 && list[i] < nodes &&
                  (i == 0 || list[i] > list[i - 1]),
              "%s: neighbour %d of node %d of %d is %d", topology->name, i, node, nodes, list[i]);
    if (nodes <= 60)
      kit_check(are_neighbours(topology, nodes, list[i], node, back),
                "%s of %d: %d is a neighbour of %d, but not the other way round", topology->name,
                nodes, list[i], node);
  }
  free(list);
  free(back);
}

/* Buffers for as many neighbours as the most connected node has. */
static void check_buffers(const struct cwi_topology *topology, int nodes)
{
  const size_t most = cwi_topology_buffers(topology, nodes, 1);
  kit_check(cwi_topology_buffers(topology, nodes, 5) == 5 * most, "%s: buffers for 5 credits",
            topology->name);
  for (int node = 0; node<nodes; node += nodes> 1000 ? nodes / 200 : 1)
    check_neighbours(topology, nodes, node, most);
}

/* What the names promise: forwards, and neighbours as N grows. */
static void check_promises(void)
{
  static const struct {
    int topology, nodes, forwards;
    size_t neighbours;
  } cases[] = {{0, 64, 0, 63},  {1, 64, 1, 14},     {2, 64, 2, 9},    {3, 64, 5, 6},
               {1, 100, 1, 18}, {1, 10000, 1, 198}, {2, 1000, 2, 27}, {3, 1024, 9, 10},
               {1, 7, 1, 4},    {3, 7, 2, 3},       {0, 1, 0, 0},     {3, 2, 0, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct cwi_topology *topology = &cwi_topologies[cases[i].topology];
    kit_about("%s of %d nodes", topology->name, cases[i].nodes);
    kit_check_long(topology->most_forwards(cases[i].nodes), cases[i].forwards, "forwards");
    kit_check_long((long)cwi_topology_buffers(topology, cases[i].nodes, 1),
                   (long)cases[i].neighbours, "neighbours");
  }
  kit_about("the setting");
  for (int i = 0; i < CWI_TOPOLOGIES; i++)
    kit_check(cwi_topology_choose(CWI_TOPOLOGY_FCG + i, 5) == &cwi_topologies[i], "setting %d", i);
  kit_check(cwi_topology_choose(CWI_TOPOLOGY_AUTO, 4) == &cwi_topologies[0], "auto: few nodes");
  kit_check(cwi_topology_choose(CWI_TOPOLOGY_AUTO, 5000) == &cwi_topologies[1], "auto: many nodes");
}

/* --- A topology that deadlocks ---------------------------------------------------------------- */

static int ring_hop(int nodes, int from, int to)
{
  (void)to;
  return (from + 1) % nodes;
}

static int ring_neighbours(int nodes, int node, int *list)
{
  (void)list;
  (void)node;
  return nodes > 1;
}

static int ring_forwards(int nodes)
{
  return nodes - 2;
}

static void check_the_check(void)
{
  const struct cwi_topology ring = {"ring", ring_hop, ring_neighbours, ring_forwards};
  struct graph graph;
  make_graph(&graph, 1 << 12);
  for (int from = 0; from < 5; from++)
    for (int to = 0; to < 5; to++)
      if (from != to)
        kit_check(follow(&ring, 5, from, to, &graph, NULL), "the ring's routes arrive");
  kit_check(has_cycle(&graph), "a ring's buffers wait in a circle, and that is not found");
  free_graph(&graph);
}

int main(int argc, char **argv)
{
  static const int large[] = {511, 512, 1000, 1023, 4097, 10000, 32768, 99999, 100000};
  kit_start(&argc, &argv, "topology");
  const int most = argc > 1 ? atoi(argv[1]) : 300;
  check_promises();
  check_the_check();
  for (int i = 0; i < CWI_TOPOLOGIES; i++) {
    for (int nodes = 1; nodes <= most; nodes++) {
      check_all_pairs(&cwi_topologies[i], nodes);
      check_buffers(&cwi_topologies[i], nodes);
    }
    for (size_t k = 0; k < sizeof large / sizeof large[0]; k++) {
      check_some_pairs(&cwi_topologies[i], large[k]);
      check_buffers(&cwi_topologies[i], large[k]);
    }
  }
  return kit_finish();
}
