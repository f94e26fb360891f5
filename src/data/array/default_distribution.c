/* Global Arrays' default distribution. Programs rely on which process owns which block, so this is
 * the rule of version 5.8: it factorises the number of processes and gives each prime factor,
 * greatest first, to the dimension of the grid where it fits best. */
#include "array/default_distribution.h"

#include "base/size.h"

#include <stddef.h>

/* Returns how badly `granules` granules fit on `places` places; smaller is better. */
static double misfit(int64_t granules, int64_t places)
{
  CWI_ASSERT(places > 0);
  if (granules < places)
    return 1.1;
  return (double)(granules % places) / (double)granules;
}

/* Gives one prime factor to a dimension of the grid. Tries dimensions in turn from *start. */
static void give_factor(int dimensions, int64_t factor, const int64_t *granules, int64_t *grid,
                        int *start)
{
  int best = *start;
  double least = misfit(granules[best], grid[best] * factor);
  for (int i = 1; i < dimensions; i++) {
    const int d = (*start + i) % dimensions;
    const double here = misfit(granules[d], grid[d] * factor);
    if (here < least) {
      best = d;
      least = here;
    }
  }
  grid[best] *= factor;
  *start = (*start + 1) % dimensions;
}

/* Computes the prime factors with their multiplicity, ascending. Returns their number. */
static int factorise(int number, int64_t factors[32])
{
  int count = 0;
  for (int prime = 2; (int64_t)prime * prime <= number; prime++)
    for (; number % prime == 0; number /= prime)
      factors[count++] = prime;
  if (number > 1)
    factors[count++] = number;
  return count;
}

enum { MOST_DIMENSIONS = 8 };

bool cwi_rule_heeds(int dimensions, const int64_t *least)
{
  return least != NULL && least[dimensions - 1] != 0;
}

/* The rule numbers dimensions from the last to the first, like Fortran. */
void cwi_rule_grid(int processes, int dimensions, const int64_t *extents, const int64_t *least,
                   int64_t *grid)
{
  int64_t factors[32], granules[MOST_DIMENSIONS] = {0}, reversed[MOST_DIMENSIONS] = {0};
  const bool heeds = cwi_rule_heeds(dimensions, least);
  int start = 0;
  for (int f = 0; f < dimensions; f++) {
    const int d = dimensions - 1 - f;
    int64_t granule = heeds ? cwi_lesser(least[d], extents[d]) : 1;
    granule = granule < 1 || extents[d] == 1 ? 1 : granule;
    granules[f] = cwi_divide_up(extents[d], granule);
    reversed[f] = 1;
  }
  for (int i = factorise(processes, factors) - 1; i >= 0; i--)
    give_factor(dimensions, factors[i], granules, reversed, &start);
  for (int f = 0; f < dimensions; f++)
    grid[dimensions - 1 - f] = reversed[f];
}

struct cwi_rule_blocks cwi_rule_partition(int64_t extent, int64_t least, bool heeded, int64_t grid)
{
  const int64_t granule = least > 1 ? cwi_lesser(least, extent) : 1;
  const int64_t granules = cwi_divide_up(extent, granule);
  const int64_t most = cwi_lesser(cwi_divide_up(heeded ? granules : extent, grid), granules + 1);
  const int64_t long_blocks = granules - (most - 1) * grid;
  struct cwi_rule_blocks blocks_of_rule = {0, long_blocks, most * granule, granule};
  if (long_blocks < 1) { /* all blocks are short ones */
    blocks_of_rule.long_blocks = grid;
    blocks_of_rule.length -= granule;
  }
  int64_t start = 0;
  while (blocks_of_rule.blocks < grid && start < extent)
    start += blocks_of_rule.blocks++ < blocks_of_rule.long_blocks ? blocks_of_rule.length
                                                                  : blocks_of_rule.length - granule;
  return blocks_of_rule;
}
