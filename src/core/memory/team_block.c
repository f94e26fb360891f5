/* The shared memory of a team on one node, for its barriers and exchanges. */
#include "memory/team_block.h"

#include "memory/chunk.h"
#include "memory/zone.h"
#include "mpi/call.h"
#include "team/agree.h"
#include "team/block.h"
#include "team/team.h"
#include "team/world.h"

#include <string.h>

static struct cwi_block *retired;

static void free_retired(void)
{
  struct cwi_block **link = &retired;
  while (*link != NULL) {
    struct cwi_block *block = *link;
    if (__atomic_load_n(&block->left, __ATOMIC_ACQUIRE) == block->members) {
      *link = block->next_retired;
      if (block->wide != NULL)
        cwi_heap_free(&cwi_zone.internal, block->wide);
      cwi_heap_free(&cwi_zone.internal, block);
    } else {
      link = &block->next_retired;
    }
  }
}

/* A team on one node gets a block of shared memory: barriers and exchanges without MPI. */
static cw_error begin_team(cw_team team)
{
  uint64_t offset = 0;
  cw_error error = CW_OK;
  if (!team->shared)
    return CW_OK;
  if (team->rank == 0) {
    struct cwi_block *block = cwi_heap_allocate(&cwi_zone.internal, cwi_block_bytes(team->size), 0);
    if (block != NULL)
      cwi_block_clear(block);
    offset = block != NULL ? cwi_offset_of(block) : 0;
    error = block != NULL ? CW_OK : CW_OUTSIDE;
  }
  CWI_TRY(cwi_agree(team->internal, error, &offset));
  team->block = (struct cwi_block *)(void *)cwi_address_at(offset);
  return CW_OK;
}

/* All pages of a team take this together, as long as each is larger than those of the block. */
static const size_t most_wide = (size_t)2 << 20;

size_t cwi_team_wide_bytes(cw_team team)
{
  const size_t each = most_wide / (2 * (size_t)team->size) / CWI_PAGE * CWI_PAGE;
  return each < CWI_MOST_WIDE ? each : CWI_MOST_WIDE;
}

bool cwi_team_widen(cw_team team)
{
  const size_t bytes = 2 * (size_t)team->size * cwi_team_wide_bytes(team);
  if (team->wide != NULL || bytes <= 2 * (size_t)team->size * CWI_PAGE)
    return team->wide != NULL;
  uint64_t offset = 0;
  if (team->rank == 0) {
    team->block->wide = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
    offset = team->block->wide != NULL ? cwi_offset_of(team->block->wide) : 0;
    memcpy(cwi_team_my_page(team), &offset, sizeof offset);
  }
  cwi_team_share(team);
  memcpy(&offset, cwi_team_page(team, 0), sizeof offset);
  team->wide = offset != 0 ? cwi_address_at(offset) : NULL;
  return team->wide != NULL;
}

/* A member may end its team while a slower one still reads the epoch of the last barrier: rank 0
 * gives the block back only when all have left. */
static void end_team(cw_team team)
{
  struct cwi_block *block = team->block;
  team->block = NULL;
  if (block == NULL)
    return;
  __atomic_fetch_add(&block->left, 1, __ATOMIC_ACQ_REL);
  if (team->rank != 0)
    return;
  cwi_threads_lock();
  block->members = (uint32_t)team->size;
  block->next_retired = retired;
  retired = block;
  free_retired();
  cwi_threads_unlock();
}

static const struct cwi_team_hooks hooks = {.begin = begin_team, .end = end_team};

cw_error cwi_team_blocks_start(void)
{
  cwi_team_set_hooks(&hooks);
  return cwi_team_begin(cwi_world.team);
}

void cwi_team_blocks_stop(void)
{
  cwi_world.team->block = NULL;
  retired = NULL;
}
