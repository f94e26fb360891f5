/* Slots that the members of a team assign together. pario.h has the map of the source files. */
#pragma once

#include "base/error.h"

#include <causeway.h>

#include <stdbool.h>

enum { CWI_PARIO_SLOTS = 1024 };

/* Stores in *slot the first slot that is free on all members, or `slots` if there is none. `slots`
 * is the number of slots, at most CWI_PARIO_SLOTS. is_used returns true for a slot that this
 * process uses. Collective over the team. */
CWI_CHECKED cw_error cwi_pario_free_slot(cw_team team, int slots, bool (*is_used)(int slot),
                                         int *slot);
