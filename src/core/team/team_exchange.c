/* Exchange, barrier and bounce buffers of a team, and the text about the members that a process
 * awaits. */
#include "base/hash.h"
#include "mpi/mpi_progress.h"
#include "number/random.h"
#include "team/home.h"
#include "team/survivors.h"
#include "team/team.h"
#include "team/world.h"
#include "wait/wait_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes reports of long waits describe the members of this team. */
static void exchange_wait_for(cw_team team)
{
  cwi_waiting.awaited = cwi_team_awaited;
  cwi_waiting.what = team;
}

/* Waits for all members in the team's shared memory. */
static enum cwi_meeting exchange_barrier(cw_team team, uint32_t value)
{
  team->meetings++;
  return cwi_team_memory_barrier(team->memory, team->size, team->rank, value);
}

/* Returns a hash of the name of the call that this thread is in. */
static uint64_t call_id(cw_team team)
{
  const char *call = cwi_waiting.call != NULL ? cwi_waiting.call : "";
  if (CWI_UNLIKELY(call != team->marked)) {
    team->marked = call;
    team->mark = cwi_hash_text(CWI_HASH_EMPTY, call);
  }
  return team->mark;
}

/* Returns a number for this call and this meeting of the team. */
static uint64_t exchange_id(cw_team team, unsigned meeting)
{
  return cwi_hash_add(call_id(team), meeting);
}

/* Returns a value that is the same on all members if all is well. The barrier compares only the sum
 * of the values. Hashes of similar keys may form an arithmetic progression, whose sum may equal
 * that of equal numbers. So the values are random numbers made from the hashes. */
static uint32_t barrier_value(const struct cwi_entry *entry, bool keyed)
{
  return (uint32_t)(cwi_random_bits(entry->call, keyed ? entry->key : 0) >> 32) +
         (entry->status != 0);
}

/* Returns the lowest rank whose entry is of another call or meeting, or -1 if there is none. */
static int first_different_call(cw_team team, const struct cwi_entry *all, uint64_t mark)
{
  for (int rank = 0; rank < team->size; rank++)
    if (CWI_UNLIKELY(all[rank].call != mark))
      return rank;
  return -1;
}

/* --- Finding the calls that differ ------------------------------------------------------------ */

/* Position of a member. If the members find that not all are at the same step, each sends its
 * position to all. */
enum { CALL_NAME = 48 };
struct position {
  uint64_t step; /* number of the exchange or share; 0 for a barrier */
  char name[CALL_NAME];
};

static struct position position_of(uint64_t step)
{
  struct position mine = {.step = step};
  cwi_waiting_call(mine.name, sizeof mine.name);
  return mine;
}

static bool is_with(const struct position *one, const struct position *other)
{
  return one->step == other->step && strcmp(one->name, other->name) == 0;
}

/* Returns the error of this member. The other members have left their calls, too, so no collective
 * operation of the team may follow. Resets state that the members keep in step. */
static cw_error differ(cw_team team, const struct position *mine, int rank,
                       const struct position *its)
{
  const int process = team->process[rank];
  const cw_error error =
      strcmp(mine->name, its->name) != 0
          ? cwi_misuse("the processes are in different collective calls: process %d in %s, process "
                       "%d in %s",
                       cwi_world.process, mine->name, process, its->name)
          : cwi_misuse("process %d is at another step of %s than process %d: they pass different "
                       "arguments to it (CW_CHECK=1 names them), or their earlier collective calls "
                       "were not the same",
                       process, its->name, cwi_world.process);
  cwi_error_mark(true);
  team->rows_apart = 0;
  return error;
}

/* Returns an error that names this process and the first rank whose position differs from `mine`.
 * `apart` is the distance of the positions in bytes. */
