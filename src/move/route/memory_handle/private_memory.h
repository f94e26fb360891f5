/* Moves bytes of private memory of a process of my node. */
#pragma once

#include "base/error.h"
#include "route/memory_handle/memory_handle.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Checks once whether the kernel lets peers copy my memory, and starts my agent if it does not. */
CWI_CHECKED cw_error cwi_reach_offer(void);

/* Moves `count` pieces, none of them empty: from mine[i] to there[i] if `write`, else back. Both
 * have the same length. The caller has entered the memory. This function may change the lists.
 * Errors: CW_MISUSE (not mapped), CW_OUTSIDE (the kernel). */
CWI_CHECKED cw_error cwi_reach(const struct cwi_memory_handle *memory, bool write,
                               struct iovec *mine, struct iovec *there, size_t count);

/* Returns true if the owner has an agent and, as far as this process knows, that agent has to copy.
 */
bool cwi_private_memory_needs_agent(int owner);

/* Returns the error for memory that is not mapped. */
CWI_CHECKED cw_error cwi_reach_not_mapped(const struct cwi_memory_handle *memory);
