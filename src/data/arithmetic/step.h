/* Steps that only GA's interface has, not the public interface. */
#ifndef CWI_ARITHMETIC_STEP_H
#define CWI_ARITHMETIC_STEP_H

#include "base/error.h"

#include <causeway/arithmetic.h>

/* Like cw_array_step with bounds, but an element that is on a bound and whose v is 0 has the step
 * 0. `moving` receives the least step without such elements. No pointer may be NULL. */
CWI_CHECKED cw_error cwi_step_bounds(const cw_operand *x, const cw_operand *v,
                                     const cw_operand *low, const cw_operand *high, void *least,
                                     void *moving, void *most);
#endif
