/* The non-blocking collectives that have not been waited for, for cw_finalize. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* Returns the number of started collectives that are not known to be complete. */
size_t cwi_started_pending(void);

/* Completes all of them. Their handles stay valid. Collective over the world. */
CWI_CHECKED cw_error cwi_started_finish(void);
