/* Freeing regions. Outstanding operations are completed first. */
#pragma once

#include "base/error.h"

#include <causeway/memory.h>

/* Like cw_region_free, but also frees the regions inside arrays, pools and sets. Programs can find
 * those by address, too, but may not free them. */
CWI_CHECKED cw_error cwi_region_free(cw_team team, cw_region *region);

/* Frees a region by address, as ARMCI_Free does. Collective. `address` is the start of my slice, or
 * NULL if I have no bytes. */
CWI_CHECKED cw_error cwi_region_free_address(cw_team team, void *address);
