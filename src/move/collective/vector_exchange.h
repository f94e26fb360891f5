/* Pieces of any lengths that members send to each other, and their exchange by messages. */
#ifndef CWI_COLLECTIVE_VECTOR_EXCHANGE_H
#define CWI_COLLECTIVE_VECTOR_EXCHANGE_H

#include "base/error.h"
#include "team/team.h"

#include <stddef.h>

/* Contiguous bytes. */
struct cwi_run {
  char *at;
  size_t bytes;
};

/* The pieces that this process sends to each member and receives from it, in arrays of the team's
 * size, empty at first. The struct must not be moved, because the arrays of a small team are inside
 * it. */
struct cwi_runs {
  cw_team team;
  struct cwi_run *out, *in;
  struct cwi_run few[2 * CWI_TEAM_SMALL];
};

/* Initializes `runs`; cwi_runs_free releases it. If there is no memory the job ends, because the
 * other members would wait for ever. */
void cwi_runs_make(cw_team team, struct cwi_runs *runs);
void cwi_runs_free(struct cwi_runs *runs);

/* Checks that the `bytes` that member `from` sends are what this process expects. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_runs_check(const struct cwi_runs *runs, int from, size_t bytes);

/* Exchanges the runs by messages. Collective over the team. Empty runs are not sent. A member sends
 * itself as many bytes as it receives from itself. */
CWI_CHECKED cw_error cwi_runs_exchange(const struct cwi_runs *runs);
#endif
