/* The operators of reductions, by their names in ARMCI and Global Arrays. */
#pragma once

#include "base/error.h"

#include <causeway/collective.h>

/* Stores the reduction that `op` names in *reduction. Errors: CW_MISUSE if the name is unknown or
 * the reduction is not defined for the type. */
CWI_CHECKED cw_error cwi_operator_find(const char *op, cw_type type, cw_reduction *reduction);
