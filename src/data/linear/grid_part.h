/* What one process has of a matrix in the form that LAPACK and ScaLAPACK want: block-cyclic over a
 * grid, column-major; and its way from an array and back. */
#ifndef CWI_LINEAR_GRID_PART_H
#define CWI_LINEAR_GRID_PART_H

#include "linear/grid.h"
#include "linear/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_grid_part {
  const struct cwi_grid *grid;
  struct cwi_axis axes[2]; /* rows and columns, block-cyclic over the grid */
  int place[2];            /* mine in the grid */
  void *data;              /* NULL: nothing is here */
  int64_t own[2];
  size_t element;
  int desc[9]; /* ScaLAPACK's: also for LAPACK, [8] is the leading dimension */
};

/* most: elements that a process may have. Local. Errors: CW_OUTSIDE (memory; more elements). */
CWI_CHECKED cw_error cwi_grid_part_make(const struct cwi_grid *grid, int64_t rows, int64_t columns,
                                        size_t element, int64_t most, struct cwi_grid_part *local);
void cwi_grid_part_free(struct cwi_grid_part *local);

/* An element of the matrix, if it is here; NULL: it is not. */
const void *cwi_grid_part_element(const struct cwi_grid_part *local, int64_t row, int64_t column);

/* Fill a grid part from an array, of two dimensions or (one column) of one; and the reverse.
 * Local; it is for the caller to synchronise. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_grid_part_load(struct cwi_grid_part *local, cw_array array);
CWI_CHECKED cw_error cwi_grid_part_store(const struct cwi_grid_part *local, cw_array array);

/* Are all of so many elements finite: neither NaN nor infinite? */
bool cwi_is_finite(cw_type type, const void *value, int64_t count);

/* The step of a factorization, from 1, that is the first to meet a number that is not finite (NaN,
 * infinite) of those that are here; INT_MAX: none. lower: only the lower triangle counts. Local. */
int cwi_grid_part_first_infinite(const struct cwi_grid_part *local, cw_type type, bool lower);

/* Store a symmetric (Hermitian) matrix, of which the grid part has the lower triangle: both of its
 * triangles. The grid part is no longer that matrix. */
CWI_CHECKED cw_error cwi_grid_part_store_symmetric(struct cwi_grid_part *local, cw_array array);

#ifdef __cplusplus
}
#endif
#endif