static cw_error exchange_result(cw_team team, const struct position *mine, const char *all,
                                size_t apart)
{
  const struct position *its = (const struct position *)(const void *)all;
  int other = 0;
  while (other < team->size - 1 && is_with(mine, its))
    its = (const struct position *)(const void *)(all + (size_t)++other * apart);
  return differ(team, mine, other, its);
}

/* --- By messages ------------------------------------------------------------------------------ */

/* Makes one round: sends to the rank `distance` above mine and receives from the rank `distance`
 * below. all[i] is the entry of the rank i below mine. An exchange that receives too few entries
 * fills the rest with zeros. */
static cw_error round_by_messages(cw_team team, int distance, bool barrier, struct cwi_entry *all,
                                  bool *received)
{
  static const char odd = 1;
  const int to = (team->rank + distance) % team->size;
  const int from = (team->rank - distance + team->size) % team->size;
  /* number of entries that the other rank lacks */
  const int count = distance < team->size - distance ? distance : team->size - distance;
  const int size = (int)sizeof *all, send_bytes = !barrier ? count * size : *received ? 1 : 0;
  MPI_Request receives = MPI_REQUEST_NULL, sends = MPI_REQUEST_NULL;
  struct cwi_first_error first;
  int bytes = 0;
  CWI_TRY(CWI_MPI(MPI_Irecv(all + distance, count * size, MPI_BYTE, from, CWI_TAG_BARRIER,
                            team->internal, &receives)));
  const cw_error sent = CWI_MPI(MPI_Isend(barrier ? (const void *)&odd : all, send_bytes, MPI_BYTE,
                                          to, CWI_TAG_BARRIER, team->internal, &sends));
  if (sent != CW_OK)
    cwi_mpi_drop(&receives);
  CWI_TRY(sent);
  team->awaits = team->process[from];
  cwi_first_begin(&first, cwi_mpi_wait_bytes(&receives, &bytes));
  /* wait even after an error, because the buffer belongs to my caller */
  cwi_first_note(&first, cwi_mpi_wait(&sends));
  cwi_mpi_give_up(&receives, "a message of a member");
  cwi_mpi_give_up(&sends, "a message to a member");
  team->awaits = -1;
  for (int i = bytes / size; i < count && !barrier; i++)
    all[distance + i] = (struct cwi_entry){.call = 0};
  *received = *received || bytes > 0;
  return cwi_first_return(&first);
}

/* Barriers and exchanges make the same rounds, with one message between each pair, so that they
 * always match. An exchange sends all entries that it has, and has those of all members after the
 * last round. A barrier sends empty messages; after it has received data, it sends one byte, which
 * is shorter than an entry. So an exchange that meets barriers lacks entries, a barrier that meets
 * exchanges receives data, and every member learns of it, because each member reaches all others
 * through the rounds.
 *
 * MPI_Ibarrier makes the same rounds in twice the time; MPI_Barrier does not let this process serve
 * requests meanwhile. */
static cw_error rounds_by_messages(cw_team team, bool barrier, struct cwi_entry *all,
                                   bool *received)
{
  *received = false;
  team->meetings++;
  for (int distance = 1; distance < team->size; distance *= 2)
    CWI_TRY(round_by_messages(team, distance, barrier, all, received));
  return CW_OK;
}

static void entries_reverse(struct cwi_entry *entries, int count)
{
  for (int i = 0; i < count / 2; i++) {
    const struct cwi_entry first = entries[i];
    entries[i] = entries[count - 1 - i];
    entries[count - 1 - i] = first;
  }
}

static cw_error exchange_by_mpi(cw_team team, uint64_t step)
{
  const struct position mine = position_of(step);
  struct position *all = malloc((size_t)team->size * sizeof *all);
  MPI_Request request = MPI_REQUEST_NULL;
  if (all == NULL)
    cwi_abort("no memory to compare collective calls", 1); /* the others would wait for ever */
  cw_error error = CWI_MPI(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE,
                                          team->internal, &request));
  if (error == CW_OK)
    error = cwi_mpi_wait(&request);
  if (error == CW_OK)
    error = exchange_result(team, &mine, (const char *)all, sizeof *all);
  free(all);
  return error;
}

