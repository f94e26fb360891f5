/* Pieces of any lengths from members to members, and their way by messages. */
#ifndef CWI_COLLECTIVE_VECTOR_EXCHANGE_H
#define CWI_COLLECTIVE_VECTOR_EXCHANGE_H

#include "base/error.h"
#include "team/team.h"

#include <stddef.h>

/* Bytes one after the other. */
struct cwi_run {
  char *at;
  size_t bytes;
};

/* What I send to each member, and what I receive: [team size], empty at first. It stays where it is
 * made. */
struct cwi_runs {
  cw_team team;
  struct cwi_run *out, *in;
  struct cwi_run few[2 * CWI_TEAM_SMALL];
};

/* Without memory for a large team the job ends: the other members would wait. */
void cwi_runs_make(cw_team team, struct cwi_runs *runs);
void cwi_runs_free(struct cwi_runs *runs);

/* Does the member send what I want? CW_MISUSE: no. */
CWI_CHECKED cw_error cwi_runs_check(const struct cwi_runs *runs, int from, size_t bytes);

/* Move them by messages. Collective over the team. Empty runs are not sent. What I send to myself
 * is as long as what I receive. */
CWI_CHECKED cw_error cwi_runs_exchange(const struct cwi_runs *runs);
#endif
