/* Freeing regions: what was started on them is completed before. */
#ifndef CWI_ROUTE_REGION_CALLS_H
#define CWI_ROUTE_REGION_CALLS_H

#include "base/check.h"

#include <causeway/team.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective free by address, as ARMCI_Free wants it: address is NULL or that of my slice. */
CWI_CHECKED cw_error cwi_region_free_address(cw_team team, void *address);

#ifdef __cplusplus
}
#endif
#endif
