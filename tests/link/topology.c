/* The virtual topologies: every route ends at its target within the stated number of forwards and
 * goes from neighbour to neighbour, and the dependencies between links have no cycle. Checks all
 * pairs for small numbers of nodes (up to the program's argument) and samples for large ones. One
 * process.
 *
 * Each property is a function that returns an error text or NULL. At the end, incorrect topologies
 * show that the checks detect errors. */
#include "kit/kit.h"

#include "base/settings.h"
#include "link/topology.h"

#include <stdlib.h>
#include <string.h>

enum { EXHAUSTIVE = 100, SAMPLE = 150, MOST_HOPS = 32 };

/* Routes between all pairs of some nodes. */
struct study {
  const struct cwi_topology *topology;
  int nodes;
  const int *chosen; /* [count] */
  int count;
  int *next; /* [nodes][nodes] next_hop; NULL if not all nodes are chosen */
};

/* --- Neighbours ------------------------------------------------------------------------------- */

static int compare_int(const void *left, const void *right)
{
  const int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

static bool contains(const int *list, int count, int node)
{
  return bsearch(&node, list, (size_t)count, sizeof *list, compare_int) != NULL;
}

static bool is_neighbour(const struct study *study, int node, int other, int *list)
{
  return contains(list, study->topology->neighbours(study->nodes, node, list), other);
}

static const char *wrong_list(const int *list, int count, int nodes, int node)
{
  for (int i = 0; i < count; i++) {
    if (list[i] < 0 || list[i] >= nodes)
      return "a neighbour does not exist";
    if (list[i] == node)
      return "a node is its own neighbour";
    if (i > 0 && list[i] <= list[i - 1])
      return "neighbours are not ascending";
  }
  return NULL;
}

/* Checks the chosen nodes' lists. No node may have more neighbours than node 0. */
static const char *wrong_neighbours(const struct study *study)
{
  const struct cwi_topology *topology = study->topology;
  int *list = kit_alloc((size_t)study->nodes, sizeof *list);
  int *back = kit_alloc((size_t)study->nodes, sizeof *back);
  const size_t most = cwi_topology_buffers(topology, study->nodes, 1);
  const char *wrong = NULL;
  for (int i = 0; i < study->count && wrong == NULL; i++) {
    const int node = study->chosen[i];
    const int count = topology->neighbours(study->nodes, node, list);
    wrong = wrong_list(list, count, study->nodes, node);
    if (topology->neighbours(study->nodes, node, NULL) != count)
      wrong = "the number of neighbours depends on the list";
    if ((size_t)count > most)
      wrong = "a node has more neighbours than cwi_topology_buffers says";
    const int step = count > 400 ? count / 4 : 1; /* some of them if there are many */
    for (int n = 0; n < count && wrong == NULL; n += step)
      if (!is_neighbour(study, list[n], node, back))
        wrong = "neighbourhood is not mutual";
  }
  free(list);
  free(back);
  return wrong;
}

/* --- Routes ----------------------------------------------------------------------------------- */

static int next_hop(const struct study *study, int from, int to)
{
  return study->next != NULL ? study->next[from * study->nodes + to]
                             : study->topology->next_hop(study->nodes, from, to);
}

static const char *wrong_route(const struct study *study, int from, int to, int most, int *list)
{
  int hops = 0;
  for (int at = from; at != to; hops++) {
    const int next = next_hop(study, at, to);
    if (hops == most)
      return "a route is longer than stated";
    if (next < 0 || next >= study->nodes)
      return "a hop goes to a node that does not exist";
    /* If all nodes are chosen, the other hops are first hops of other pairs. */
    if (at != from && study->next == NULL && !is_neighbour(study, at, next, list))
      return "a hop does not go to a neighbour";
    at = next;
  }
  return NULL;
}

static const char *wrong_routes(const struct study *study)
{
  const struct cwi_topology *topology = study->topology;
  int *list = kit_alloc((size_t)study->nodes, sizeof *list);
  int *other = kit_alloc((size_t)study->nodes, sizeof *other);
  const int most = topology->most_forwards(study->nodes) + 1;
  const char *wrong = NULL;
  for (int i = 0; i < study->count && wrong == NULL; i++) {
    const int from = study->chosen[i];
    const int count = topology->neighbours(study->nodes, from, list);
    for (int j = 0; j < study->count && wrong == NULL; j++) {
      const int to = study->chosen[j];
      const int first = next_hop(study, from, to);
      if (to != from && !contains(list, count, first))
        wrong = "a hop does not go to a neighbour";
      else if (first != to && contains(list, count, to))
        wrong = "a route between neighbours is not direct";
      else
        wrong = wrong_route(study, from, to, most, other);
    }
  }
  free(list);
  free(other);
  return wrong;
}

/* --- Dependencies between links --------------------------------------------------------------- */

/* Links, numbered in the order in which they are found, in a hash table; and their dependencies: a
 * message that came by `link` stays in its buffer until there is a credit for `then`. */
struct graph {
  struct slot {
    uint64_t key; /* from + 1, to; 0 for a free slot */
    int number;
  } * slots; /* a power of two; the table is never full */
  size_t slot_count;
  int links;
  int *first; /* [links] dependency, or -1 */
  struct dependency {
    int then, next;
  } * dependencies;
  int count;
};

static void graph_start(struct graph *graph, size_t most)
{
  *graph = (struct graph){.slot_count = 1024};
  while (graph->slot_count < most + most / 4)
    graph->slot_count *= 2;
  graph->slots = kit_alloc(graph->slot_count, sizeof *graph->slots);
  graph->first = kit_alloc(most + 1, sizeof *graph->first);
  graph->dependencies = kit_alloc(most + 1, sizeof *graph->dependencies);
}

static void graph_free(struct graph *graph)
{
  free(graph->slots);
  free(graph->first);
  free(graph->dependencies);
}

static int number_of(struct graph *graph, int from, int to)
{
  const uint64_t key = (uint64_t)(from + 1) << 32 | (uint32_t)to;
  size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (graph->slot_count - 1);
  while (graph->slots[at].key != 0 && graph->slots[at].key != key)
    at = (at + 1) & (graph->slot_count - 1);
  if (graph->slots[at].key == 0) {
    graph->slots[at] = (struct slot){key, graph->links};
    graph->first[graph->links++] = -1;
  }
  return graph->slots[at].number;
}

/* If all nodes are chosen, two hops are enough: the others are first hops of other pairs. */
static void add_route(struct graph *graph, const struct study *study, int from, int to, int hops)
{
  int before = -1, at = from;
  for (int hop = 0; at != to && hop < hops; hop++) {
    const int next = next_hop(study, at, to);
    const int link = number_of(graph, at, next);
    if (before >= 0) {
      graph->dependencies[graph->count] = (struct dependency){link, graph->first[before]};
      graph->first[before] = graph->count++;
    }
    before = link;
    at = next;
  }
}

/* Topological sort: removes links for which no remaining link waits. Returns the number of the
 * rest. */
static int links_in_cycles(const struct graph *graph)
{
  int *waiting = kit_alloc((size_t)graph->links + 1, sizeof *waiting);
  int *sorted = kit_alloc((size_t)graph->links + 1, sizeof *sorted);
  int done = 0, found = 0;
  for (int i = 0; i < graph->count; i++)
    waiting[graph->dependencies[i].then]++;
  for (int link = 0; link < graph->links; link++)
    if (waiting[link] == 0)
      sorted[found++] = link;
  for (; done < found; done++)
    for (int i = graph->first[sorted[done]]; i >= 0; i = graph->dependencies[i].next)
      if (--waiting[graph->dependencies[i].then] == 0)
        sorted[found++] = graph->dependencies[i].then;
  free(waiting);
  free(sorted);
  return graph->links - done;
}

static bool has_cycle(const struct study *study)
{
  const int forwards = study->topology->most_forwards(study->nodes);
  const int hops = study->next != NULL ? 2 : forwards < MOST_HOPS ? forwards + 1 : MOST_HOPS;
  struct graph graph;
  int left;
  graph_start(&graph, (size_t)study->count * (size_t)study->count * (size_t)hops);
  for (int i = 0; i < study->count; i++)
    for (int j = 0; j < study->count; j++)
      add_route(&graph, study, study->chosen[i], study->chosen[j], hops);
  left = links_in_cycles(&graph);
  graph_free(&graph);
  return left > 0;
}

/* --- Studies ---------------------------------------------------------------------------------- */

static const char *wrong_study(const struct study *study)
{
  const char *wrong = wrong_neighbours(study);
  if (wrong == NULL)
    wrong = wrong_routes(study);
  if (wrong == NULL && has_cycle(study))
    wrong = "buffers wait for each other in a cycle";
  return wrong;
}

static const char *wrong_all_pairs(const struct cwi_topology *topology, int nodes)
{
  int *all = kit_alloc((size_t)nodes, sizeof *all);
  int *next = kit_alloc((size_t)nodes * (size_t)nodes, sizeof *next);
  for (int from = 0; from < nodes; from++) {
    all[from] = from;
    for (int to = 0; to < nodes; to++)
      next[from * nodes + to] = from == to ? from : topology->next_hop(nodes, from, to);
  }
  const struct study study = {topology, nodes, all, nodes, next};
  const char *wrong = wrong_study(&study);
  free(all);
  free(next);
  return wrong;
}

/* A third of the nodes from the low end, a third from the high end, which may be partly filled
 * (both spread over rows and columns), the others anywhere. */
static const char *wrong_sample(const struct cwi_topology *topology, int nodes)
{
  int chosen[SAMPLE];
  for (int i = 0; i < SAMPLE; i++) {
    const int range = i % 3 == 2 ? nodes : kit_common(2) ? SAMPLE : nodes / 20;
    chosen[i] = i % 3 == 1 ? nodes - 1 - kit_common(range) : kit_common(range);
  }
  chosen[0] = 0;
  chosen[1] = nodes - 1;
  const struct study study = {topology, nodes, chosen, SAMPLE, NULL};
  return wrong_study(&study);
}

static int log2_up(int nodes)
{
  int bits = 0;
  while (1L << bits < nodes)
    bits++;
  return bits;
}

static void check_stated(int nodes)
{
  const int most[CWI_TOPOLOGIES] = {0, 1, 2, nodes > 2 ? log2_up(nodes) - 1 : 0};
  for (int i = 0; i < CWI_TOPOLOGIES; i++) {
    const int stated = cwi_topologies[i].most_forwards(nodes);
    kit_check(stated >= 0 && stated <= most[i], "%s, %d nodes: %d forwards", cwi_topologies[i].name,
              nodes, stated);
  }
}

static void test_all_pairs(int most)
{
  kit_about("all pairs");
  for (int nodes = 1; nodes <= most; nodes++) {
    check_stated(nodes);
    for (int i = 0; i < CWI_TOPOLOGIES; i++) {
      const char *wrong = wrong_all_pairs(&cwi_topologies[i], nodes);
      kit_check(wrong == NULL, "%s, %d nodes: %s", cwi_topologies[i].name, nodes, wrong);
    }
  }
}

static void test_samples(void)
{
  static const int many[] = {1023,  1024,  1025,  4095,  9999,  10000,
                             10001, 32768, 65537, 99999, 100000};
  kit_about("samples");
  for (size_t n = 0; n < sizeof many / sizeof many[0] + 4; n++) {
    const int nodes = n < sizeof many / sizeof many[0] ? many[n] : 10000 + kit_common(90000);
    check_stated(nodes);
    for (int i = 0; i < CWI_TOPOLOGIES; i++) {
      const char *wrong = wrong_sample(&cwi_topologies[i], nodes);
      kit_check(wrong == NULL, "%s, %d nodes: %s", cwi_topologies[i].name, nodes, wrong);
    }
  }
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static void test_choice(void)
{
  kit_about("choice and buffers");
  for (long setting = CWI_TOPOLOGY_FCG; setting <= CWI_TOPOLOGY_HYPERCUBE; setting++)
    kit_check(cwi_topology_choose(setting, 1000) == &cwi_topologies[setting - 1],
              "setting %ld gives another topology", setting);
  kit_check(strcmp(cwi_topology_choose(CWI_TOPOLOGY_AUTO, 1)->name, "fcg") == 0, "auto, 1 node");
  kit_check(strcmp(cwi_topology_choose(CWI_TOPOLOGY_AUTO, 10000)->name, "mfcg") == 0,
            "auto, 10000 nodes");

  /* 316^2 < 100000 <= 317^2; 46^3 < 100000 <= 47^3 and 100000 / 47 <= 47^2; 2^17 > 100000. */
  static const size_t neighbours[CWI_TOPOLOGIES] = {99999, 316 + 315, 46 + 46 + 45, 17};
  for (int i = 0; i < CWI_TOPOLOGIES; i++)
    kit_check_long((long)cwi_topology_buffers(&cwi_topologies[i], 100000, 8),
                   8 * (long)neighbours[i], cwi_topologies[i].name);
}

/* --- Wrong topologies ------------------------------------------------------------------------- */

static int ring_next(int nodes, int from, int to)
{
  return to == (from + nodes - 1) % nodes ? to : (from + 1) % nodes;
}

static int ring_neighbours(int nodes, int node, int *list)
{
  const int before = (node + nodes - 1) % nodes, after = (node + 1) % nodes;
  if (list != NULL) {
    list[0] = before < after ? before : after;
    list[1] = before < after ? after : before;
  }
  return 2;
}

static int ring_most(int nodes)
{
  return nodes - 2;
}

/* The mesh, but two of three nodes go along their column first. */
static int mixed_next(int nodes, int from, int to)
{
  const struct cwi_topology *mesh = cwi_topology_choose(CWI_TOPOLOGY_MFCG, nodes);
  const int corner = mesh->next_hop(nodes, to, from);
  return from % 3 == 0 ? mesh->next_hop(nodes, from, to) : corner == from ? to : corner;
}

static int mesh_neighbours(int nodes, int node, int *list)
{
  return cwi_topology_choose(CWI_TOPOLOGY_MFCG, nodes)->neighbours(nodes, node, list);
}

static int one_forward(int nodes)
{
  (void)nodes;
  return 1;
}

/* Never arrives where two hops are needed. */
static int lost_next(int nodes, int from, int to)
{
  int list[64];
  const int count = mesh_neighbours(nodes, from, list);
  return contains(list, count, to) ? to : list[0];
}

static int straight_next(int nodes, int from, int to)
{
  (void)nodes;
  (void)from;
  return to;
}

static int one_way_neighbours(int nodes, int node, int *list)
{
  const int count = mesh_neighbours(nodes, node, list);
  return node == 3 ? count - 1 : count;
}

static void test_wrong_ones(void)
{
  static const struct cwi_topology wrong[] = {
      {"cycle", ring_next, ring_neighbours, ring_most},
      {"cycle", mixed_next, mesh_neighbours, one_forward},
      {"longer than stated", lost_next, mesh_neighbours, one_forward},
      {"not go to a neighbour", straight_next, mesh_neighbours, one_forward},
      {"not mutual", mixed_next, one_way_neighbours, one_forward}};
  kit_about("wrong topologies");
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const char *found = wrong_all_pairs(&wrong[i], 16);
    kit_check(found != NULL && strstr(found, wrong[i].name) != NULL, "not found: %s, but: %s",
              wrong[i].name, found != NULL ? found : "nothing");
    if (i < 2) {
      found = wrong_sample(&wrong[i], 256);
      kit_check(found != NULL && strstr(found, "cycle") != NULL,
                "not found in a sample: %s, but: %s", wrong[i].name, found ? found : "nothing");
    }
  }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "topology");
  test_all_pairs(argc > 1 ? atoi(argv[1]) : EXHAUSTIVE);
  test_samples();
  test_choice();
  test_wrong_ones();
  return kit_finish();
}
