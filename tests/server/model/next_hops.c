/* Writes the next hops of a topology as the model wants them: next_hops TOPOLOGY NODES, or
 * next_hops ring NODES for one that deadlocks. */
#include "server/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ring(int nodes, int from, int to)
{
  (void)to;
  return (from + 1) % nodes;
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";
  const int nodes = argc > 2 ? atoi(argv[2]) : 0;
  int (*hop)(int nodes, int from, int to) = strcmp(name, "ring") == 0 ? ring : NULL;
  for (int i = 0; i < CWI_TOPOLOGIES; i++)
    if (strcmp(cwi_topologies[i].name, name) == 0)
      hop = cwi_topologies[i].next_hop;
  if (hop == NULL || nodes < 2) {
    fprintf(stderr, "usage: next_hops fcg|mfcg|cfcg|hypercube|ring NODES\n");
    return 2;
  }
  printf("#define NODES %d\ninline next_hop(here, there, hop)\n{\n  if\n", nodes);
  for (int from = 0; from < nodes; from++)
    for (int to = 0; to < nodes; to++)
      if (from != to)
        printf("  :: here == %d && there == %d -> hop = %d\n", from, to, hop(nodes, from, to));
  printf("  fi\n}\n");
  return 0;
}
