/* Sparse arrays: matrices of which only some elements are stored. A process has a block of rows:
 * those rows i with floor(i * processes / rows) = its number. Columns are cut into blocks in the
 * same way, and each block of a process is stored as compressed rows. docs/guide/sparse.md has an
 * example.
 *
 * A handle s_a is one of a sparse array, and no call on other arrays takes it; a g_a is one of an
 * array. All indices begin at 0. Calls that end in 64 have int64_t for indices; an array that one
 * of them created has indices of int64_t in its blocks, others have int. Elements with the same row
 * and column may be there several times, and count as their sum; zeros are kept. Collective: by all
 * processes of the default group at the time of creation, in the same order; such calls begin and
 * end with a synchronisation. Every error ends the job with a message. GA 5.9 has these calls. */
#ifndef CWGA_SPARSE_H
#define CWGA_SPARSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Create one of idim rows and jdim columns. type: C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL
 * or C_DCPL. Collective. Returns the handle. */
int NGA_Sprs_array_create(int idim, int jdim, int type);
int NGA_Sprs_array_create64(int64_t idim, int64_t jdim, int type);

/* Add an element, of any row, before the array is assembled. val: address of a number of its type.
 * Local. */
void NGA_Sprs_array_add_element(int s_a, int idx, int jdx, void *val);
void NGA_Sprs_array_add_element64(int s_a, int64_t idx, int64_t jdx, void *val);

/* Bring all elements to the processes of their rows. From now on which elements there are is fixed,
 * and all calls below may be made. Collective. Returns 1, or 0 when memory runs out. */
int NGA_Sprs_array_assemble(int s_a);

/* Free it. Collective. Returns 1. */
int NGA_Sprs_array_destroy(int s_a);

/* A copy. Collective. Returns its handle. */
int NGA_Sprs_array_duplicate(int s_a);

/* The first and the last row of a process, or column of a block of columns; hi is lo - 1 if it has
 * none. Local, also before the array is assembled. */
void NGA_Sprs_array_row_distribution(int s_a, int iproc, int *lo, int *hi);
void NGA_Sprs_array_row_distribution64(int s_a, int iproc, int64_t *lo, int64_t *hi);
void NGA_Sprs_array_column_distribution(int s_a, int iproc, int *lo, int *hi);
void NGA_Sprs_array_column_distribution64(int s_a, int iproc, int64_t *lo, int64_t *hi);

/* The blocks of this process that are not empty: a list that the program frees, and its length.
 * Local. */
void NGA_Sprs_array_col_block_list(int s_a, int **idx, int *n);

/* The address of a block of this process: its row r has the elements idx[r] to idx[r + 1] - 1, with
 * columns (of the whole array) in jdx and values in val (address of a pointer). All are NULL if the
 * block is empty. The program may change values. Local. */
void NGA_Sprs_array_access_col_block(int s_a, int icol, int **idx, int **jdx, void *val);
void NGA_Sprs_array_access_col_block64(int s_a, int icol, int64_t **idx, int64_t **jdx, void *val);

/* A copy of any block, whose parts the program frees, and its first and last row and column.
 * Returns 0 if the block is empty; then idx, jdx and val are NULL. Local. */
int NGA_Sprs_array_get_block(int s_a, int irow, int icol, int **idx, int **jdx, void *val, int *ilo,
                             int *ihi, int *jlo, int *jhi);
int NGA_Sprs_array_get_block64(int s_a, int irow, int icol, int64_t **idx, int64_t **jdx, void *val,
                               int64_t *ilo, int64_t *ihi, int64_t *jlo, int64_t *jhi);

/* New arrays of one dimension: the diagonal, with as many elements as there are rows; a column.
 * Collective. */
void NGA_Sprs_array_get_diag(int s_a, int *g_d);
int NGA_Sprs_array_get_column(int s_a, int icol);
int NGA_Sprs_array_get_column64(int s_a, int64_t icol);

/* v = S a. g_a has as many elements as S has columns, g_v as many as it has rows; they may be the
 * same. Collective. */
void NGA_Sprs_array_matvec_multiply(int s_a, int g_a, int g_v);

/* Multiply row i, or column i, by element i of g_d; all by a number; add a number to the diagonal,
 * in those rows that have an element on it. In place. Collective. */
void NGA_Sprs_array_diag_left_multiply(int s_a, int g_d);
void NGA_Sprs_array_diag_right_multiply(int s_a, int g_d);
void NGA_Sprs_array_scale(int s_a, void *scale);
void NGA_Sprs_array_shift_diag(int s_a, void *shift);

/* New products: sparse, S_a S_b; arrays of two dimensions, S_a G_b and G_a S_b. Collective. Return
 * the handle. */
int NGA_Sprs_array_matmat_multiply(int s_a, int s_b);
int NGA_Sprs_array_sprsdns_multiply(int s_a, int g_b);
int NGA_Sprs_array_dnssprs_multiply(int g_a, int s_b);

/* A sparse array with the elements of a matrix that are not 0, and its whole diagonal; a matrix
 * with the elements of a sparse array. Collective. Return the handle. */
int NGA_Sprs_array_create_from_dense(int g_a);
int NGA_Sprs_array_create_from_dense64(int g_a);
int NGA_Sprs_array_create_from_sparse(int s_a);

/* A count sketch: row i, times the element i of the new array g_w, which is 1 or -1, is added to
 * the row of a new matrix that element i of the new array g_k (of C_INT) names. Chance chooses
 * both; size_k: the rows of the matrix. Collective. Returns the matrix. */
int NGA_Sprs_array_count_sketch(int s_a, int size_k, int *g_k, int *g_w);

/* Write a Matrix Market file. Process 0 writes it. Collective. */
void NGA_Sprs_array_export(int s_a, const char *file);

#ifdef __cplusplus
}
#endif
#endif
