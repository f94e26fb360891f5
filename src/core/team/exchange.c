/* What members of a team tell each other: exchange, barrier, bounce buffers; and whom a member
 * waits for. */
#include "base/hash.h"
#include "base/waiting.h"
#include "mpi/call.h"
#include "number/random.h"
#include "team/team.h"
#include "team/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From here on that is what this thread waits for. */
static void exchange_wait_for(cw_team team)
{
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
}

/* Meet all others in the shared memory of the team; each says before which call it is in. Do all
 * say the same number? */
static bool exchange_meet(cw_team team, uint32_t say)
{
  const unsigned parity = ++team->meetings % 2;
  const char *call = cwi_waiting.call;
  if (CWI_UNLIKELY(call != team->named[parity] || call == NULL)) {
    cwi_waiting_call(cwi_team_memory_name(team->memory, team->size, parity, team->rank),
                     CWI_CALL_NAME);
    team->named[parity] = call;
  }
  return cwi_team_memory_barrier(team->memory, team->size, team->rank, say);
}

/* The call that this thread is in, and which meeting of the team is to come. */
static uint64_t mark_of(cw_team team)
{
  const char *call = cwi_waiting.call != NULL ? cwi_waiting.call : "";
  if (CWI_UNLIKELY(call != team->marked)) {
    team->marked = call;
    team->mark = cwi_hash_text(CWI_HASH_EMPTY, call);
  }
  return cwi_hash_add(team->mark, team->meetings + 1);
}

/* What has to be the same on all members, if all is well, as a number. Random: the sum of numbers
 * that are in line with each other, as hashes of like keys are, might look like that of equal ones.
 */
static uint32_t say_of(const struct cwi_entry *entry, bool keyed)
{
  return (uint32_t)(cwi_random_bits(entry->call, keyed ? entry->key : 0) >> 32) +
         (entry->status != 0);
}

static cw_error differ(cw_team team, int rank, const char *its)
{
  char mine[CWI_CALL_NAME];
  cwi_waiting_call(mine, sizeof mine);
  if (strcmp(mine, its) == 0)
    return cwi_misuse("process %d is at another step of %s than process %d: their earlier "
                      "collective calls were not the same",
                      team->process[rank], its, cwi_world.process);
  return cwi_misuse("the processes are in different collective calls: process %d in %s, process %d "
                    "in %s",
                    cwi_world.process, mine, team->process[rank], its);
}

/* The rank that is elsewhere; -1: nobody is. */
static int stranger(cw_team team, const struct cwi_entry *all, uint64_t mark)
{
  for (int rank = 0; rank < team->size; rank++)
    if (CWI_UNLIKELY(all[rank].call != mark))
      return rank;
  return -1;
}

/* Who hears of a stranger makes this, too: all that are in an exchange. */
static cw_error tell_by_messages(cw_team team, int rank)
{
  char mine[CWI_CALL_NAME], its[CWI_CALL_NAME];
  char *all = malloc((size_t)team->size * CWI_CALL_NAME);
  MPI_Request request = MPI_REQUEST_NULL;
  if (all == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait */
  cwi_waiting_call(mine, sizeof mine);
  cw_error error = CWI_MPI(MPI_Iallgather(mine, CWI_CALL_NAME, MPI_CHAR, all, CWI_CALL_NAME,
                                          MPI_CHAR, team->internal, &request));
  if (error == CW_OK)
    error = cwi_mpi_wait(&request);
  memcpy(its, all + (size_t)rank * CWI_CALL_NAME, sizeof its);
  free(all);
  return error != CW_OK ? error : differ(team, rank, its);
}

/* Word by word: a load of several at once that were only just written one by one waits until they
 * have reached the cache. */
static void copy_entry(struct cwi_entry *to, const struct cwi_entry *from)
{
  to->address = __atomic_load_n(&from->address, __ATOMIC_RELAXED);
  to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
  to->place = __atomic_load_n(&from->place, __ATOMIC_RELAXED);
  to->key = __atomic_load_n(&from->key, __ATOMIC_RELAXED);
  to->status = __atomic_load_n(&from->status, __ATOMIC_RELAXED);
  to->call = __atomic_load_n(&from->call, __ATOMIC_RELAXED);
}

static cw_error exchange_by_messages(cw_team team, const struct cwi_entry *mine,
                                     struct cwi_entry *all)
{
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(CWI_MPI(MPI_Iallgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE,
                                 team->internal, &request)));
  CWI_TRY(cwi_mpi_wait(&request));
  const int other = stranger(team, all, mine->call);
  if (CWI_LIKELY(other < 0))
    return CW_OK;
  /* All see the same: rank 0 and the first that is not with it. */
  const int odd = stranger(team, all, all[0].call);
  return tell_by_messages(team, mine->call != all[0].call ? 0 : odd);
}

cw_error cwi_team_exchange(cw_team team, const struct cwi_entry *mine, bool keyed, bool *alike,
                           struct cwi_entry *all)
{
  struct cwi_entry marked = *mine;
  if (team->size == 1) { /* there is nobody to wait for */
    all[0] = marked;
    return CW_OK;
  }
  exchange_wait_for(team);
  marked.call = mark_of(team);
  if (team->memory == NULL)
    return exchange_by_messages(team, &marked, all);
  const size_t size = (size_t)team->size;
  struct cwi_apart *slots = team->memory->entries + ((team->meetings + 1) % 2) * size;
  copy_entry(&slots[team->rank].entry, &marked);
  const bool same = exchange_meet(team, say_of(&marked, keyed)) && mine->status == 0;
  if (alike != NULL && (*alike = same))
    return CW_OK;
  for (size_t rank = 0; rank < size; rank++)
    copy_entry(&all[rank], &slots[rank].entry);
  const int other = stranger(team, all, marked.call);
  if (CWI_LIKELY(other < 0))
    return CW_OK;
  char its[CWI_CALL_NAME];
  memcpy(its, cwi_team_memory_name(team->memory, team->size, team->meetings, other), sizeof its);
  return differ(team, other, its);
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
  if (team->size == 1)
    return CW_OK;
  exchange_wait_for(team);
  if (team->memory == NULL)
    return barrier_by_messages(team);
  (void)exchange_meet(team, 0);
  return CW_OK;
}

char *cwi_team_my_bounce(cw_team team)
{
  return cwi_team_memory_bounce(team->memory, team->size, team->shares + 1, team->rank);
}

void cwi_team_share(cw_team team)
{
  exchange_wait_for(team);
  team->shares++;
  (void)exchange_meet(team, 0);
}

const char *cwi_team_bounce(cw_team team, int rank)
{
  return cwi_team_memory_bounce(team->memory, team->size, team->shares, rank);
}

enum { MOST_NAMED = 8 };

/* " 1, 3 and 2 more": those that have not come to the barrier in the shared memory of the team. */
static void name_missing(cw_team team, char *text, size_t size)
{
  int missing = 0;
  size_t used = (size_t)snprintf(text, size, "process");
  for (int rank = 0; rank < team->size; rank++) {
    if (cwi_team_memory_has_come(team->memory, team->size, rank))
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
  if (team->memory != NULL && cwi_team_memory_has_come(team->memory, team->size, team->rank))
    name_missing(team, whom, sizeof whom);
  else if (team->memory == NULL && team->awaits >= 0)
    snprintf(whom, sizeof whom, "process %d, or one that it waits for", team->awaits);
  else
    snprintf(whom, sizeof whom, "other processes to answer");
  snprintf(text, size, "%s (team of %d processes, %d to %d)", whom, team->size,
           team->process[team->by_process[0]], team->process[team->by_process[team->size - 1]]);
}
