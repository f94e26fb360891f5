/* How much memory arrays may take. */
#ifndef CWI_GA_MEMORY_H
#define CWI_GA_MEMORY_H

#include "base/check.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* May arrays of this process take so many bytes more? Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_fits(size_t bytes);
void cwi_ga_memory_stop(void);

#ifdef __cplusplus
}
#endif
#endif
