/* Agreement of a team's members: one exchange if no member has an error and the arguments are
 * equal. Otherwise a second step sends the message of a member's error, or the two argument lists.
 */
#include "team/agreement.h"

#include "base/hash.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/home.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE = 1024 };

/* first_failed returns the lowest rank that failed, or -1 if there is none. If `keyed`, ranks that
 * failed without a key come first. first_odd returns the lowest rank whose key differs from that of
 * rank 0, or -1. */
static int first_failed(cw_team team, const struct cwi_entry *all, bool keyed)
{
  int failed = -1;
  for (int rank = 0; rank < team->size; rank++)
    if (all[rank].status != CW_OK &&
        (failed < 0 || (keyed && all[failed].key != 0 && all[rank].key == 0)))
      failed = rank;
  return failed;
}

static int first_odd(cw_team team, const struct cwi_entry *all)
{
  for (int rank = 1; rank < team->size; rank++)
    if (all[rank].key != all[0].key)
      return rank;
  return -1;
}

static cw_error agree_send_by_home(cw_team team, int rank, void *what, size_t bytes)
{
  CWI_ASSERT(bytes <= CWI_HOME_TEXT);
  if (team->rank == rank)
    cwi_home_write_text(team, what, bytes);
  CWI_TRY(cwi_team_barrier(team));
  cwi_home_read_text(team, what, bytes);
  return CW_OK;
}

/* Sends `bytes` bytes, at most CWI_BOUNCE, from `rank` to all members. */
static cw_error agree_send(cw_team team, int rank, void *what, size_t bytes)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (team->home != 0)
    return agree_send_by_home(team, rank, what, bytes);
  if (team->memory != NULL) {
    if (team->rank == rank)
      memcpy(cwi_team_my_bounce(team), what, bytes);
    CWI_TRY(cwi_team_share(team, (uint64_t)rank));
    memcpy(what, cwi_team_bounce(team, rank), bytes);
    return CW_OK;
  }
  CWI_TRY(CWI_MPI(MPI_Ibcast(what, (int)bytes, MPI_BYTE, rank, team->internal, &request)));
  return cwi_mpi_wait(&request);
}

/* Returns the error of another member, with its message. */
static cw_error repeat(const char *whose, int number, uint64_t kind, const char *message)
{
  return cwi_failure((cw_error)kind, "in %s %d: %.960s", whose, number, message);
}

/* The arguments that a member passed, as words. */
struct given {
  uint64_t used, hash;
  char text[2032];
};

/* Rank 0 and rank `odd` send their arguments as words; all members compare them and return the same
 * error. */
static cw_error differ(cw_team team, int odd, const struct cwi_argument *same)
{
  struct given given[2];
  struct cwi_words words[2];
  for (int i = 0; i < 2; i++) {
    words[i] = (struct cwi_words){given[i].text, 0, sizeof given[i].text, CWI_HASH_EMPTY};
    given[i] = (struct given){.used = 0};
    cwi_arguments_write(same, &words[i]);
    given[i].used = words[i].used;
    given[i].hash = words[i].hash;
    CWI_TRY(agree_send(team, i == 0 ? 0 : odd, &given[i], sizeof given[i]));
    words[i].used = given[i].used;
    words[i].hash = given[i].hash;
  }
  CWI_TRY(cwi_arguments_compare(team->process[0], &words[0], team->process[odd], &words[1]));
  return cwi_misuse(
      "process %d and process %d pass different values; they have to be the same on all members",
      team->process[0], team->process[odd]);
}

/* Returns the error of rank `failed`. That rank sends its message to all members. */
static cw_error agree_receive(cw_team team, int failed, uint64_t kind,
                              struct cwi_first_error *first)
{
  char message[MESSAGE] = "";
  if (team->rank == failed)
    snprintf(message, sizeof message, "%s", first->message);
  CWI_TRY(agree_send(team, failed, message, sizeof message));
  return repeat("process", team->process[failed], kind, message);
}

/* Returns the first error without its mark. All members know the error, so they can continue
 * together even if MPI was the cause. */
