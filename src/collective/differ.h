/* Members that have found, by a number, that they were given different things: which, and what. */
#ifndef CWI_COLLECTIVE_DIFFER_H
#define CWI_COLLECTIVE_DIFFER_H

#include "team/agreed.h"
#include "team/team.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective: all members know that rank `odd` has another list than rank 0. Errors, on every
 * member alike: CW_MISUSE that names the argument and both values. */
CWI_CHECKED cw_error cwi_differ(cw_team team, int odd, const struct cwi_agreed *list);

#ifdef __cplusplus
}
#endif
#endif
