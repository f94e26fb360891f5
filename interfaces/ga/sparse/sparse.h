/* GA's sparse arrays: matrices whose rows are divided equally among processes, with the functions
 * that the calls of C and of Fortran share.
 *
 * Rows i with floor(i * processes / rows) = p are row block p, which process p has. Column blocks
 * are divided in the same way. A row block and a column block intersect in a block, which programs
 * see as compressed rows. Arithmetic works on all elements of a process at once, without regard to
 * blocks.
 *
 * assemble.c       adds elements; assembling sends each to the process that has its row
 * block.c          blocks in the form that programs use: compressed rows
 * build.c          makes blocks from the elements of my rows
 * calls.c          C's names of the calls on sparse arrays: with int and with int64_t
 * dense.c          products and conversions of sparse arrays and arrays of two dimensions
 * export.c         Matrix Market files
 * fetch.c          transfers for products, and the arrays that they create
 * kernels.c        loops over the elements of sparse arrays, for each type of numbers
 * list.c           lists of elements that are being added or sent
 * product.c        the product of two sparse arrays
 * sketch.c         a count sketch: sums of randomly chosen rows
 * sparse_handle.c  creates and destroys sparse arrays; which process has which rows
 * vector.c         sparse arrays and vectors: products, diagonals, columns, scaling */
#ifndef CWI_GA_SPARSE_SPARSE_H
#define CWI_GA_SPARSE_SPARSE_H

#include "ga/array/patch.h"
#include "ga/base/binding.h"
#include "ga/sparse/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Lists of elements: list.c --- */

/* Elements in the order in which they were added. */
struct cwi_sparse_list {
  size_t count, capacity;
  int64_t *rows, *columns;
  char *values;
};

/* Adds an element. Errors: CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_sparse_list_add(struct cwi_sparse_list *list, size_t element, int64_t row,
                                         int64_t column, const void *value);
void cwi_sparse_list_free(struct cwi_sparse_list *list);

/* Reserves memory for `capacity` elements in all, and keeps the contents. */
CWI_CHECKED cw_error cwi_sparse_list_reserve(struct cwi_sparse_list *list, size_t element,
                                             size_t capacity);

/* --- Sparse arrays --- */

/* A block, in the slice of the process that has it. The offsets are in bytes from the begin of the
 * slice. */
struct cwi_sparse_block {
  uint64_t count; /* 0 if the block is empty; then the offsets are not set */
  uint64_t idx, jdx, values;
};

struct cwi_sparse {
  cw_team team;
  int group; /* GA's; the program may have destroyed it */
  int type;  /* type code of C */
  cw_type native;
  size_t element; /* size of a value in bytes */
  size_t index;   /* size in bytes of the indices in idx and jdx */
  int64_t rows, columns;
  int64_t first_row; /* the first of my rows */
  size_t my_rows;
  bool assembled;
  struct cwi_sparse_list added; /* elements that have not been assembled */

  cw_region region;                /* [team size] blocks, then idx, jdx and values */
  struct cwi_sparse_block *blocks; /* of my rows; values are stored block after block */
  struct cwi_sparse_elements mine; /* the same elements for arithmetic */
  char *factor, *result;           /* buffers of products with vectors; NULL if not used yet */
};

/* cwi_sparse_next returns the sparse array after `sparse`, or the first if that is NULL, or NULL at
 * the end. cwi_sparse_handle returns a sparse array's handle. */
struct cwi_sparse *cwi_sparse_next(const struct cwi_sparse *sparse);
int cwi_sparse_handle(const struct cwi_sparse *sparse);

/* Find the sparse array of a handle, which is the argument `what` of a call. cwi_sparse_assembled
 * also checks that it is assembled. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_sparse_find(const char *what, int s_a, struct cwi_sparse **sparse);
CWI_CHECKED cw_error cwi_sparse_assembled(const char *what, int s_a, struct cwi_sparse **sparse);

/* cwi_sparse_start returns where part number `part` of an extent begins; cwi_sparse_owner returns
 * the part that has an index. */
static inline int64_t cwi_sparse_start(int64_t extent, int parts, int part)
{
  const int64_t whole = extent / parts, rest = extent % parts;
  return part * whole + (part * rest + parts - 1) / parts;
}
int cwi_sparse_owner(int64_t extent, int parts, int64_t index);

/* Properties of a new sparse array. */
struct cwi_sparse_shape {
  cw_team team;
  int group; /* GA's group of the team */
  int type;
  size_t index;
  int64_t rows, columns;
};

/* Makes a sparse array. Errors: CW_MISUSE (type, extents), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_sparse_make(const struct cwi_sparse_shape *shape, int *s_a,
                                     struct cwi_sparse **sparse);

/* Frees all sparse arrays. Their regions are freed by Causeway. */
void cwi_sparse_stop(void);

/* Assembles an array from elements of my rows. `mine` is an error that this process already has.
 * Collective. Errors, on every member: its own, or another's; the array is not assembled then. */
CWI_CHECKED cw_error cwi_sparse_build(struct cwi_sparse *sparse, const struct cwi_sparse_list *list,
                                      cw_error mine);
void cwi_sparse_elements_free(struct cwi_sparse_elements *mine);

/* Finds the distinct columns in ascending order, and the number among them of each of `count`
 * columns. The caller frees `distinct`, also after an error. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_sparse_distinct(const int64_t *columns, size_t count, int64_t extent,
                                         int64_t **distinct, size_t *distinct_count,
                                         uint32_t *number);

/* Finds the entries of `mine` that belong to each of my rows: entries[first[r]] to entries[first[r
 * + 1] - 1]. The caller frees them by cwi_sparse_by_row_free. Errors: CW_OUTSIDE. */
