/* The default distribution: exactly Global Arrays' rule. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the choice of the grid respects these least extents of blocks. A 0 for the last
 * dimension disables all of them. */
bool cwi_rule_heeds(int dimensions, const int64_t *least);

/* Chooses a grid of processes. extents, least: [dimensions], row-major. least[d] is the number of
 * elements that must stay together; 0 means any number. Some grids have fewer places than there are
 * processes. */
void cwi_rule_grid(int processes, int dimensions, const int64_t *extents, const int64_t *least,
                   int64_t *grid);

/* Divides a dimension into blocks on `grid` places: `long_blocks` blocks of `length`, then shorter
 * ones of length - granule; `blocks` in all. heeded: `least` was respected when the grid was
 * chosen. If it was not, a block gets as many granules as it would otherwise get elements, as in
 * Global Arrays. There may then be fewer blocks than places. */
struct cwi_rule_blocks {
  int64_t blocks, long_blocks, length, granule;
};
struct cwi_rule_blocks cwi_rule_partition(int64_t extent, int64_t least, bool heeded, int64_t grid);
