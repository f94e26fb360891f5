/* The steps that GA's interface has and the native one has not. */
#ifndef CWI_ARITHMETIC_STEP_H
#define CWI_ARITHMETIC_STEP_H

#include "base/error.h"

#include <causeway/arithmetic.h>

/* As cw_array_step within bounds, but an element that lies on a bound and whose v is 0 has the step
 * 0. moving: the least step without such elements. None is NULL. */
CWI_CHECKED cw_error cwi_step_bounds(const cw_operand *x, const cw_operand *v,
                                     const cw_operand *low, const cw_operand *high, void *least,
                                     void *moving, void *most);
#endif
