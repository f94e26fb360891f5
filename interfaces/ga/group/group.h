/* Groups of processes, and calls that concern GA as a whole.
 *
 * group.c       groups: their members and their teams
 * collective.c  broadcast and reductions of the program's own memory
 * order.c       GA_Sync, fences, mutexes
 * cluster.c     GA's view of the nodes of the machine */
#ifndef CWI_GA_GROUP_GROUP_H
#define CWI_GA_GROUP_GROUP_H

#include "base/error.h"

#include <causeway.h>

/* Returns the group for calls without a group argument. */
int cwi_ga_default(void);

/* Finds the team of a group that this process is a member of. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_team(const char *what, int group, cw_team *team);

/* Checks that an array may have this group, whether this process is a member or not. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_group_there(const char *what, int group);

/* Finds the group of these processes in this order. Errors: CW_MISUSE (there is none). */
CWI_CHECKED cw_error cwi_ga_group_of(cw_team team, int *group);

/* Collective: the processes of each node make the mirror group. */
CWI_CHECKED cw_error cwi_ga_groups_start(void);

/* Frees the teams of all groups. Collective over each. */
CWI_CHECKED cw_error cwi_ga_groups_free(void);
/* Frees only the team of the mirror group, which the binding itself made. Collective. */
CWI_CHECKED cw_error cwi_ga_mirror_free(void);
void cwi_ga_groups_stop(void);

/* GA_Gop in a group, which GA's C interface does not have: collective.c. */
void cwi_ga_reduce_in(int group, int type, void *x, int n, const char *op);

/* Mutexes and fences: order.c. cwi_ga_mutexes_free frees GA's mutexes, if there are any, and is
 * collective. */
CWI_CHECKED cw_error cwi_ga_mutexes_free(void);
void cwi_ga_order_stop(void);
#endif
