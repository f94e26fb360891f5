/* Nominal patches. If CW_GA_DISTRIBUTION has made an array cyclic, the program still sees one block
 * for each process. This block is the nominal patch of the process. */
#pragma once

#include "ga/base/handle.h"

#include "array/array.h"

/* The entries passed to these functions have a nominal array. */

/* Fetches a patch that is in one block into this process's copy of the block. *view describes the
 * patch in the copy. The copy exists until all its patches are released. Local. Errors: CW_MISUSE
 * (the patch is outside, empty, or in several blocks), CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_ga_nominal_access(struct cwi_ga_array *entry, const int64_t *lo,
                                           const int64_t *hi, cw_array_view *view);

/* Ends one access to the patch with these bounds, if there is one. If `update` is set, first puts
 * those parts of the patch into the array that lie in patches with open accesses, and completes as
 * a put does; if the put fails, the access stays open. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_nominal_release(struct cwi_ga_array *entry, const int64_t *lo,
                                            const int64_t *hi, bool update);

/* Stores the bounds of the nominal patch of a rank. Returns false if the rank has none. */
bool cwi_ga_nominal_part(const struct cwi_ga_array *entry, int rank, int64_t *lo, int64_t *hi);

/* cwi_ga_nominal_end ends all accesses to an array that is being destroyed, and frees its nominal
 * array. The entry may have no nominal array. cwi_ga_nominals_stop does this for all arrays. */
void cwi_ga_nominal_end(struct cwi_ga_array *entry);
void cwi_ga_nominals_stop(void);
