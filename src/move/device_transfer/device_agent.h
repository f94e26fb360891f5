/* Transfers to device slices of node peers, by the agents of their owners. */
#pragma once

#include "transfer/transfer.h"

/* Starts this process's agent for requests to its device slices. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_agent_open(void);

/* Checks that these bytes are inside a device slice of a process of this node. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_agent_check(int process, const void *address, size_t bytes);

/* Checks that all segments of a list are inside device slices of the process. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_agent_check_list(int process, const struct cwi_shape *shape);

/* Does a transfer between host memory and device slices of a process of this node. The transfer is
 * complete on return. Errors: CW_MISUSE (outside the process's slices), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_agent_transfer(const struct cwi_transfer *transfer);

/* Like cwi_device_agent_check and cwi_device_agent_transfer, for callers that must not wait.
 * *agent_operation receives the operation that does the work. `transfer` is copied, but the arrays
 * of a list must stay valid until the operation has ended. */
struct cwi_agent_operation;
CWI_CHECKED cw_error cwi_device_agent_check_start(int process, const void *address, size_t bytes,
                                                  struct cwi_agent_operation **agent_operation);
CWI_CHECKED cw_error cwi_device_agent_transfer_start(const struct cwi_transfer *transfer,
                                                     struct cwi_agent_operation **agent_operation);
