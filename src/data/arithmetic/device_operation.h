/* Operations on parts of a target that are on a device of this process. */
#ifndef CWI_ARITHMETIC_DEVICE_OPERATION_H
#define CWI_ARITHMETIC_DEVICE_OPERATION_H

#include "arithmetic/operate.h"

/* Returns true if there is a kernel for the operation. Otherwise its parts are computed in host
 * memory and put. */
bool cwi_has_device_kernel(const struct cwi_operation *operation);

/* Runs the operation over a space whose channel 0 is on my device. Each other channel is in one
 * place, on the device or in host memory. The operation is complete on return. */
CWI_CHECKED cw_error cwi_run_on_device(struct cwi_operation *operation,
                                       const struct cwi_space *space);
#endif
