/* What members of a team tell each other: exchange, barrier, pages; and whom a member waits for. */
#include "base/waiting.h"
#include "mpi/call.h"
#include "team/team.h"
#include "team/world.h"

#include <stdio.h>
#include <string.h>

/* From here on that is what this thread waits for. */
static void wait_for(cw_team team)
{
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
}

cw_error cwi_agree(MPI_Comm comm, cw_error mine)
{
  int rank = 0, failed = 0;
  if (mine != CW_OK && cwi_mpi_refused())
    return mine;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &rank)));
  const int told = mine == CW_OK ? 0 : 1 + rank;
  CWI_TRY(CWI_MPI(MPI_Allreduce(&told, &failed, 1, MPI_INT, MPI_MAX, comm)));
  if (mine != CW_OK || failed == 0)
    return mine;
  return cwi_outside("rank %d cannot do its part; its own message says why", failed - 1);
}

/* Word by word: a load of several at once that were only just written one by one waits until they
 * have reached the cache. */
static void copy_entries(struct cwi_entry *to, const struct cwi_entry *from, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    to[i].address = __atomic_load_n(&from[i].address, __ATOMIC_RELAXED);
    to[i].bytes = __atomic_load_n(&from[i].bytes, __ATOMIC_RELAXED);
    to[i].key = __atomic_load_n(&from[i].key, __ATOMIC_RELAXED);
    to[i].status = __atomic_load_n(&from[i].status, __ATOMIC_RELAXED);
  }
}

cw_error cwi_team_exchange(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all)
{
  wait_for(team);
  if (team->block == NULL) {
    MPI_Request request = MPI_REQUEST_NULL;
    CWI_TRY(CWI_MPI(MPI_Iallgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE,
                                   team->internal, &request)));
    return cwi_mpi_wait(&request);
  }
  const size_t size = (size_t)team->size;
  struct cwi_entry *entries = team->block->entries + (team->exchanges++ % 2) * size;
  copy_entries(&entries[team->rank], mine, 1);
  cwi_block_barrier(team->block, team->size, team->rank);
  copy_entries(all, entries, size);
  return CW_OK;
}

int cwi_team_failed(cw_team team, const struct cwi_entry *all)
{
  for (int rank = 0; rank < team->size; rank++)
    if (all[rank].status != CW_OK)
      return rank;
  return -1;
}

int cwi_team_odd(cw_team team, const struct cwi_entry *all)
{
  for (int rank = 1; rank < team->size; rank++)
    if (all[rank].key != all[0].key)
      return rank;
  return -1;
}

/* In round k every member tells the one 2^k further on, and hears from the one 2^k before, that all
 * up to it have come. MPI_Ibarrier does the same, in twice the time; MPI_Barrier lets nobody serve
 * meanwhile. */
static cw_error barrier_by_messages(cw_team team)
{
  for (int far = 1; far < team->size; far *= 2) {
    const int to = (team->rank + far) % team->size;
    const int from = (team->rank - far + team->size) % team->size;
    team->awaits = team->process[from];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    CWI_TRY(
        CWI_MPI(MPI_Irecv(NULL, 0, MPI_BYTE, from, CWI_TAG_BARRIER, team->internal, &requests[0])));
    CWI_TRY(
        CWI_MPI(MPI_Isend(NULL, 0, MPI_BYTE, to, CWI_TAG_BARRIER, team->internal, &requests[1])));
    CWI_TRY(cwi_mpi_wait(&requests[0]));
    CWI_TRY(cwi_mpi_wait(&requests[1]));
  }
  team->awaits = -1;
  return CW_OK;
}

cw_error cwi_team_barrier(cw_team team)
{
  wait_for(team);
  if (team->block == NULL)
    return barrier_by_messages(team);
  cwi_block_barrier(team->block, team->size, team->rank);
  return CW_OK;
}

char *cwi_team_my_page(cw_team team)
{
  return cwi_block_page(team->block, team->size, team->shares + 1, team->rank);
}

void cwi_team_share(cw_team team)
{
  wait_for(team);
  team->shares++;
  cwi_block_barrier(team->block, team->size, team->rank);
}

const char *cwi_team_page(cw_team team, int rank)
{
  return cwi_block_page(team->block, team->size, team->shares, rank);
}

enum { MOST_NAMED = 8 };

/* " 1, 3 and 2 more": those that have not come to the barrier in the team's block. */
static void name_missing(cw_team team, char *text, size_t size)
{
  int missing = 0;
  size_t used = (size_t)snprintf(text, size, "process");
  for (int rank = 0; rank < team->size; rank++) {
    if (cwi_block_has_come(team->block, team->size, rank))
      continue;
    if (missing++ < MOST_NAMED && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s %d", missing > 1 ? "," : "",
                               team->process[rank]);
  }
  if (missing > MOST_NAMED && used < size)
    snprintf(text + used, size - used, " and %d more", missing - MOST_NAMED);
}

void cwi_team_awaited(const void *what, char *text, size_t size)
{
  cw_team team = (cw_team)(uintptr_t)what;
  char whom[160];
  if (team->block != NULL && cwi_block_has_come(team->block, team->size, team->rank))
    name_missing(team, whom, sizeof whom);
  else if (team->block == NULL && team->awaits >= 0)
    snprintf(whom, sizeof whom, "process %d, or one that it waits for", team->awaits);
  else
    snprintf(whom, sizeof whom, "other processes to answer");
  snprintf(text, size, "%s (team of %d processes, %d to %d)", whom, team->size,
           team->process[team->by_process[0]], team->process[team->by_process[team->size - 1]]);
}
