/* Slots that the members of a team assign together: pario.h has the map. */
#ifndef CWI_GA_FILES_SLOT_H
#define CWI_GA_FILES_SLOT_H

#include "base/error.h"

#include <causeway.h>

#include <stdbool.h>

enum { CWI_PARIO_SLOTS = 1024 };

/* Finds the first of `slots` slots, at most CWI_PARIO_SLOTS, that is free on all members. *slot is
 * `slots` if there is none. is_used: returns true for a used slot of this process. Collective over
 * the team. */
CWI_CHECKED cw_error cwi_pario_free_slot(cw_team team, int slots, bool (*is_used)(int slot),
                                         int *slot);
#endif
