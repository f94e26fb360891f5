/* Products of matrices, and patches as matrices.
 *
 * multiply.c      products of distributed matrices
 * patch_matrix.c  patches as matrices, for the products and solvers
 * synchronize.c   synchronises the members and exchanges their errors
 * tiles.c         the tiles of a product, and the counter from which members take them
 *
 * This header has a patch of an array as a matrix: its tiles, their place in memory, and its
 * blocks. */
#pragma once

#include "array/array.h"

#include <causeway/linear.h>

struct cwi_matrix {
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  int dimension[2];   /* dimensions of the array along which row and column indices run */
  int64_t extents[2]; /* rows, columns */
};

/* Check an argument, which errors call `name`. cwi_check_transposition checks that it is a value of
 * cw_transposition. cwi_check_field checks that BLAS supports the type of the array.
 * cwi_check_partner checks that the array has the type and the members of `a`, which errors call
 * `of`. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_transposition(const char *name, cw_transposition transposition);
CWI_CHECKED cw_error cwi_check_field(const char *name, cw_array array);
CWI_CHECKED cw_error cwi_check_partner(const char *name, cw_array array, const char *of,
                                       cw_array a);

/* Checks an operand and makes a matrix of it. `name` is the argument's name. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_matrix_make(const char *name, const cw_operand *operand,
                                     struct cwi_matrix *matrix);

/* Checks that the shapes of a product fit: a (m x k), b (k x n), c (m x n). A matrix that is 1 wide
 * in one dimension may be a row or a column. extents: [rows, columns] of each matrix, in the
 * array's order. loose: the matrix may be transposed. transposed_extents: receives true for each
 * matrix that has to be transposed. If the matrices fit as they are, none is transposed. Returns
 * false if they do not fit. */
bool cwi_matrices_fit(const int64_t extents[3][2], const bool loose[3], bool transposed_extents[3]);

/* Returns true if rows and columns may be exchanged: there is one row or one column, and the array
 * has more than two dimensions. */
bool cwi_matrix_is_loose(const struct cwi_matrix *matrix);
void cwi_matrix_transpose(struct cwi_matrix *matrix);

/* Returns true if the matrices have elements in common. */
bool cwi_matrices_overlap(const struct cwi_matrix *a, const struct cwi_matrix *b);

/* The names of cw_transposition. */
extern const char *const cwi_transposition_names[CW_CONJUGATE_TRANSPOSED + 1];

/* Some rows and columns of a matrix. */
struct cwi_tile {
  int64_t row, column, rows, columns;
};

/* A dense matrix in memory, row-major. */
struct cwi_dense {
  void *address;
  int64_t ld; /* elements from row to row */
};

/* Returns true and the place of a tile if this process can load and store it and BLAS can work on
 * it there. The caller has synchronised. */
bool cwi_tile_in_place(const struct cwi_matrix *matrix, const struct cwi_tile *tile,
                       struct cwi_dense *dense);

/* Starts to move a tile from or to a contiguous buffer. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_tile_start(cw_operation operation, const struct cwi_matrix *matrix,
                                    const struct cwi_tile *tile, void *buffer, cw_handle *handle);

/* Division of a range of rows or columns into parts: the beginning of each part, and the end of the
 * last one. */
struct cwi_bounds {
  int64_t count; /* number of parts */
  int64_t *at;   /* [count + 1] */
  bool whole;    /* each part is in one block of each matrix */
};

/* Divides the range first .. first + extent - 1 of the rows (side 0) or columns (side 1) of a
 * matrix at the boundaries of its blocks. If `other` is not NULL, the boundaries of its blocks
 * divide the range, too. A boundary is ignored if it would make a part shorter than `least`. If all
 * blocks of a matrix are shorter, all its boundaries are ignored. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_bounds_make(const struct cwi_matrix *one, int side,
                                     const struct cwi_matrix *other, int other_side, int64_t first,
                                     int64_t extent, int64_t least, struct cwi_bounds *bounds);

/* Divides parts that are longer than `most`. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_bounds_limit(struct cwi_bounds *bounds, int64_t most);

void cwi_bounds_free(struct cwi_bounds *bounds);
