/* Prints a topology's routes for the model, computed by the library's own code. Usage: next_hops
 * TOPOLOGY NODES. Also has two incorrect topologies, in which buffers wait for each other in a
 * cycle: "ring", always clockwise, and "spokes", where requests enter the ring from outside. */
#include "link/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ring_next(int nodes, int from, int to)
{
  (void)to;
  return (from + 1) % nodes;
}

static int ring_neighbours(int nodes, int node, int *list)
{
  list[0] = (node + 1) % nodes;
  return 1;
}

static int ring_most(int nodes)
{
  return nodes - 2;
}

/* A ring of the lower half, clockwise, with one node of the upper half attached to each of its
 * nodes. */
static int spokes_next(int nodes, int from, int to)
{
  const int ring = nodes / 2;
  if (from >= ring)
    return from - ring;
  return to == from + ring ? to : (from + 1) % ring;
}

static int spokes_neighbours(int nodes, int node, int *list)
{
  const int ring = nodes / 2;
  list[0] = node < ring ? (node + 1) % ring : node - ring;
  list[1] = node + ring;
  return node < ring ? 2 : 1;
}

static int spokes_most(int nodes)
{
  return nodes / 2;
}

static const struct cwi_topology wrong[] = {
    {"ring", ring_next, ring_neighbours, ring_most},
    {"spokes", spokes_next, spokes_neighbours, spokes_most}};

static const struct cwi_topology *find(const char *name)
{
  for (int i = 0; i < CWI_TOPOLOGIES; i++)
    if (strcmp(cwi_topologies[i].name, name) == 0)
      return &cwi_topologies[i];
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    if (strcmp(wrong[i].name, name) == 0)
      return &wrong[i];
  return NULL;
}

static void print_next_hops(const struct cwi_topology *topology, int nodes)
{
  printf("hidden byte next_hop[NODES * NODES] = {");
  for (int pair = 0; pair < nodes * nodes; pair++) {
    const int from = pair / nodes, to = pair % nodes;
    printf("%s%d", pair > 0 ? ", " : "", from == to ? from : topology->next_hop(nodes, from, to));
  }
  printf("};\n");
}

static int forwards(const struct cwi_topology *topology, int nodes, int from, int to)
{
  int hops = 0;
  for (int at = from; at != to; hops++)
    at = topology->next_hop(nodes, at, to);
  return hops > 0 ? hops - 1 : 0;
}

static void print_forwards(const struct cwi_topology *topology, int nodes)
{
  printf("hidden byte forwards_to[NODES * NODES] = {");
  for (int pair = 0; pair < nodes * nodes; pair++)
    printf("%s%d", pair > 0 ? ", " : "", forwards(topology, nodes, pair / nodes, pair % nodes));
  printf("};\n");
}

/* Links are numbered in the order of (from, to); NONE if the nodes are not neighbours. */
static int print_links(const struct cwi_topology *topology, int nodes)
{
  int links = 0;
  printf("hidden byte link_number[NODES * NODES] = {");
  for (int from = 0; from < nodes; from++) {
    int list[256];
    const int count = topology->neighbours(nodes, from, list);
    for (int to = 0, at = 0; to < nodes; to++) {
      const int linked = at < count && list[at] == to;
      at += linked;
      printf("%s%d", from + to > 0 ? ", " : "", linked ? links++ : 255);
    }
  }
  printf("};\n");
  return links;
}

int main(int argc, char **argv)
{
  const struct cwi_topology *topology = argc == 3 ? find(argv[1]) : NULL;
  const int nodes = argc == 3 ? atoi(argv[2]) : 0;
  if (topology == NULL || nodes < 2 || nodes > 16) {
    fprintf(stderr, "usage: next_hops TOPOLOGY NODES\n");
    return 2;
  }
  printf("/* %s, %d nodes */\n#define NODES %d\n", topology->name, nodes, nodes);
  printf("#define MOST_FORWARDS %d\n#define NONE 255\n", topology->most_forwards(nodes));
  print_next_hops(topology, nodes);
  print_forwards(topology, nodes);
  printf("#define LINKS %d\n", print_links(topology, nodes));
  return 0;
}
