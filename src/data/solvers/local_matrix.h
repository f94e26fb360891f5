/* The part of a matrix that one process has in the form of LAPACK and ScaLAPACK: block-cyclic over
 * a grid, column-major; and its transfer from and to an array. */
#pragma once

#include "linear/patch_matrix.h"
#include "solvers/process_grid.h"

struct cwi_grid_part {
  const struct cwi_grid *grid;
  struct cwi_axis axes[2]; /* rows and columns, block-cyclic over the grid */
  int place[2];            /* my row and column in the grid */
  void *data;              /* NULL if this process has no elements */
  int64_t own[2];
  size_t element;
  int desc[9]; /* ScaLAPACK's descriptor; LAPACK uses [8], the leading dimension */
};

/* Makes a part. `most` is the largest number of elements that a process may have. Local. Errors:
 * CW_OUTSIDE (no memory; more elements). */
CWI_CHECKED cw_error cwi_grid_part_make(const struct cwi_grid *grid, int64_t rows, int64_t columns,
                                        size_t element, int64_t most, struct cwi_grid_part *local);
void cwi_grid_part_free(struct cwi_grid_part *local);

/* Load a part from an array, and store it there. The array has two dimensions, or one dimension,
 * which is one column. Elements that only the part or only the array has are unchanged. If `order`
 * is not NULL, row i of the matrix is row order[i] of the array. Local; the caller synchronises.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_grid_part_load(struct cwi_grid_part *local, cw_array array,
                                        const int64_t *order);
CWI_CHECKED cw_error cwi_grid_part_store(const struct cwi_grid_part *local, cw_array array,
                                         const int64_t *order);

/* Returns the number that local row (side 0) or column (side 1) `at` has in the matrix. */
int64_t cwi_grid_part_index(const struct cwi_grid_part *local, int side, int64_t at);

/* Copies the first rows and columns of a matrix, as many as `to` has. Both are on the same grid. */
void cwi_grid_part_copy(struct cwi_grid_part *to, const struct cwi_grid_part *from);

/* Sets the elements above or below the diagonal to zero. */
enum cwi_off_diagonal { CWI_ABOVE, CWI_BELOW };
void cwi_grid_part_clear(struct cwi_grid_part *local, enum cwi_off_diagonal which);

/* Returns the number, counted from 1, of the first local element of the diagonal that is not
 * finite, or whose modulus is not greater than its limit. `least` has the limits; if it is NULL,
 * they are 0. Returns INT_MAX if there is no such element. */
int cwi_grid_part_bad_pivot(const struct cwi_grid_part *local, cw_type type, const double *least);

/* Computes the greatest modulus of the local elements in each column of an upper triangle, or in
 * each row of a lower one if the matrix has more columns than rows. `greatest` has an entry for
 * each element of the diagonal, 0 if nothing is local. */
void cwi_grid_part_greatest(const struct cwi_grid_part *local, cw_type type, double *greatest);

/* Returns the first step of a factorization, counted from 1, that uses a local number that is not
 * finite, or INT_MAX if there is none. lower: only the lower triangle is used. Local. */
int cwi_grid_part_first_infinite(const struct cwi_grid_part *local, cw_type type, bool lower);

/* Stores both triangles of a symmetric (Hermitian) matrix, of which the part has the lower one. The
 * contents of the part are destroyed. */
CWI_CHECKED cw_error cwi_grid_part_store_symmetric(struct cwi_grid_part *local, cw_array array);
