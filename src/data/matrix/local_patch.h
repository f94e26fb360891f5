/* A local matrix at a position of a distributed one, as a patch of the array. */
#pragma once

#include "matrix/attached.h"

/* A patch that points to the arrays in this structure. */
struct cwi_local_patch {
  cw_patch patch;
  int64_t lo[2], hi[2], strides[2];
};

/* Checks a local matrix at (i, j) of an array with this order, and makes a patch of it. The caller
 * sets operation and scale. If there is nothing to move, sets *empty to true and makes no patch.
 * Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_local_patch(cw_array array, cw_matrix_order order,
                                     const cw_local_matrix *local, int64_t i, int64_t j,
                                     struct cwi_local_patch *made, bool *empty);

/* Checks that the matrix has element (i, j). `index` receives its index in the array. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_matrix_index(cw_array array, cw_matrix_order order, int64_t i, int64_t j,
                                      int64_t index[2]);
