/* Random distributions of arrays, the same in every process. */
#pragma once

#include "kit/native.h"

/* Draws a number from `least` to `most`. */
int64_t kit_draw(int64_t least, int64_t most);

/* A distribution with the arrays to which it points. */
struct kit_distribution {
  cw_distribution what;
  int grid[CW_MAX_DIMENSIONS], blocks[CW_MAX_DIMENSIONS], alignment[CW_MAX_DIMENSIONS], ranks[64];
  int64_t block[CW_MAX_DIMENSIONS], ghosts[CW_MAX_DIMENSIONS], boundaries[CW_MAX_DIMENSIONS * 64];
};

/* Draws a distribution for an array of the world. If `ghosts`, blocks may have ghost cells (layout
 * CW_BLOCKS). */
void kit_draw_distribution(int n, const int64_t *extents, bool ghosts,
                           struct kit_distribution *drawn);
