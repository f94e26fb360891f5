/* Memory named by handles, where nodes have no servers: a dynamic MPI window over the world. */
#pragma once

#include "base/error.h"
#include "route/memory_handle/memory_handle.h"

#include <stddef.h>

struct cwi_target;

/* Start and stop the window. Collective over the world. If MPI cannot make the window, start
 * succeeds, and the first handle returns the error. */
CWI_CHECKED cw_error cwi_dynamic_start(void);
CWI_CHECKED cw_error cwi_dynamic_stop(void);

/* Frees what is left after cwi_dynamic_stop or after a failed start. After a failed start the MPI
 * window stays allocated. Local. */
void cwi_dynamic_forget(void);

/* Attach memory of mine for others, and detach it. MPI requires that attached pieces do not
 * overlap, so memory inside an attached piece shares that piece. Errors: CW_OUTSIDE (partial
 * overlap with a piece; MPI). */
CWI_CHECKED cw_error cwi_dynamic_attach(void *address, size_t bytes);
CWI_CHECKED cw_error cwi_dynamic_detach(void *address, size_t bytes);

/* Finds the target that a handle names, and checks in its owner's table that the handle has not
 * been released. Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_dynamic_find(const struct cwi_memory_handle *memory,
                                      struct cwi_target **target);
