/* Settings of an array before it is created. */
#pragma once

#include "ga/base/handle.h"

/* Record settings, for the Set_ calls and for the calls that create an array at once. Local.
 * Errors: CW_MISUSE (with the name of the argument in ga.h), CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_ga_set_data(struct cwi_ga_array *entry, int type, int ndim,
                                     const int64_t *dims);
void cwi_ga_set_name(struct cwi_ga_array *entry, const char *name);
CWI_CHECKED cw_error cwi_ga_set_chunk(struct cwi_ga_array *entry, const int64_t *chunk);
CWI_CHECKED cw_error cwi_ga_set_irregular(struct cwi_ga_array *entry, const int64_t *map,
                                          const int64_t *nblock);
CWI_CHECKED cw_error cwi_ga_set_ghosts(struct cwi_ga_array *entry, const int64_t *width);

/* Returns the number of entries of a map: the sum of nblock. Returns 0 if a dimension cannot have
 * that many blocks, or an argument is NULL. */
size_t cwi_ga_map_length(int ndim, const int64_t *dims, const int64_t *nblock);

/* Returns an int64_t copy of a map of ints. The caller frees it. Returns NULL if there is no map,
 * its length is invalid, or there is no memory. */
int64_t *cwi_ga_wide_map(int ndim, const int64_t *dims, const int *map, const int *nblock);
