/* The function that all element-by-element operations share. */
#ifndef CWI_ARITHMETIC_COMBINE_H
#define CWI_ARITHMETIC_COMBINE_H

#include "arithmetic/operate.h"
#include "team/collective_arguments.h"

/* Runs an operation as a collective call of its team. `checked` is the result of the checks of its
 * arguments. `agreed` lists arguments that have to be equal, besides the patches. `divisor` is the
 * box of the divisors, or NULL. Errors, on every member: CW_MISUSE (checked; divisors that are 0),
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_operate_collective(const char *call, cw_error checked,
                                            struct cwi_operation *operation,
                                            const struct cwi_box *divisor,
                                            const struct cwi_argument *agreed);
#endif
