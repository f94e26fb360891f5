/* Collective calls: every one of them begins and ends here. So a process that waits long can say on
 * which call, and with CW_CHECK=1 the members compare what they call. */
#ifndef CWI_TEAM_COLLECTIVE_CHECK_H
#define CWI_TEAM_COLLECTIVE_CHECK_H

#include "base/settings.h"
#include "team/collective_arguments.h"
#include "team/team.h"
#include "wait/wait_report.h"

/* Some processes that do something together, in the same order. `id` is the same on all of them,
 * and another one for others. */
struct cwi_participants {
  const int *processes;
  int count;
  uint64_t id;
};

/* Some members of a team who make one of a list of ranks. */
struct cwi_team_creators {
  cw_team parent;
  size_t members;
  const int *ranks;
  int tag;
};

/* Do all of them make the same team? They tell the lowest rank of their list, which tells each
 * whether all are alike: one round, always, in which a wait can be told. Errors, on all that meet:
 * CW_MISUSE that names both sides. */
CWI_CHECKED cw_error cwi_collective_compare_creators(const struct cwi_team_creators *creators);

/* A team that this thread cannot act for as one of all: it runs a task, and the other members are
 * in the phase that the task belongs to. Nor for the world. */
struct cwi_task_engagement {
  cw_team team;
  const struct cwi_task_engagement *outer;
};
extern __thread const struct cwi_task_engagement *cwi_engaged
    __attribute__((tls_model("initial-exec")));

/* Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_collective_engaged(cw_team team);

/* Tell all others which call this is and with what, and hear from them. argument_list: the
 * arguments that have to be the same; NULL: there are none, or one was refused here. Errors, on
 * every process that is in another call than I, or in one with others or with other arguments:
 * CW_MISUSE that names both sides. */
CWI_CHECKED cw_error cwi_collective_compare(const char *call,
                                            const struct cwi_participants *participants,
                                            const struct cwi_argument *argument_list);

/* The same for a call that starts and waits for nobody: this process tells the others, and hears
 * them whenever it lets MPI progress. Once it has heard all, decided(context, ...) says whether
 * they make the same call: on some thread, under the threads' lock, and for the calls of one team
 * in the order in which they began; also before a later call of the team that waits goes on. It
 * must not wait. The team is kept meanwhile. */
struct cwi_comparison;
typedef void (*cwi_decided_function)(void *context, bool alike);
CWI_CHECKED cw_error cwi_comparison_begin(const char *call, cw_team team,
                                          const struct cwi_argument *argument_list,
                                          cwi_decided_function decided, void *context,
                                          struct cwi_comparison **comparison);

/* Whom an undecided one waits for; see wait/wait_report.h. */
void cwi_comparison_awaited(const void *comparison, char *text, size_t size);

/* Hear who has come. For those that look; others hear when they let MPI progress. */
void cwi_comparisons_progress(void);

/* Release a decided one. Errors: CW_MISUSE that names both sides, if they differ. */
CWI_CHECKED cw_error cwi_comparison_end(struct cwi_comparison *comparison);

/* May this thread be in a call of the team? The first part of cwi_collective_begin, for calls that
 * compare themselves. End it in any case. */
static inline CWI_CHECKED cw_error cwi_collective_enter(const char *call, cw_team team,
                                                        struct cwi_waiting *outer)
{
  *outer = cwi_waiting_begin(call, NULL, NULL);
  return CWI_UNLIKELY(cwi_engaged != NULL) ? cwi_collective_engaged(team) : CW_OK;
}

/* Begin a call of the team; argument_list as above. End it in any case. */
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

/* A collective call: what `body` returns, once the members make the same call with the same
 * arguments. body: a call, made where this stands. */
#define CWI_COLLECTIVELY(call, team, argument_list, body)                                          \
  cwi_in_call(call, CWI_TOGETHER(call, team, argument_list, body))

/* The same for a part of a call, whose name its own error does not get here. */
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

/* Collective over the world; without CW_CHECK they do nothing. */
CWI_CHECKED cw_error cwi_collectives_start(void);
CWI_CHECKED cw_error cwi_collectives_stop(void);
#endif
