/* Where the members of a team meet at the begin and end of the calls of this room. */
#ifndef CWI_LINEAR_SYNCHRONIZE_H
#define CWI_LINEAR_SYNCHRONIZE_H

#include "base/error.h"

#include <causeway/team.h>

/* Complete my operations, wait for all members, and hear how it went with each. mine: how it went
 * here. Everything before is visible after it, also to loads and stores. Errors, on every member,
 * once one has one: mine, or the kind of the first that failed. Collective. */
CWI_CHECKED cw_error cwi_matrix_synchronize(cw_team team, cw_error mine);
#endif
