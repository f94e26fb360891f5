/* The default distribution: Global Arrays' rule, exactly. */
#ifndef CWI_ARRAY_DEFAULT_DISTRIBUTION_H
#define CWI_ARRAY_DEFAULT_DISTRIBUTION_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Does the rule heed these least extents of blocks? A 0 for the last dimension drops all of them,
 * where the grid is chosen. */
bool cwi_rule_heeds(int dimensions, const int64_t *least);

/* Choose a grid of processes. extents, least: [dimensions], row-major; least[d]: elements that stay
 * together, 0: any number. Some grids have fewer places than there are processes. */
void cwi_rule_grid(int processes, int dimensions, const int64_t *extents, const int64_t *least,
                   int64_t *grid);

/* Blocks of a dimension on `grid` places: `long_blocks` of `length`, then shorter ones of length -
 * granule; how many there are in all. heeded: `least` counted when the grid was chosen. Where it
 * did not, a block has as many granules as it would have elements, as in Global Arrays: few blocks.
 */
struct cwi_rule_blocks {
  int64_t blocks, long_blocks, length, granule;
};
struct cwi_rule_blocks cwi_rule_partition(int64_t extent, int64_t least, bool heeded, int64_t grid);
#endif
