/* Slots that the members of a team give away together: pario.h has the map. */
#ifndef CWI_GA_FILES_SLOT_H
#define CWI_GA_FILES_SLOT_H

#include "base/error.h"

#include <causeway.h>

#include <stdbool.h>

enum { CWI_PARIO_SLOTS = 1024 };

/* The first of at most CWI_PARIO_SLOTS slots that is free on all members; `slots`: none is.
 * is_used: of mine. Collective over the team. */
CWI_CHECKED cw_error cwi_pario_free_slot(cw_team team, int slots, bool (*is_used)(int slot),
                                         int *slot);
#endif
