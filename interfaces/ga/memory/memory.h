/* Limits on the memory of arrays. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Checks that arrays on this process may use this number of additional bytes. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_ga_fits(size_t bytes);
void cwi_ga_memory_stop(void);
