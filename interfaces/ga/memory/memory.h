/* How much memory arrays may take. */
#ifndef CWI_GA_MEMORY_MEMORY_H
#define CWI_GA_MEMORY_MEMORY_H

#include "base/error.h"

#include <stddef.h>

/* May arrays of this process take so many bytes more? Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_fits(size_t bytes);
void cwi_ga_memory_stop(void);
#endif
