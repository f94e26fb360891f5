/* Makes the distribution of an array that is recovered on fewer members, as options of
 * cw_array_create. */
#include "protect/protect.h"

#include <stdlib.h>

/* Chooses the members that may hold data: those holders of the array that are in the team, if the
 * program had named the holders, or else as many members as the array had holders. */
static cw_error choose_members(cw_array array, cw_team team, struct cwi_survivor_distribution *made)
{
  int *members = &made->what.members;
  *members = array->holders < team->size ? array->holders : team->size;
  if (array->ranks == NULL)
    return CW_OK;
  made->ranks = malloc((size_t)array->holders * sizeof *made->ranks);
  if (made->ranks == NULL)
    return cwi_outside("no memory for the ranks of an array on %d processes", array->holders);
  int count = 0;
  for (int holder = 0; holder < array->holders; holder++) {
    const int process = cwi_rank_process(array, array->ranks[holder]);
    const int rank = cwi_team_rank_of(team, process);
    if (rank >= 0)
      made->ranks[count++] = rank;
  }
  if (count == 0) /* no holder survives */
    return CW_OK;
  *members = count;
  made->what.ranks = made->ranks;
  return CW_OK;
}

/* Lists the first indices of all blocks. */
static cw_error copy_boundaries(cw_array array, struct cwi_survivor_distribution *made)
{
  int64_t count = 0;
  for (int d = 0; d < array->dimensions; d++)
    count += array->axes[d].blocks;
  made->boundaries = malloc((size_t)count * sizeof *made->boundaries);
  if (made->boundaries == NULL)
    return cwi_outside("no memory for the %lld blocks of an array", (long long)count);
  count = 0;
  for (int d = 0; d < array->dimensions; d++) {
    made->blocks[d] = (int)array->axes[d].blocks;
    for (int64_t block = 0; block < array->axes[d].blocks; block++)
      made->boundaries[count++] = cwi_axis_start(&array->axes[d], block);
  }
  made->what.boundaries = made->boundaries;
  made->what.blocks = made->blocks;
  return CW_OK;
}

static void copy_axes(cw_array array, bool grid_fits, struct cwi_survivor_distribution *made)
{
  const bool irregular = array->axes[0].starts != NULL;
  for (int d = 0; d < array->dimensions; d++) {
    made->extents[d] = array->axes[d].extent;
    made->block[d] = array->axes[d].width;
    made->ghosts[d] = array->axes[d].ghosts;
    made->grid[d] = (int)array->axes[d].grid;
    made->alignment[d] = (int)array->axes[d].alignment;
  }
  if (array->layout == CW_BLOCKS)
    made->what.ghosts = made->ghosts;
  else if (!irregular)
    made->what.block = made->block;
  if (grid_fits && (array->layout == CW_CYCLIC || array->layout == CW_TILED)) {
    made->what.grid = made->grid;
    made->what.alignment = made->alignment;
  }
}

cw_error cwi_survivor_distribution_make(cw_array array, cw_team team,
                                        struct cwi_survivor_distribution *made)
{
  *made = (struct cwi_survivor_distribution){
      .what = {.layout = array->layout, .column_major = array->column_major}};
  CWI_TRY(choose_members(array, team, made));
  const bool grid_fits = array->holders <= made->what.members;
  copy_axes(array, grid_fits, made);
  const bool irregular_tiles = array->layout == CW_TILED && array->axes[0].starts != NULL;
  if (irregular_tiles || (array->layout == CW_BLOCKS && grid_fits))
    CWI_TRY(copy_boundaries(array, made));
  return CW_OK;
}

void cwi_survivor_distribution_free(struct cwi_survivor_distribution *made)
{
  free(made->boundaries);
  free(made->ranks);
}
