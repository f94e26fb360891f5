/* A scan that only GA's interface has, not the public interface. */
#ifndef CWI_ARITHMETIC_SCAN_H
#define CWI_ARITHMETIC_SCAN_H

#include "base/error.h"

#include <causeway/arithmetic.h>

/* Like cw_array_scan_copy, but elements before the first flag become 0. */
CWI_CHECKED cw_error cwi_scan_copy_zeros(cw_array from, cw_array to, cw_array mask, int64_t lo,
                                         int64_t hi);
#endif
