/* Transfers to device slices of node peers, by the agents of their owners. */
#ifndef CWI_DEVICE_TRANSFER_DEVICE_AGENT_H
#define CWI_DEVICE_TRANSFER_DEVICE_AGENT_H

#include "transfer/transfer.h"

/* Have an agent that serves others. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_agent_open(void);

/* Do these bytes lie in a device slice of the process, of my node? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_agent_check(int process, const void *address, size_t bytes);

/* Do all segments of a list? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_agent_check_list(int process, const struct cwi_shape *shape);

/* Move a transfer between host memory and device slices of a process of my node. All is complete on
 * return. Errors: CW_MISUSE (outside its slices), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_agent_transfer(const struct cwi_transfer *transfer);

/* The same two for somebody who must not wait. The transfer is copied; the arrays of a list stay in
 * use until the agent_operation has ended. */
struct cwi_agent_operation;
CWI_CHECKED cw_error cwi_device_agent_check_start(int process, const void *address, size_t bytes,
                                                  struct cwi_agent_operation **agent_operation);
CWI_CHECKED cw_error cwi_device_agent_transfer_start(const struct cwi_transfer *transfer,
                                                     struct cwi_agent_operation **agent_operation);
#endif
