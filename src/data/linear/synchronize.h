/* Synchronisation at the beginning and end of calls on matrices. */
#pragma once

#include "base/error.h"

#include <causeway/team.h>

/* Completes my operations, waits for all members, and exchanges their errors. `mine` is the error
 * of this process. Operations before this call are visible after it, also to loads and stores. If
 * one member has an error, all members return one: their own, or the kind of error of the first
 * member that failed. Collective. */
CWI_CHECKED cw_error cwi_matrix_synchronize(cw_team team, cw_error mine);
