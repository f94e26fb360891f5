/* Draws distributions of every layout, for the tests of arrays. */
#include "kit/distribution.h"

#include <stdlib.h>

int64_t kit_draw(int64_t least, int64_t most)
{
  return least + kit_common((int)(most - least + 1));
}

/* Draws a grid of at most `places` places. */
static void draw_grid(int n, int places, struct kit_distribution *drawn)
{
  for (int d = 0; d < n; d++)
    drawn->grid[d] = 1;
  for (int tries = 0; tries < 4; tries++) {
    int product = 1;
    const int d = kit_common(n), factor = 1 + kit_common(4);
    for (int e = 0; e < n; e++)
      product *= drawn->grid[e];
    if (product / drawn->grid[d] * factor <= places)
      drawn->grid[d] = factor;
  }
}

static int ascending(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Replaces equal blocks by blocks[d] drawn boundaries for each dimension, some of them equal. */
static void draw_boundaries(int n, const int64_t *extents, struct kit_distribution *drawn)
{
  int64_t *next = drawn->boundaries;
  for (int d = 0; d < n; d++) {
    next[0] = 0;
    for (int b = 1; b < drawn->blocks[d]; b++)
      next[b] = kit_draw(0, extents[d]);
    qsort(next, (size_t)drawn->blocks[d], sizeof *next, ascending);
    next += drawn->blocks[d];
  }
  drawn->what.block = NULL;
  drawn->what.boundaries = drawn->boundaries;
  drawn->what.blocks = drawn->blocks;
}

static void draw_holders(struct kit_distribution *drawn)
{
  const int processes = kit_processes();
  if (processes == 1 || kit_common(3) > 0)
    return;
  drawn->what.members = (int)kit_draw(1, processes);
  const int first = kit_common(processes);
  for (int i = 0; i < drawn->what.members; i++)
    drawn->ranks[i] = (first + processes - i) % processes;
  if (kit_common(2) > 0)
    drawn->what.ranks = drawn->ranks;
}

static void draw_blocks(int n, const int64_t *extents, bool ghosts, struct kit_distribution *drawn)
{
  const int kind = kit_common(4);
  for (int d = 0; d < n; d++) {
    drawn->block[d] = kit_draw(0, extents[d]);
    drawn->ghosts[d] = kit_draw(0, extents[d] < 3 ? extents[d] : 3);
    drawn->blocks[d] = drawn->grid[d] <= extents[d] ? drawn->grid[d] : (int)extents[d];
  }
  if (ghosts)
    drawn->what.ghosts = drawn->ghosts;
  if (kind == 1)
    drawn->what.grid = drawn->grid;
  else if (kind == 2)
    drawn->what.block = drawn->block;
  else if (kind == 3)
    draw_boundaries(n, extents, drawn);
}

static void draw_round_robin(int n, const int64_t *extents, struct kit_distribution *drawn)
{
  for (int d = 0; d < n; d++) {
    drawn->block[d] = kit_common(3) == 0 ? 1 : kit_draw(1, extents[d]);
    drawn->alignment[d] = kit_common(drawn->grid[d]);
    drawn->blocks[d] = (int)kit_draw(1, extents[d] < 6 ? extents[d] : 6);
  }
  drawn->what.block = drawn->block;
  if (drawn->what.layout == CW_ROUND_ROBIN)
    return;
  drawn->what.grid = drawn->grid;
  drawn->what.alignment = drawn->alignment;
  if (drawn->what.layout == CW_TILED && kit_common(2) == 0)
    draw_boundaries(n, extents, drawn);
}

void kit_draw_distribution(int n, const int64_t *extents, bool ghosts,
                           struct kit_distribution *drawn)
{
  *drawn = (struct kit_distribution){.what.layout = ghosts ? CW_BLOCKS : (cw_layout)kit_common(4),
                                     .what.column_major = kit_common(2) == 0};
  draw_holders(drawn);
  draw_grid(n, drawn->what.members > 0 ? drawn->what.members : kit_processes(), drawn);
  if (drawn->what.layout == CW_BLOCKS)
    draw_blocks(n, extents, ghosts, drawn);
  else
    draw_round_robin(n, extents, drawn);
}
