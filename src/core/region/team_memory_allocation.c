/* Allocates the shared memory of a team on one node, for its barriers and exchanges. */
#include "region/team_memory_allocation.h"

#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/chunk.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "team/team.h"
#include "team/team_memory.h"
#include "team/world.h"
#include "wait/failures.h"

#include <string.h>

static struct cwi_team_memory *retired;

static bool all_have_left(struct cwi_team_memory *memory)
{
  return cwi_survives() ? cwi_survivors_have_left(memory, (int)memory->members)
                        : __atomic_load_n(&memory->left, __ATOMIC_ACQUIRE) == memory->members;
}

/* Frees the memory of teams that all members have left. The memory of a team whose first member has
 * failed stays allocated. */
static void free_retired(void)
{
  struct cwi_team_memory **link = &retired;
  while (*link != NULL) {
    struct cwi_team_memory *memory = *link;
    if (all_have_left(memory)) {
      *link = memory->next_retired;
      if (memory->wide != NULL)
        cwi_heap_free(&cwi_zone.internal, memory->wide);
      cwi_heap_free(&cwi_zone.internal, memory);
    } else {
      link = &memory->next_retired;
    }
  }
}

static uint64_t allocate_team(const int *processes, int members)
{
  struct cwi_team_memory *memory =
      cwi_heap_allocate(&cwi_zone.internal, cwi_team_memory_bytes(members), 0);
  if (memory == NULL)
    return 0;
  cwi_team_memory_clear(memory, processes, members);
  return cwi_offset_of(memory);
}

static void attach_team(cw_team team, uint64_t offset)
{
  team->memory = (struct cwi_team_memory *)(void *)cwi_address_at(offset);
}

static void release_team(uint64_t offset)
{
  cwi_heap_free(&cwi_zone.internal, cwi_address_at(offset));
}

/* Gives a team on one node its shared memory, for barriers and exchanges without MPI. */
static cw_error begin_team(cw_team team)
{
  uint64_t offset = 0;
  cw_error error = CW_OK;
  if (!team->shared)
    return CW_OK;
  if (team->rank == 0) {
    offset = allocate_team(team->process, team->size);
    error = offset != 0 ? CW_OK : CW_OUTSIDE;
  }
  CWI_TRY(cwi_agree(team->internal, error, &offset));
  attach_team(team, offset);
  return CW_OK;
}

/* Upper bound on the bytes of all wide buffers of a team. If a buffer would then be no larger than
 * CWI_BOUNCE, the team gets none. */
static const size_t most_wide = (size_t)2 << 20;

size_t cwi_team_wide_bytes(cw_team team)
{
  const size_t each = most_wide / (2 * (size_t)team->size) / CWI_BOUNCE * CWI_BOUNCE;
  return each < CWI_MOST_WIDE ? each : CWI_MOST_WIDE;
}

cw_error cwi_team_widen(cw_team team, bool *wide)
{
  const uint64_t step = UINT64_MAX; /* differs from the step of every message */
  const size_t bytes = 2 * (size_t)team->size * cwi_team_wide_bytes(team);
  *wide = team->wide != NULL;
  if (*wide || bytes <= 2 * (size_t)team->size * CWI_BOUNCE)
    return CW_OK;
  uint64_t offset = 0;
  if (team->rank == 0) {
    if (team->memory->wide == NULL) /* else an earlier call that failed has allocated it */
      team->memory->wide = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
    offset = team->memory->wide != NULL ? cwi_offset_of(team->memory->wide) : 0;
    memcpy(cwi_team_my_bounce(team), &offset, sizeof offset);
  }
  CWI_TRY(cwi_team_share(team, step));
  memcpy(&offset, cwi_team_bounce(team, 0), sizeof offset);
  team->wide = offset != 0 ? cwi_address_at(offset) : NULL;
  *wide = offset != 0;
  return CW_OK;
}

/* A member may free its team while a slower one still reads the generation of the last barrier. So
 * rank 0 frees the memory only after all have left. */
static void end_team(cw_team team)
{
  struct cwi_team_memory *memory = team->memory;
  team->memory = NULL;
  if (memory == NULL)
    return;
  if (cwi_survives())
    cwi_survivors_leave(memory, team->size, team->rank);
  else
    __atomic_fetch_add(&memory->left, 1, __ATOMIC_ACQ_REL);
  if (team->rank != 0)
    return;
  cwi_threads_lock();
  memory->members = (uint32_t)team->size;
  memory->next_retired = retired;
  retired = memory;
  free_retired();
  cwi_threads_unlock();
}

static const struct cwi_team_hooks hooks = {.begin = begin_team,
                                            .end = end_team,
                                            .allocate = allocate_team,
                                            .attach = attach_team,
                                            .release = release_team};

cw_error cwi_team_memory_start(void)
{
  cwi_team_set_hooks(&hooks);
  return cwi_team_begin(cwi_world.team);
}

void cwi_team_memory_stop(void)
{
  cwi_world.team->memory = NULL;
  retired = NULL;
}
