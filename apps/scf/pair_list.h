/* All pairs of shells that can matter, grouped by the pairs of tiles they belong to. */
#ifndef SCF_PAIR_LIST_H
#define SCF_PAIR_LIST_H

#include "basis.h"
#include "integrals.h"
#include "shell_pair.h"

struct tile_pair {
  int row, column;          /* tiles */
  struct shell_pair *pairs; /* largest bound first */
  int pair_count;
  double bound; /* largest of the pairs */
  double cost;  /* relative work of a quartet with this pair */
};

struct pair_list {
  struct tile_pair *tile_pairs; /* cheapest first */
  int count;
};

/** Finds the pairs whose repulsion integrals can exceed `screening` with any other pair.
 *  Collective: the processes share the work of computing the bounds. */
struct pair_list pair_list_create(const struct basis *basis, struct engine *engine,
                                  double screening);

void pair_list_free(struct pair_list *list);

#endif
