/* Element by element: what several calls share. */
#ifndef CWI_ARITHMETIC_COMBINE_H
#define CWI_ARITHMETIC_COMBINE_H

#include "arithmetic/operate.h"
#include "team/collective_arguments.h"

/* Run an operation as a call of the target's team. checked: what looking at its arguments gave.
 * agreed: what has to be the same besides the patches.
 * Errors, on every member: CW_MISUSE (that; divisors that are 0; divisor: where they are),
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_operate_collective(const char *call, cw_error checked,
                                            struct cwi_operation *operation,
                                            const struct cwi_box *divisor,
                                            const struct cwi_argument *agreed);
#endif
