/* What a program says of an array before it is made. */
#ifndef CWI_GA_ARRAY_SETTINGS_H
#define CWI_GA_ARRAY_SETTINGS_H

#include "ga/base/handle.h"

/* What the Set_ calls and those that create in one call say of the array. Local.
 * Errors: CW_MISUSE (names the argument by its name in ga.h), CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_ga_set_data(struct cwi_ga_array *entry, int type, int ndim,
                                     const int64_t *dims);
void cwi_ga_set_name(struct cwi_ga_array *entry, const char *name);
CWI_CHECKED cw_error cwi_ga_set_chunk(struct cwi_ga_array *entry, const int64_t *chunk);
CWI_CHECKED cw_error cwi_ga_set_irregular(struct cwi_ga_array *entry, const int64_t *map,
                                          const int64_t *nblock);
CWI_CHECKED cw_error cwi_ga_set_ghosts(struct cwi_ga_array *entry, const int64_t *width);

/* How many entries a map has: the sum of nblock; 0 where a dimension cannot have so many blocks, or
 * nothing is given. */
size_t cwi_ga_map_length(int ndim, const int64_t *dims, const int64_t *nblock);

/* A copy of a map of ints, to be freed; NULL for no map, and where it would make no sense. */
int64_t *cwi_ga_wide_map(int ndim, const int64_t *dims, const int *map, const int *nblock);
#endif
