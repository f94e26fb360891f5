/* Where the kernel does not let processes of a node copy each other's memory, the owner's agent
 * does (memory/agent.h). */
#ifndef CWI_ROUTE_MEMORY_HANDLE_AGENT_H
#define CWI_ROUTE_MEMORY_HANDLE_AGENT_H

#include "base/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Have an agent that copies memory of mine. */
CWI_CHECKED cw_error cwi_memory_handle_agent_open(void);

/* Have the agent of a process, which is open, move these bytes: `count` pieces of its memory, and
 * as many of mine. Errors: CW_MISUSE: some are not mapped there. */
CWI_CHECKED cw_error cwi_memory_handle_agent_move(int process, bool write, const struct iovec *mine,
                                                  const struct iovec *there, size_t count);

#ifdef __cplusplus
}
#endif
#endif
