/* Collectives that were started, and that nobody has waited for: what cw_finalize asks. */
#ifndef CWI_COLLECTIVE_NONBLOCKING_COLLECTIVE_H
#define CWI_COLLECTIVE_NONBLOCKING_COLLECTIVE_H

#include "base/error.h"

#include <stddef.h>

size_t cwi_started_pending(void);

/* Complete all of them; their handles stay valid. Collective over the world. */
CWI_CHECKED cw_error cwi_started_finish(void);
#endif
