/* Memory that handles name, where nodes have no servers: a dynamic MPI window over the world. */
#ifndef CWI_ROUTE_RMA_DYNAMIC_WINDOW_H
#define CWI_ROUTE_RMA_DYNAMIC_WINDOW_H

#include "base/error.h"
#include "route/memory_handle/memory_handle.h"

#include <stddef.h>

struct cwi_target;

/* Collective over the world. An MPI that cannot make the window is found out at the first handle.
 */
CWI_CHECKED cw_error cwi_dynamic_start(void);
CWI_CHECKED cw_error cwi_dynamic_stop(void);

/* After that, or after a start that failed: the window stays with MPI. Local. */
void cwi_dynamic_forget(void);

/* Let others reach memory of mine, and no longer. MPI wants pieces that do not overlap: memory
 * inside an attached piece shares that. Errors: CW_OUTSIDE (it overlaps a piece otherwise; MPI). */
CWI_CHECKED cw_error cwi_dynamic_attach(void *address, size_t bytes);
CWI_CHECKED cw_error cwi_dynamic_detach(void *address, size_t bytes);

/* The target that a handle names, if it has not been released: its owner's table is looked at.
 * Errors: CW_MISUSE, CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_dynamic_find(const struct cwi_memory_handle *memory,
                                      struct cwi_target **target);
#endif
