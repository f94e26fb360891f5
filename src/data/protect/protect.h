/* Arrays that survive the failure of processes: copies of each part at several members.
 *
 * protect.c               makes and frees the copies, chooses the members that keep them, commits
 * recover.c               makes an array on other members from the committed copies
 * survivor_distribution.c the distribution of that array
 *
 * The members that have a copy of a part are its keepers. The first one is the owner: a living
 * owner needs its committed elements, too, because it may have changed its part since. There are
 * two copies at each keeper, and commits write them in turns. docs/design/failures.md has the
 * protocol. */
#pragma once

#include "array/array.h"

#include <stddef.h>

/* Returns the keepers of the part of `rank`. */
static inline const struct cwi_keeper *cwi_part_keepers(cw_array array, int rank)
{
  const struct cwi_protection *protection = array->protection;
  return &protection->keeper[(size_t)rank * (size_t)protection->keepers];
}

/* Returns the address of the copy of commit `commit` of the part of `rank`, in the keeper's slice.
 */
char *cwi_part_copy(cw_array array, int rank, const struct cwi_keeper *keeper, uint64_t commit);

/* Distribution of a recovered array, with the memory to which its options point. */
struct cwi_survivor_distribution {
  cw_distribution what;
  int grid[CW_MAX_DIMENSIONS], blocks[CW_MAX_DIMENSIONS], alignment[CW_MAX_DIMENSIONS];
  int64_t extents[CW_MAX_DIMENSIONS], block[CW_MAX_DIMENSIONS], ghosts[CW_MAX_DIMENSIONS];
  int64_t *boundaries;
  int *ranks;
};

/* Makes a distribution like that of `array` over the members of `team`. If these are enough for the
 * blocks or the grid of the array, they stay. The caller calls cwi_survivor_distribution_free, also
 * after a failure. Errors: CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_survivor_distribution_make(cw_array array, cw_team team,
                                                    struct cwi_survivor_distribution *made);
void cwi_survivor_distribution_free(struct cwi_survivor_distribution *made);
