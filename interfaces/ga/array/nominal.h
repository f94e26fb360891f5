/* What a program sees of an array that CW_GA_DISTRIBUTION has made cyclic: its nominal patches. */
#ifndef CWI_GA_ARRAY_NOMINAL_H
#define CWI_GA_ARRAY_NOMINAL_H

#include "ga/base/handle.h"

#include "array/array.h"

/* Of entries with a nominal array. */

/* Fetch a patch that lies in one block into the process's copy of the block. view: of the copy,
 * which lives until all its patches are released. Local. Errors: CW_MISUSE (outside, empty, in
 * several blocks), CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_ga_nominal_access(struct cwi_ga_array *entry, const int64_t *lo,
                                           const int64_t *hi, cw_array_view *view);

/* End an access of this patch, if there is one. update: put what is open of the patch into the
 * array before; where that fails, it stays open. Local; complete as a put. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_nominal_release(struct cwi_ga_array *entry, const int64_t *lo,
                                            const int64_t *hi, bool update);

/* The nominal patch of a rank; false: it has none. */
bool cwi_ga_nominal_part(const struct cwi_ga_array *entry, int rank, int64_t *lo, int64_t *hi);

/* End all accesses, and what the program sees: the array goes. Also without a nominal array. */
void cwi_ga_nominal_end(struct cwi_ga_array *entry);
void cwi_ga_nominals_stop(void);
#endif
