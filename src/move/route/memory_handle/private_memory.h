/* Moving bytes of private memory of a process of my node. */
#ifndef CWI_ROUTE_MEMORY_HANDLE_PRIVATE_MEMORY_H
#define CWI_ROUTE_MEMORY_HANDLE_PRIVATE_MEMORY_H

#include "base/error.h"
#include "route/memory_handle/memory_handle.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Find out which peers let me copy; start my agent, if they will not be allowed to. */
CWI_CHECKED cw_error cwi_reach_offer(void);

/* Move `count` pieces, none of them empty: mine[i] and there[i] have the same length. The memory
 * has been entered. The lists are used up. Errors: CW_MISUSE (not mapped), CW_OUTSIDE (the kernel).
 */
CWI_CHECKED cw_error cwi_reach(const struct cwi_memory_handle *memory, bool write,
                               struct iovec *mine, struct iovec *there, size_t count);

/* Is it known that the owner's agent has to do this, and is it there? */
bool cwi_private_memory_needs_agent(int owner);

/* The misuse of what is not mapped. */
CWI_CHECKED cw_error cwi_reach_not_mapped(const struct cwi_memory_handle *memory);
#endif