static cw_error exchange_by_messages(cw_team team, const struct cwi_entry *mine,
                                     struct cwi_entry *all)
{
  bool received = false;
  all[0] = *mine;
  CWI_TRY(rounds_by_messages(team, false, all, &received));
  entries_reverse(all, team->rank + 1);
  entries_reverse(all + team->rank + 1, team->size - team->rank - 1);
  return CWI_LIKELY(first_different_call(team, all, mine->call) < 0)
             ? CW_OK
             : exchange_by_mpi(team, mine->call);
}

/* Barriers write no entries if all members are in a barrier. So the team's array of entries can be
 * passed, although the caller of the previous exchange may still be reading it. */
static cw_error barrier_by_messages(cw_team team)
{
  struct cwi_entry few[CWI_TEAM_SMALL];
  bool received = false;
  CWI_TRY(rounds_by_messages(team, true, cwi_team_entries(team, few), &received));
  return CWI_LIKELY(!received) ? CW_OK : exchange_by_mpi(team, 0);
}

/* --- At the home ------------------------------------------------------------------------------ */

static cw_error exchange_at_home(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all)
{
  if (!cwi_home_meet(team, mine))
    return cwi_survivors_exchange(team, mine, all);
  cwi_home_entries(team, all);
  const int other = first_different_call(team, all, mine->call);
  if (CWI_LIKELY(other < 0))
    return CW_OK;
  /* a member may have failed after it had arrived in a call that the others have left */
  if (!cwi_home_meet(team, mine))
    return cwi_survivors_exchange(team, mine, all);
  const cw_error error = cwi_misuse("process %d is in another collective call than process %d, or "
                                    "at another step of the same call",
                                    team->process[other], cwi_world.process);
  cwi_error_mark(true);
  return error;
}

/* Meets the other members, which must pass the same number. */
static cw_error meet_at_home(cw_team team, uint64_t mark)
{
  const struct cwi_entry mine = {.call = mark};
  struct cwi_entry few[CWI_TEAM_SMALL];
  return exchange_at_home(team, &mine, cwi_team_entries(team, few));
}

/* --- In shared memory ------------------------------------------------------------------------- */

/* Called by all members when they have found that they differ. They meet once more to exchange
 * their positions. */
static cw_error exchange_in_memory(cw_team team, enum cwi_meeting meeting, uint64_t step)
{
  if (CWI_UNLIKELY(meeting == CWI_MEETING_BROKEN))
    return cwi_survivors_exchange(team, NULL, NULL);
  const struct position mine = position_of(step);
  memcpy(cwi_team_my_bounce(team), &mine, sizeof mine);
  if (CWI_UNLIKELY(exchange_barrier(team, 0) == CWI_MEETING_BROKEN))
    return cwi_survivors_exchange(team, NULL, NULL);
  return exchange_result(team, &mine, cwi_team_bounce(team, 0), CWI_BOUNCE);
}

/* Returns the entries of a meeting. */
static struct cwi_padded_entry *slots_of(cw_team team, unsigned meeting)
{
  return team->memory->entries + (size_t)(meeting % 2) * (size_t)team->size;
}

/* Copies word by word. A wide load of words that were just stored one by one cannot be forwarded
 * from the store buffer and waits until they have reached the cache. */
static void copy_entry(struct cwi_entry *to, const struct cwi_entry *from)
{
  to->address = __atomic_load_n(&from->address, __ATOMIC_RELAXED);
  to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
  to->place = __atomic_load_n(&from->place, __ATOMIC_RELAXED);
  to->key = __atomic_load_n(&from->key, __ATOMIC_RELAXED);
  to->status = __atomic_load_n(&from->status, __ATOMIC_RELAXED);
  to->call = __atomic_load_n(&from->call, __ATOMIC_RELAXED);
}

