/* The nominal patches that a program sees of an array that CW_GA_DISTRIBUTION has made cyclic. */
#ifndef CWI_GA_ARRAY_NOMINAL_H
#define CWI_GA_ARRAY_NOMINAL_H

#include "ga/base/handle.h"

#include "array/array.h"

/* The entries passed to these functions have a nominal array. */

/* Fetches a patch that is in one block into this process's copy of the block. `view` is in the
 * copy, which exists until all its patches are released. Local. Errors: CW_MISUSE (outside, empty,
 * in several blocks), CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_ga_nominal_access(struct cwi_ga_array *entry, const int64_t *lo,
                                           const int64_t *hi, cw_array_view *view);

/* Ends an access of this patch, if there is one. update: first puts the open parts of the patch
 * into the array; if that fails, it stays open. Local; complete like a put. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_nominal_release(struct cwi_ga_array *entry, const int64_t *lo,
                                            const int64_t *hi, bool update);

/* Finds the nominal patch of a rank. Returns false if it has none. */
bool cwi_ga_nominal_part(const struct cwi_ga_array *entry, int rank, int64_t *lo, int64_t *hi);

/* Ends all accesses and frees the nominal array, because the array is being destroyed. May be
 * called without a nominal array. */
void cwi_ga_nominal_end(struct cwi_ga_array *entry);
void cwi_ga_nominals_stop(void);
#endif
