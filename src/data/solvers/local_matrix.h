/* What one process has of a matrix in the form that LAPACK and ScaLAPACK want: block-cyclic over a
 * grid, column-major; and its way from an array and back. */
#ifndef CWI_SOLVERS_LOCAL_MATRIX_H
#define CWI_SOLVERS_LOCAL_MATRIX_H

#include "linear/patch_matrix.h"
#include "solvers/process_grid.h"

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

/* Fill a grid part from an array, of two dimensions or (one column) of one; and the reverse. What
 * only one of them has stays as it is. order: NULL, or row i of the grid part is row order[i] of
 * the array. Local; it is for the caller to synchronise. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_grid_part_load(struct cwi_grid_part *local, cw_array array,
                                        const int64_t *order);
CWI_CHECKED cw_error cwi_grid_part_store(const struct cwi_grid_part *local, cw_array array,
                                         const int64_t *order);

/* The row (side 0) or column in the matrix of one that is here. */
int64_t cwi_grid_part_index(const struct cwi_grid_part *local, int side, int64_t at);

/* Copy a matrix, or as many of its first rows and columns as `to` has; on the same grid. */
void cwi_grid_part_copy(struct cwi_grid_part *to, const struct cwi_grid_part *from);

/* Set to zero what is above the diagonal, or below it. */
enum cwi_off_diagonal { CWI_ABOVE, CWI_BELOW };
void cwi_grid_part_clear(struct cwi_grid_part *local, enum cwi_off_diagonal which);

/* Of the elements of the diagonal that are here: the number, from 1, of the first whose modulus is
 * not greater than the entry of `least` (NULL: 0), or that is not finite; INT_MAX: none. */
int cwi_grid_part_bad_pivot(const struct cwi_grid_part *local, cw_type type, const double *least);

/* The greatest modulus of what is here of each column of an upper triangle, or of each row of a
 * lower one if the matrix has more columns than rows. greatest: an entry for each element of the
 * diagonal; it is 0 of what is not here. */
void cwi_grid_part_greatest(const struct cwi_grid_part *local, cw_type type, double *greatest);

/* The step of a factorization, from 1, that is the first to meet a number that is not finite (NaN,
 * infinite) of those that are here; INT_MAX: none. lower: only the lower triangle counts. Local. */
int cwi_grid_part_first_infinite(const struct cwi_grid_part *local, cw_type type, bool lower);

/* Store a symmetric (Hermitian) matrix, of which the grid part has the lower triangle: both of its
 * triangles. The grid part is no longer that matrix. */
CWI_CHECKED cw_error cwi_grid_part_store_symmetric(struct cwi_grid_part *local, cw_array array);
#endif