cw_error cwi_team_exchange(cw_team team, const struct cwi_entry *mine, bool keyed, bool *alike,
                           struct cwi_entry *all)
{
  struct cwi_entry marked = *mine;
  if (team->size == 1) { /* no other member to wait for */
    all[0] = marked;
    return CW_OK;
  }
  exchange_wait_for(team);
  marked.call = exchange_id(team, team->meetings + 1);
  if (team->memory == NULL)
    return team->home != 0 ? exchange_at_home(team, &marked, all)
                           : exchange_by_messages(team, &marked, all);
  const size_t size = (size_t)team->size;
  struct cwi_padded_entry *slots = slots_of(team, team->meetings + 1);
  copy_entry(&slots[team->rank].entry, &marked);
  const enum cwi_meeting meeting = exchange_barrier(team, barrier_value(&marked, keyed));
  const bool same = meeting == CWI_MEETING_ALIKE;
  if (alike != NULL && (*alike = same && mine->status == 0))
    return CW_OK;
  if (CWI_UNLIKELY(meeting == CWI_MEETING_BROKEN))
    return cwi_survivors_exchange(team, mine, all);
  for (size_t rank = 0; rank < size; rank++)
    copy_entry(&all[rank], &slots[rank].entry);
  return CWI_LIKELY(same || first_different_call(team, all, marked.call) < 0)
             ? CW_OK
             : exchange_in_memory(team, meeting, marked.call);
}

cw_error cwi_team_barrier(cw_team team)
{
  if (team->size == 1)
    return CW_OK;
  exchange_wait_for(team);
  if (team->memory == NULL)
    return team->home != 0 ? meet_at_home(team, 0) : barrier_by_messages(team);
  const enum cwi_meeting meeting = exchange_barrier(team, 0);
  return CWI_LIKELY(meeting == CWI_MEETING_ALIKE) ? CW_OK : exchange_in_memory(team, meeting, 0);
}

char *cwi_team_my_bounce(cw_team team)
{
  return cwi_team_memory_bounce(team->memory, team->size, team->meetings + 1, team->rank);
}

/* The value differs from that of an exchange, because an exchange also hashes the number of the
 * meeting. */
cw_error cwi_team_share(cw_team team, uint64_t step)
{
  exchange_wait_for(team);
  const uint64_t mark = cwi_random_bits(call_id(team), step);
  if (CWI_UNLIKELY(team->home != 0))
    return meet_at_home(team, mark);
  const enum cwi_meeting meeting = exchange_barrier(team, (uint32_t)(mark >> 32));
  return CWI_LIKELY(meeting == CWI_MEETING_ALIKE) ? CW_OK : exchange_in_memory(team, meeting, mark);
}

const char *cwi_team_bounce(cw_team team, int rank)
{
  return cwi_team_memory_bounce(team->memory, team->size, team->meetings, rank);
}

enum { MOST_NAMED = 8 };

/* Writes "process 1, 3 and 2 more": the members that have not entered the barrier in the team's
 * shared memory. */
static void name_missing(cw_team team, char *text, size_t size)
{
  int missing = 0;
  size_t used = (size_t)snprintf(text, size, "process");
  for (int rank = 0; rank < team->size; rank++) {
    if (cwi_team_memory_has_arrived(team->memory, team->size, rank))
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
  if (team->memory != NULL && cwi_team_memory_has_arrived(team->memory, team->size, team->rank))
    name_missing(team, whom, sizeof whom);
  else if (team->memory == NULL && team->awaits >= 0)
    snprintf(whom, sizeof whom, "process %d, or one that it waits for", team->awaits);
  else
    snprintf(whom, sizeof whom, "other processes to answer");
  snprintf(text, size, "%s (team of %d processes, %d to %d)", whom, team->size,
           team->process[team->by_process[0]], team->process[team->by_process[team->size - 1]]);
}
