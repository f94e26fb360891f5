/* Products of matrices and dense solvers.
 *
 * multiply.c      products of distributed matrices
 * patch_matrix.c  patches as matrices, for the products and solvers of this room
 * synchronize.c   the synchronisation of collective calls on matrices, which also tells who
 *                 failed
 * tiles.c         the tiles of a product, and the counter from which members take them where the
 *                 work is uneven
 *
 * This header has a patch of an array as a matrix: its tiles, where they lie, where its blocks
 * begin. */
#ifndef CWI_LINEAR_PATCH_MATRIX_H
#define CWI_LINEAR_PATCH_MATRIX_H

#include "array/array.h"

#include <causeway/linear.h>

struct cwi_matrix {
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  int dimension[2];   /* of the array: that of the rows' index, that of the columns' */
  int64_t extents[2]; /* rows, columns */
};

/* Checks of arguments by their names: is it one of cw_transposition; an array of a type that has
 * matrices; one of the type and the members of a, whose argument is called `of`? Errors: CW_MISUSE.
 */
CWI_CHECKED cw_error cwi_check_transposition(const char *name, cw_transposition transposition);
CWI_CHECKED cw_error cwi_check_field(const char *name, cw_array array);
CWI_CHECKED cw_error cwi_check_partner(const char *name, cw_array array, const char *of,
                                       cw_array a);

/* Check an operand and make a matrix of it. name: of the argument. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_matrix_make(const char *name, const cw_operand *operand,
                                     struct cwi_matrix *matrix);

/* Which extent of each factor and of the product belongs to rows, and which to columns, where they
 * are 1 in one of them: a (m x k), b (k x n), c (m x n). extents: [rows, columns] of each, as its
 * dimensions come in the array. loose: it may be transposed_extents. transposed_extents: receives
 * which have to be, so that the three fit, none of them if they fit as they are. False: they do not
 * fit. */
bool cwi_matrices_fit(const int64_t extents[3][2], const bool loose[3], bool transposed_extents[3]);

/* May rows and columns be exchanged: is one of them 1, in an array that has other dimensions? */
bool cwi_matrix_is_loose(const struct cwi_matrix *matrix);
void cwi_matrix_transpose(struct cwi_matrix *matrix);

/* Do two have elements in common? */
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

/* The tile where it lies, if this process can load and store it there and BLAS can work on it.
 * Whoever asks has synchronised. */
bool cwi_tile_in_place(const struct cwi_matrix *matrix, const struct cwi_tile *tile,
                       struct cwi_dense *dense);

/* Start to move a tile from or to a buffer without gaps. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_tile_start(cw_operation operation, const struct cwi_matrix *matrix,
                                    const struct cwi_tile *tile, void *buffer, cw_handle *handle);

/* Where the parts begin into which a range of rows or columns is cut; the last entry is its end. */
struct cwi_bounds {
  int64_t count; /* of parts */
  int64_t *at;   /* [count + 1] */
  bool whole;    /* each part lies in one block of each matrix */
};

/* Cut first .. first + extent - 1 of one side (0: rows, 1: columns) of a matrix, and of another one
 * (NULL: none), where their blocks begin, as far as that leaves parts of `least`; blocks that are
 * all shorter cut nothing. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_bounds_make(const struct cwi_matrix *one, int side,
                                     const struct cwi_matrix *other, int other_side, int64_t first,
                                     int64_t extent, int64_t least, struct cwi_bounds *bounds);

/* Cut parts that are longer than `most`. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_bounds_limit(struct cwi_bounds *bounds, int64_t most);

void cwi_bounds_free(struct cwi_bounds *bounds);
#endif
