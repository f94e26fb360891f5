/* Look-up of (process, address) in regions that MPI windows cover. */
#ifndef CWI_MEMORY_REMOTE_H
#define CWI_MEMORY_REMOTE_H

#include "memory/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make room for the region's slices, so that adding it cannot fail; or take that back. */
CWI_CHECKED cw_error cwi_remote_reserve(cw_team team);
void cwi_remote_cancel(cw_team team);

/* Add a region for which there is room. */
void cwi_remote_add(cw_region region);
void cwi_remote_remove(cw_region region);
void cwi_remote_stop(void);

/* The part that holds an address, whatever its end; false: none. */
bool cwi_remote_at(int process, const void *address, struct cwi_remote *remote);

#ifdef __cplusplus
}
#endif
#endif
