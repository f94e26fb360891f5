/* A local matrix at a place of a distributed one, as a patch of the array. */
#ifndef CWI_MATRIX_LOCAL_PATCH_H
#define CWI_MATRIX_LOCAL_PATCH_H

#include "matrix/attached.h"

/* patch points into it. */
struct cwi_local_patch {
  cw_patch patch;
  int64_t lo[2], hi[2], strides[2];
};

/* Check a local matrix at (i, j) of an array with this order, and make a patch of it; operation and
 * scale are the caller's. *empty: there is nothing to move, and no patch. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_local_patch(cw_array array, cw_matrix_order order,
                                     const cw_local_matrix *local, int64_t i, int64_t j,
                                     struct cwi_local_patch *made, bool *empty);

/* Does the matrix have element (i, j)? index: receives its index in the array. Errors: CW_MISUSE.
 */
CWI_CHECKED cw_error cwi_matrix_index(cw_array array, cw_matrix_order order, int64_t i, int64_t j,
                                      int64_t index[2]);
#endif
