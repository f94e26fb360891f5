/* All pairs of shells whose integrals can matter, grouped by pairs of tiles. */
#pragma once

#include "basis.h"
#include "integrals.h"
#include "shell_pair.h"

struct tile_pair {
  int row, column;          /* numbers of the tiles */
  struct shell_pair *pairs; /* sorted by bound, largest first */
  int pair_count;
  double bound; /* largest bound of the pairs */
  double cost;  /* estimated work of a quartet with this pair, in relative units */
};

struct pair_list {
  struct tile_pair *tile_pairs; /* sorted by cost, cheapest first */
  int count;
};

/** Finds the pairs whose repulsion integrals with any other pair can exceed `screening`.
 * Collective, because the processes share the computation of the bounds. */
struct pair_list pair_list_create(const struct basis *basis, struct engine *engine,
                                  double screening);

void pair_list_free(struct pair_list *list);
