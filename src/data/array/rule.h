/* The default distribution: Global Arrays' rule, exactly. */
#ifndef CWI_ARRAY_RULE_H
#define CWI_ARRAY_RULE_H

#include "base/check.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Choose a grid of processes. extents, least: [dimensions], row-major; least[d]: elements that stay
 * together, 0: any number. Some grids have fewer places than there are processes. */
void cwi_rule_grid(int processes, int dimensions, const int64_t *extents, const int64_t *least,
                   int64_t *grid);

/* Blocks of a dimension on `grid` places: `long_blocks` of `length`, then shorter ones of length -
 * granule; how many there are in all. */
struct cwi_rule_blocks {
  int64_t blocks, long_blocks, length, granule;
};
struct cwi_rule_blocks cwi_rule_cut(int64_t extent, int64_t least, int64_t grid);

#ifdef __cplusplus
}
#endif
#endif
