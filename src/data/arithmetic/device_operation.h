/* What is done with parts of a target that lie on a device of this process. */
#ifndef CWI_ARITHMETIC_DEVICE_OPERATION_H
#define CWI_ARITHMETIC_DEVICE_OPERATION_H

#include "arithmetic/operate.h"

/* Is there a kernel for the operation? Else its parts are made in host memory, and put. */
bool cwi_has_device_kernel(const struct cwi_operation *operation);

/* Run the operation over a space whose channel 0 lies on my device; the others each in one place
 * there too, or in host memory. All is done on return. */
CWI_CHECKED cw_error cwi_run_on_device(struct cwi_operation *operation,
                                       const struct cwi_space *space);
#endif
