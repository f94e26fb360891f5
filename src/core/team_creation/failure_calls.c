/* The public calls of causeway/failure.h. */
#include "collective_call/collective_check.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "team/world.h"
#include "wait/failures.h"

#include <causeway/failure.h>

#include <stdlib.h>

bool cw_survives(void)
{
  return cwi_survives();
}

static cw_error check_survives(void)
{
  if (cwi_world.processes == 0)
    return cwi_not_running();
  return cwi_survives() ? CW_OK
                        : cwi_misuse("the job ends when a process fails; with "
                                     "CW_FAILURES=survive it continues");
}

cw_error cw_failure_handler(cw_failure_function function, void *context)
{
  CWI_TRY(cwi_in_call("cw_failure_handler", check_survives()));
  cwi_failures_handle(function, context);
  return CW_OK;
}

static cw_error check_list(cw_team team, size_t most, const int *ranks, const size_t *failed)
{
  CWI_TRY(cwi_check_team("team", team));
  CWI_TRY(cwi_check_not_null("failed, which receives a number,", failed));
  return ranks != NULL || most == 0 ? CW_OK : cwi_misuse("ranks is NULL, but most is %zu", most);
}

static void add_rank(int rank, size_t most, int *ranks, size_t *failed)
{
  if (*failed < most)
    ranks[*failed] = rank;
  ++*failed;
}

cw_error cw_team_failed(cw_team team, size_t most, int *ranks, size_t *failed)
{
  CWI_TRY(cwi_in_call("cw_team_failed", check_list(team, most, ranks, failed)));
  *failed = 0;
  for (int rank = 0; rank < team->size; rank++)
    if (cwi_has_failed(team->process[rank]))
      add_rank(rank, most, ranks, failed);
  return CW_OK;
}

static cw_error agree_failed(cw_team team, size_t most, int *ranks, size_t *failed)
{
  const struct cwi_entry nothing = {0};
  *failed = 0;
  if (!cwi_survives())
    return cwi_team_agree(team, CW_OK);
  cwi_survivors_agree(team, &nothing, team->survivor_entries, team->survivor_flags);
  for (int rank = 0; rank < team->size; rank++)
    if (team->survivor_flags[rank])
      add_rank(rank, most, ranks, failed);
  return CW_OK;
}

cw_error cw_team_agree_failed(cw_team team, size_t most, int *ranks, size_t *failed)
{
  CWI_PROFILED(CW_CALL_BARRIER);
  CWI_TRY(cwi_in_call("cw_team_agree_failed", check_list(team, most, ranks, failed)));
  return CWI_COLLECTIVELY("cw_team_agree_failed", team, cwi_argument_nothing(),
                          agree_failed(team, most, ranks, failed));
}

/* --- Shrinking -------------------------------------------------------------------------------- */

/* Drafts the team of the members that the agreement has found alive. */
static cw_error draft_survivors(cw_team team, cw_team *draft, struct cwi_entry *made)
{
  int *processes = malloc((size_t)team->size * sizeof *processes);
  int count = 0;
  if (processes == NULL)
    return cwi_outside("no memory for a team of %d processes", team->size);
  for (int rank = 0; rank < team->size; rank++)
    if (!team->survivor_flags[rank])
      processes[count++] = team->process[rank];
  const cw_error error = cwi_team_found(processes, count, draft, made);
  free(processes);
  return error;
}

/* Returns the error of the first survivor that has one, the same on all of them. */
static cw_error survivors_error(cw_team team, cw_error mine)
{
  for (int rank = 0; rank < team->size; rank++) {
    const uint64_t status = team->survivor_entries[rank].status;
    if (team->survivor_flags[rank] || status == CW_OK)
      continue;
    return rank == team->rank
               ? mine
               : cwi_failure((cw_error)status, "process %d has no memory for the team",
                             team->process[rank]);
  }
  return CW_OK;
}

/* Makes the team of the members that are alive in one agreement, if all of them are alive in the
 * next. Otherwise *draft is NULL, and the survivors try again. */
static cw_error shrink_once(cw_team team, cw_team *draft)
{
  struct cwi_entry made = {0};
  bool again = false;
  cwi_survivors_agree(team, &made, team->survivor_entries, team->survivor_flags);
  const cw_error mine = draft_survivors(team, draft, &made);
  made.status = (uint64_t)mine;
  cwi_survivors_agree(team, &made, team->survivor_entries, team->survivor_flags);
  cw_error error = survivors_error(team, mine);
  for (int rank = 0; rank < team->size && error == CW_OK; rank++)
    again =
        again || (team->survivor_flags[rank] && cwi_team_rank_of(*draft, team->process[rank]) >= 0);
  if (error == CW_OK && !again) {
    const int first = cwi_team_rank_of(team, (*draft)->process[0]);
    cwi_team_complete(*draft, team->survivor_entries[first].key,
                      team->survivor_entries[first].address);
    return CW_OK;
  }
  cwi_team_drop(*draft);
  *draft = NULL;
  cwi_team_deallocate(made.address);
  return error;
}

static cw_error team_shrink(cw_team team, cw_team *survivors)
{
  CWI_TRY(check_survives());
  while (*survivors == NULL)
    CWI_TRY(shrink_once(team, survivors));
  return CW_OK;
}

cw_error cw_team_shrink(cw_team team, cw_team *survivors)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_team_shrink", cwi_check_team("team", team)));
  if (survivors == NULL)
    return cwi_in_call("cw_team_shrink", cwi_misuse("survivors is NULL; it receives the team"));
  *survivors = NULL;
  return CWI_COLLECTIVELY("cw_team_shrink", team, cwi_argument_nothing(),
                          team_shrink(team, survivors));
}
