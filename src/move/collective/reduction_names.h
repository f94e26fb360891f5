/* The operators of reductions, as programs of ARMCI and of Global Arrays name them. */
#ifndef CWI_COLLECTIVE_REDUCTION_NAMES_H
#define CWI_COLLECTIVE_REDUCTION_NAMES_H

#include "base/error.h"

#include <causeway/collective.h>

/* The reduction that op names, of numbers of this type. Errors: CW_MISUSE (unknown, not defined).
 */
CWI_CHECKED cw_error cwi_operator_find(const char *op, cw_type type, cw_reduction *reduction);
#endif
