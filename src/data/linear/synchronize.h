/* Synchronisation at the begin and end of calls on matrices. */
#ifndef CWI_LINEAR_SYNCHRONIZE_H
#define CWI_LINEAR_SYNCHRONIZE_H

#include "base/error.h"

#include <causeway/team.h>

/* Completes my operations, waits for all members, and exchanges their errors. `mine` is the error
 * of this process. Operations before this call are visible after it, also to loads and stores.
 * Errors, on every member if one has an error: mine, or the kind of the first that failed.
 * Collective. */
CWI_CHECKED cw_error cwi_matrix_synchronize(cw_team team, cw_error mine);
#endif