static cw_error known(const struct cwi_first_error *first)
{
  const cw_error error = cwi_first_return(first);
  cwi_error_mark(false);
  return error;
}

/* Evaluates the entries that all members have exchanged. `exchanged` is the result of the exchange
 * itself. */
static cw_error agree_result(cw_team team, cw_error exchanged, const struct cwi_argument *same,
                             const struct cwi_entry *all, struct cwi_first_error *first)
{
  cwi_first_note(first, exchanged);
  if (exchanged != CW_OK)
    return cwi_first_return(first);
  const int failed = first_failed(team, all, same != NULL);
  const bool keyed = same != NULL && (failed < 0 || all[failed].key != 0);
  const int odd = keyed ? first_odd(team, all) : -1;
  if (CWI_UNLIKELY(odd >= 0))
    return differ(team, odd, same);
  if (CWI_LIKELY(failed < 0))
    return CW_OK;
  cwi_first_note(first, agree_receive(team, failed, all[failed].status, first));
  return known(first);
}

cw_error cwi_team_agree_on(cw_team team, cw_error mine, const struct cwi_entry *contribution,
                           const struct cwi_argument *same, struct cwi_entry *all)
{
  struct cwi_entry few[CWI_TEAM_SMALL], entry = *contribution;
  struct cwi_first_error first;
  bool alike = false, *alike_result = all == NULL ? &alike : NULL;
  entry.status = (uint64_t)mine;
  if (team->size == 1 && mine == CW_OK) {
    if (all != NULL)
      all[0] = entry;
    return CW_OK;
  }
  if (all == NULL)
    all = cwi_team_entries(team, few);
  cwi_first_begin(&first, mine);
  const cw_error exchanged = cwi_team_exchange(team, &entry, same != NULL, alike_result, all);
  return CWI_LIKELY(alike) ? CW_OK : agree_result(team, exchanged, same, all, &first);
}

cw_error cwi_team_agree_mostly(cw_team team, cw_error mine, uint64_t key, bool *alike,
                               struct cwi_entry *all)
{
  const struct cwi_entry entry = {.key = key, .status = (uint64_t)mine};
  struct cwi_first_error first;
  *alike = false;
  cwi_first_begin(&first, mine);
  const cw_error exchanged = cwi_team_exchange(team, &entry, true, alike, all);
  return CWI_LIKELY(*alike) ? CW_OK : agree_result(team, exchanged, NULL, all, &first);
}

cw_error cwi_team_agree(cw_team team, cw_error mine)
{
  const struct cwi_entry nothing = {0};
  return cwi_team_agree_on(team, mine, &nothing, NULL, NULL);
}

cw_error cwi_team_agree_step(cw_team team, cw_error mine)
{
  return mine != CW_OK && cwi_error_is_from_mpi() ? mine : cwi_team_agree(team, mine);
}

/* One reduction finds the lowest failed rank: a failed rank contributes (ranks - rank) << 3 |
 * error, which is largest for the lowest rank. */
cw_error cwi_agree(MPI_Comm comm, cw_error mine, uint64_t *most)
{
  int rank = 0, ranks = 0;
  if (mine != CW_OK && cwi_error_is_from_mpi())
    return mine;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &rank)));
  CWI_TRY(CWI_MPI(MPI_Comm_size(comm, &ranks)));
  uint64_t all[2] = {mine != CW_OK ? (uint64_t)(ranks - rank) << 3 | (uint64_t)mine : 0,
                     most != NULL ? *most : 0};
  CWI_TRY(cwi_mpi_allreduce(all, 2, MPI_UINT64_T, MPI_MAX, comm));
  if (most != NULL)
    *most = all[1];
  if (all[0] == 0)
    return CW_OK;
  struct cwi_first_error first;
  cwi_first_begin(&first, mine);
  char message[MESSAGE] = "";
  const int failed = ranks - (int)(all[0] >> 3);
  if (rank == failed)
    snprintf(message, sizeof message, "%s", first.message);
  CWI_TRY(cwi_mpi_bcast(message, sizeof message, MPI_CHAR, failed, comm));
  cwi_first_note(&first, repeat("rank", failed, all[0] & 7, message));
  return cwi_first_return(&first);
}
