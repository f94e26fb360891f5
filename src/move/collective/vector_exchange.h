/* Pieces of any lengths that members send to each other, and their exchange by messages. */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <stddef.h>

/* Contiguous bytes. */
struct cwi_run {
  char *at;
  size_t bytes;
};

/* The pieces that this process sends to each member (`out`) and receives from each member (`in`).
 * Both arrays have one element for each member; all pieces are empty at first. The struct must not
 * be copied, because the arrays of a small team are inside it. */
struct cwi_runs {
  cw_team team;
  struct cwi_run *out, *in;
  struct cwi_run few[2 * CWI_TEAM_SMALL];
};

/* cwi_runs_make initializes `runs`, and cwi_runs_free releases it. Without memory, cwi_runs_make
 * ends the job, because the other members would wait forever. */
void cwi_runs_make(cw_team team, struct cwi_runs *runs);
void cwi_runs_free(struct cwi_runs *runs);

/* Checks that the number of bytes that member `from` sends, `bytes`, is what this process expects.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_runs_check(const struct cwi_runs *runs, int from, size_t bytes);

/* Exchanges the runs by messages. Collective over the team. Empty runs are not sent. The run that a
 * member sends to itself must have the length that it expects from itself. */
CWI_CHECKED cw_error cwi_runs_exchange(const struct cwi_runs *runs);
