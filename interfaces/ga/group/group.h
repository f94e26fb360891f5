/* Groups of processes, and calls that concern GA as a whole.
 *
 * group.c       groups: their members and their teams
 * collective.c  broadcast and reductions of the program's own memory
 * order.c       GA_Sync, fences, mutexes
 * cluster.c     GA's view of the nodes of the machine */
#pragma once

#include "base/error.h"

#include <causeway.h>

/* Returns the group for calls without a group argument. */
int cwi_ga_default(void);

/* Finds the team of a group. Errors: CW_MISUSE (there is no such group, or this process is not a
 * member). */
CWI_CHECKED cw_error cwi_ga_team(const char *what, int group, cw_team *team);

/* Checks that the group exists, so that an array may have it. This process need not be a member.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_group_there(const char *what, int group);

/* Finds a group that has the processes of the team in the same order. Errors: CW_MISUSE (there is
 * none). */
CWI_CHECKED cw_error cwi_ga_group_of(cw_team team, int *group);

/* Starts the groups: the processes of each node create the mirror group. Collective over the
 * world. */
CWI_CHECKED cw_error cwi_ga_groups_start(void);

/* Frees the teams of all groups. Collective over each group. */
CWI_CHECKED cw_error cwi_ga_groups_free(void);
/* Frees only the team of the mirror group, which GA itself created. Collective. */
CWI_CHECKED cw_error cwi_ga_mirror_free(void);
void cwi_ga_groups_stop(void);

/* Does GA_Gop in a group: collective.c. GA's C interface has no such call. */
void cwi_ga_reduce_in(int group, int type, void *x, int n, const char *op);

/* Mutexes and fences: order.c. cwi_ga_mutexes_free frees GA's mutexes, if there are any, and is
 * collective. */
CWI_CHECKED cw_error cwi_ga_mutexes_free(void);
void cwi_ga_order_stop(void);
