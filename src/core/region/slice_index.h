/* Look-up of (process, address) in regions that MPI windows cover. */
#ifndef CWI_REGION_SLICE_INDEX_H
#define CWI_REGION_SLICE_INDEX_H

#include "region/region.h"

/* Make room for the region's slices, so that adding it cannot fail; or take that back. */
CWI_CHECKED cw_error cwi_slice_index_reserve(cw_team team);
void cwi_slice_index_cancel(cw_team team);

/* Add a region for which there is room. */
void cwi_slice_index_add(cw_region region);
void cwi_slice_index_remove(cw_region region);
void cwi_slice_index_stop(void);

/* The part that holds an address, whatever its end; false: none. */
bool cwi_slice_index_at(int process, const void *address, struct cwi_location *remote);
#endif