struct cwi_sparse_by_row {
  size_t *first, *entries;
};
CWI_CHECKED cw_error cwi_sparse_by_row(const struct cwi_sparse *sparse,
                                       struct cwi_sparse_by_row *by_row);
void cwi_sparse_by_row_free(struct cwi_sparse_by_row *by_row);

/* --- Messages between members --- */

/* Exchanges elements: counts[p] of `out` are sent to p, and in_counts[p] of `in` are received from
 * p. Collective. */
CWI_CHECKED cw_error cwi_sparse_trade(cw_team team, size_t element, const size_t *counts,
                                      const void *out, const size_t *in_counts, void *in);

/* Completes the operations of all members. Collective. */
CWI_CHECKED cw_error cwi_sparse_synchronize(const struct cwi_sparse *sparse);

/* --- Arrays: fetch.c --- */

/* A part of an array of one or two dimensions: `width` indices of the other dimension, from `first`
 * on, for each index along `along`. In memory it has `width` elements for each index. */
struct cwi_sparse_panel {
  cw_array array;
  int along;
  int64_t first, width;
};

/* Checks an array argument: its number of dimensions, its extent along one of them, and that it has
 * the sparse array's type and processes. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_sparse_check_array(const struct cwi_sparse *sparse, const char *what,
                                            int g_a, int dimensions, int along, int64_t extent,
                                            cw_array *array);

/* Creates an array of zeros, divided along a dimension like the sparse array's rows or columns.
 * Collective. */
CWI_CHECKED cw_error cwi_sparse_new_array(const struct cwi_sparse *sparse, int code, int dimensions,
                                          const int64_t *extents, int along, int *g_a,
                                          cw_array *array);

/* Move the columns that I need, or my rows, between a panel and memory. */
CWI_CHECKED cw_error cwi_sparse_move_needed(const struct cwi_sparse *sparse, cw_operation operation,
                                            const struct cwi_sparse_panel *panel, char *buffer);
CWI_CHECKED cw_error cwi_sparse_move_rows(const struct cwi_sparse *sparse, cw_operation operation,
                                          const struct cwi_sparse_panel *panel, char *buffer);

/* Returns zeroed memory for `count` elements, or NULL if there is no memory. It is not NULL for 0
 * elements. */
void *cwi_sparse_space(size_t count, size_t element);

/* --- The calls, without their names. g_... are handles of arrays, s_... of sparse arrays. turned:
 * the caller is a Fortran program, whose dimensions are reversed: the rows of its arrays are
 * dimension 1. --- */

CWI_CHECKED cw_error cwi_sparse_create(int64_t rows, int64_t columns, int type, size_t index,
                                       int *s_a);
CWI_CHECKED cw_error cwi_sparse_add(int s_a, int64_t row, int64_t column, const void *value);
CWI_CHECKED cw_error cwi_sparse_assemble(int s_a, bool *out_of_memory);
CWI_CHECKED cw_error cwi_sparse_destroy(int s_a);
CWI_CHECKED cw_error cwi_sparse_duplicate(int s_a, int *s_b);
CWI_CHECKED cw_error cwi_sparse_part(int s_a, bool of_columns, int64_t process, int64_t *lo,
                                     int64_t *hi);

/* list: [size of the group], or NULL. */
CWI_CHECKED cw_error cwi_sparse_full_blocks(int s_a, int *list, int *count);
CWI_CHECKED cw_error cwi_sparse_access(int s_a, int64_t column_block, size_t index, void **idx,
                                       void **jdx, void **values);

/* A copy of a block; the caller frees its parts. idx is NULL if the block is empty. */
struct cwi_sparse_copy {
  size_t count;
  int64_t lo[2], hi[2];
  void *idx, *jdx, *values;
};
CWI_CHECKED cw_error cwi_sparse_copy(const struct cwi_sparse *sparse, int row_block,
                                     int column_block, struct cwi_sparse_copy *copy);

CWI_CHECKED cw_error cwi_sparse_matvec(int s_a, int g_a, int g_v);
CWI_CHECKED cw_error cwi_sparse_diagonal(int s_a, int *g_d);
CWI_CHECKED cw_error cwi_sparse_column(int s_a, int64_t column, int *g_v);
CWI_CHECKED cw_error cwi_sparse_scale_rows(int s_a, int g_d);
CWI_CHECKED cw_error cwi_sparse_scale_columns(int s_a, int g_d);
CWI_CHECKED cw_error cwi_sparse_scale(int s_a, const void *factor);
CWI_CHECKED cw_error cwi_sparse_shift(int s_a, const void *shift);

CWI_CHECKED cw_error cwi_sparse_times_dense(int s_a, int g_b, bool turned, int *g_c);
CWI_CHECKED cw_error cwi_dense_times_sparse(int g_a, int s_b, bool turned, int *g_c);
CWI_CHECKED cw_error cwi_sparse_from_dense(int g_a, size_t index, bool turned, int *s_a);
CWI_CHECKED cw_error cwi_sparse_to_dense(int s_a, bool turned, int *g_a);
CWI_CHECKED cw_error cwi_sparse_times_sparse(int s_a, int s_b, int *s_c);
CWI_CHECKED cw_error cwi_sparse_sketch(int s_a, int64_t size, bool turned, int *g_k, int *g_w,
                                       int *g_c);
CWI_CHECKED cw_error cwi_sparse_export(int s_a, const char *file);
#endif
