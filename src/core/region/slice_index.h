/* Finds the slices of regions that MPI windows cover, by process and address. */
#pragma once

#include "region/region.h"

/* cwi_slice_index_reserve allocates space for a region's slices, so that adding it cannot fail.
 * cwi_slice_index_cancel undoes that. */
CWI_CHECKED cw_error cwi_slice_index_reserve(cw_team team);
void cwi_slice_index_cancel(cw_team team);

/* cwi_slice_index_add adds a region for which space was reserved, cwi_slice_index_remove removes
 * it, and cwi_slice_index_stop frees the index. */
void cwi_slice_index_add(cw_region region);
void cwi_slice_index_remove(cw_region region);
void cwi_slice_index_stop(void);

/* Finds the slice of the process that contains the address. Returns false if there is none. */
bool cwi_slice_index_at(int process, const void *address, struct cwi_location *remote);
