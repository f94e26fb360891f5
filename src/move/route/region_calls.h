/* Freeing regions: what was started on them is completed before. */
#ifndef CWI_ROUTE_REGION_CALLS_H
#define CWI_ROUTE_REGION_CALLS_H

#include "base/error.h"

#include <causeway/memory.h>

/* cw_region_free for who has made the region inside: memory of an array, a pool, a set. Programs
 * find that by its address, too, and may not free it. */
CWI_CHECKED cw_error cwi_region_free(cw_team team, cw_region *region);

/* Collective free by address, as ARMCI_Free wants it: address is NULL or that of my slice. */
CWI_CHECKED cw_error cwi_region_free_address(cw_team team, void *address);
#endif
