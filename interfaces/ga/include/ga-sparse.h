/* Sparse arrays: matrices of which only some elements are stored. Process p has the rows i with
 * floor(i * processes / rows) = p. The columns are divided into blocks in the same way. Each
 * process has one block for each block of columns, stored as compressed rows. docs/guide/sparse.md
 * has an example.
 *
 * s_a is the handle of a sparse array, g_a the handle of a dense array; the calls on dense arrays
 * do not accept an s_a. All indices begin at 0. Calls whose names end in 64 have int64_t indices.
 * An array that such a call created has int64_t indices in its blocks; other arrays have int. There
 * may be several elements with the same row and column, which count as their sum. Zeros are kept. A
 * collective call is made by all processes of the group that was the default group when the array
 * was created, in the same order. It begins and ends with a synchronisation. Every error ends the
 * job with a message. GA 5.9 has these calls. */
#ifndef CWGA_SPARSE_H
#define CWGA_SPARSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a sparse array of idim rows and jdim columns. type is C_INT, C_LONG, C_LONGLONG, C_FLOAT,
 * C_DBL, C_SCPL or C_DCPL. Collective. Returns the handle. */
int NGA_Sprs_array_create(int idim, int jdim, int type);
int NGA_Sprs_array_create64(int64_t idim, int64_t jdim, int type);

/* Adds an element to a sparse array that is not assembled yet. The row may be on any process. val
 * is the address of a number of the array's type. Local. */
void NGA_Sprs_array_add_element(int s_a, int idx, int jdx, void *val);
void NGA_Sprs_array_add_element64(int s_a, int64_t idx, int64_t jdx, void *val);

/* Assembles a sparse array: moves all elements to the processes that have their rows. After this
 * call, no elements can be added, and all calls below can be made. Collective. Returns 1, or 0 when
 * memory runs out. */
int NGA_Sprs_array_assemble(int s_a);

/* Destroys a sparse array. Collective. Returns 1. */
int NGA_Sprs_array_destroy(int s_a);

/* Copies a sparse array. Collective. Returns the handle of the copy. */
int NGA_Sprs_array_duplicate(int s_a);

/* Store the first and the last row of a process, or the first and the last column of a block of
 * columns. hi is lo - 1 if there are none. The array need not be assembled. Local. */
void NGA_Sprs_array_row_distribution(int s_a, int iproc, int *lo, int *hi);
void NGA_Sprs_array_row_distribution64(int s_a, int iproc, int64_t *lo, int64_t *hi);
void NGA_Sprs_array_column_distribution(int s_a, int iproc, int *lo, int *hi);
void NGA_Sprs_array_column_distribution64(int s_a, int iproc, int64_t *lo, int64_t *hi);

/* Stores a list of the blocks of this process that are not empty, and its length. The program frees
 * the list. Local. */
void NGA_Sprs_array_col_block_list(int s_a, int **idx, int *n);

/* Stores the addresses of a block of this process. Row r of the block has the elements idx[r] to
 * idx[r + 1] - 1. Their column numbers in the whole array are in jdx, and their values are in val.
 * `val` is the address of a pointer. If the block is empty, all three pointers are NULL. The
 * program may change the values. Local. */
void NGA_Sprs_array_access_col_block(int s_a, int icol, int **idx, int **jdx, void *val);
void NGA_Sprs_array_access_col_block64(int s_a, int icol, int64_t **idx, int64_t **jdx, void *val);

/* Copies a block of any process, and stores its first and last row and column. The program frees
 * idx, jdx and val. If the block is empty, returns 0, and idx, jdx and val are NULL. Local. */
int NGA_Sprs_array_get_block(int s_a, int irow, int icol, int **idx, int **jdx, void *val, int *ilo,
                             int *ihi, int *jlo, int *jhi);
int NGA_Sprs_array_get_block64(int s_a, int irow, int icol, int64_t **idx, int64_t **jdx, void *val,
                               int64_t *ilo, int64_t *ihi, int64_t *jlo, int64_t *jhi);

/* Create a dense array of one dimension with the diagonal or a column. It has as many elements as
 * there are rows. Collective. */
void NGA_Sprs_array_get_diag(int s_a, int *g_d);
int NGA_Sprs_array_get_column(int s_a, int icol);
int NGA_Sprs_array_get_column64(int s_a, int64_t icol);

/* Computes v = S a. g_a must have as many elements as S has columns, and g_v as many as S has rows.
 * Both may be the same array. Collective. */
void NGA_Sprs_array_matvec_multiply(int s_a, int g_a, int g_v);

/* Change a sparse array in place. diag_left_multiply multiplies row i by element i of g_d, and
 * diag_right_multiply column i. scale multiplies all elements by a number. shift_diag adds a number
 * to the diagonal in those rows that have an element there. Collective. */
void NGA_Sprs_array_diag_left_multiply(int s_a, int g_d);
void NGA_Sprs_array_diag_right_multiply(int s_a, int g_d);
void NGA_Sprs_array_scale(int s_a, void *scale);
void NGA_Sprs_array_shift_diag(int s_a, void *shift);

/* Create a new array with a product: the sparse array S_a S_b, or the dense array S_a G_b or G_a
 * S_b. Collective. Return the handle. */
int NGA_Sprs_array_matmat_multiply(int s_a, int s_b);
int NGA_Sprs_array_sprsdns_multiply(int s_a, int g_b);
int NGA_Sprs_array_dnssprs_multiply(int g_a, int s_b);

/* create_from_dense creates a sparse array with the elements of a matrix that are not 0, and its
 * whole diagonal. create_from_sparse creates a matrix with the elements of a sparse array.
 * Collective. Return the handle. */
int NGA_Sprs_array_create_from_dense(int g_a);
int NGA_Sprs_array_create_from_dense64(int g_a);
int NGA_Sprs_array_create_from_sparse(int s_a);

/* Computes a count sketch: a new matrix of size_k rows. Row i of the sparse array is multiplied by
 * a random sign, and added to a random row of the matrix. Element i of the new array g_w is the
 * sign, 1 or -1. Element i of the new array g_k, of type C_INT, is the number of the row.
 * Collective. Returns the handle of the matrix. */
int NGA_Sprs_array_count_sketch(int s_a, int size_k, int *g_k, int *g_w);

/* Writes a sparse array to a Matrix Market file. Process 0 writes the file. Collective. */
void NGA_Sprs_array_export(int s_a, const char *file);

#ifdef __cplusplus
}
#endif
#endif
