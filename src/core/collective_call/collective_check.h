/* Start and end of every collective call. A process that waits long can therefore report the call
 * in which it waits, and with CW_CHECK=1 the members compare their calls. */
#pragma once

#include "base/settings.h"
#include "team/collective_arguments.h"
#include "team/team.h"
#include "wait/wait_report.h"

/* Processes that make the same calls in the same order. `id` is the same on all of them and differs
 * from that of other participants. */
struct cwi_participants {
  const int *processes;
  int count;
  uint64_t id;
};

/* Members of a team that make another team of a list of ranks. */
struct cwi_team_creators {
  cw_team parent;
  size_t members;
  const int *ranks;
  int tag;
};

/* Checks that all members of the list make the same team. They send records of their calls to the
 * lowest rank of their list, which answers each of them. This is done also without CW_CHECK, so
 * that a long wait can be reported. Errors, on every process whose record has been compared:
 * CW_MISUSE with a message that names both calls. */
CWI_CHECKED cw_error cwi_collective_compare_creators(const struct cwi_team_creators *creators);

/* The team of a pool, while this thread runs a task of that pool. The thread cannot take part in
 * collective calls of this team or of the world, because the other members are in the task's phase.
 * `outer` is the engagement around this one, if tasks nest. */
struct cwi_task_engagement {
  cw_team team;
  const struct cwi_task_engagement *outer;
};
extern __thread const struct cwi_task_engagement *cwi_engaged
    __attribute__((tls_model("initial-exec")));

/* Returns CW_MISUSE if this thread runs a task of a pool of the team, or if the team is the world
 * and it runs any task. */
CWI_CHECKED cw_error cwi_collective_engaged(cw_team team);

/* Sends the record of this call to all other participants and receives theirs. `argument_list` has
 * the arguments that must be the same; it is NULL if there are none or one was rejected here.
 * Errors: CW_MISUSE on every process whose call, participants or arguments differ from those of
 * another process. The message names both. */
CWI_CHECKED cw_error cwi_collective_compare(const char *call,
                                            const struct cwi_participants *participants,
                                            const struct cwi_argument *argument_list);

/* Begins the same comparison for a nonblocking call. This process sends its record now. It receives
 * the others' records whenever it lets MPI progress. When all have arrived, it calls
 * decided(context, alike), where `alike` is true if all members make the same call. The function is
 * called on any thread, under the threads' lock, in the order in which the calls of a team began,
 * and before a later blocking call of the team continues. It must not wait. The team must not be
 * freed before that. */
struct cwi_comparison;
typedef void (*cwi_decided_function)(void *context, bool alike);
CWI_CHECKED cw_error cwi_comparison_begin(const char *call, cw_team team,
                                          const struct cwi_argument *argument_list,
                                          cwi_decided_function decided, void *context,
                                          struct cwi_comparison **comparison);

/* Describes the process for which an undecided comparison waits; see wait/wait_report.h. */
void cwi_comparison_awaited(const void *comparison, char *text, size_t size);

/* Receives records that have arrived. Called by polling functions; waiting calls do it when they
 * let MPI progress. */
void cwi_comparisons_progress(void);

/* Frees a decided comparison. Errors: CW_MISUSE with both sides if the calls differ. */
CWI_CHECKED cw_error cwi_comparison_end(struct cwi_comparison *comparison);

/* First part of cwi_collective_begin, for calls that do their own comparison: returns CW_MISUSE if
 * this thread must not be in a call of the team. cwi_collective_end must follow in any case. */
static inline CWI_CHECKED cw_error cwi_collective_enter(const char *call, cw_team team,
                                                        struct cwi_waiting *outer)
{
  *outer = cwi_waiting_begin(call, NULL, NULL);
  return CWI_UNLIKELY(cwi_engaged != NULL) ? cwi_collective_engaged(team) : CW_OK;
}

/* Begins a call of the team; `argument_list` as above. cwi_collective_end must follow in any case.
 */
static inline CWI_CHECKED cw_error cwi_collective_begin(const char *call, cw_team team,
                                                        const struct cwi_argument *argument_list,
                                                        struct cwi_waiting *outer)
{
  CWI_TRY(cwi_collective_enter(call, team, outer));
  if (CWI_LIKELY(cwi_settings.check == 0))
    return CW_OK;
  const struct cwi_participants participants = {team->process, team->size, team->id};
  return cwi_collective_compare(cwi_waiting.call, &participants, argument_list);
}

static inline void cwi_collective_end(const struct cwi_waiting *outer)
{
  cwi_waiting_end(outer);
}

/* Evaluates `body` as a collective call. With CW_CHECK the members first check that all make the
 * same call with the same arguments. Adds the name of the call to an error. */
#define CWI_COLLECTIVELY(call, team, argument_list, body)                                          \
  cwi_in_call(call, CWI_TOGETHER(call, team, argument_list, body))

/* Like CWI_COLLECTIVELY, for a part of a call: it does not add the name of the call. */
#define CWI_TOGETHER(call, team, argument_list, body)                                              \
  __extension__({                                                                                  \
    struct cwi_waiting cwi_outer;                                                                  \
    cw_error cwi_error = cwi_collective_begin(call, team, argument_list, &cwi_outer);              \
    if (cwi_error == CW_OK)                                                                        \
      cwi_error = (body);                                                                          \
    cwi_collective_end(&cwi_outer);                                                                \
    cwi_error;                                                                                     \
  })

static inline const struct cwi_argument *cwi_argument_nothing(void)
{
  return NULL;
}

/* Start and stop of comparisons. Collective over the world; without CW_CHECK they do nothing. */
CWI_CHECKED cw_error cwi_collectives_start(void);
CWI_CHECKED cw_error cwi_collectives_stop(void);
