/* GA's sparse arrays: matrices whose rows are divided equally among the processes. This header has
 * the functions that the calls of C and of Fortran share.
 *
 * Row block p is on process p. It consists of the rows i with floor(i * processes / rows) = p. The
 * columns are divided into column blocks in the same way. The intersection of a row block and a
 * column block is a block. Programs see a block as compressed rows. Arithmetic works on all
 * elements of a process at once, without regard to blocks.
 *
 * assemble.c       adds elements, and sends each to the process that has its row
 * block.c          blocks in the form that programs use: compressed rows
 * build.c          makes blocks from the elements of this process's rows
 * calls.c          the calls on sparse arrays in C, with int and with int64_t
 * dense.c          products and conversions of sparse arrays and dense arrays
 * export.c         Matrix Market files
 * fetch.c          transfers for products, and the arrays that they create
 * kernels.c        loops over the elements of sparse arrays, for each type of numbers
 * list.c           lists of elements that are being added or sent
 * product.c        the product of two sparse arrays
 * sketch.c         a count sketch: sums of randomly chosen rows
 * sparse_handle.c  creates and destroys sparse arrays, and finds the owner of a row
 * vector.c         sparse arrays and vectors: products, diagonals, columns, scaling */
#pragma once

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

/* Description of a block, in the slice of the process that has the block. The offsets are in bytes
 * from the start of the slice. */
struct cwi_sparse_block {
  uint64_t count; /* number of elements; if it is 0, the offsets are not set */
  uint64_t idx, jdx, values;
};

struct cwi_sparse {
  cw_team team;
  int group; /* number of GA's group, which the program may have destroyed */
  int type;  /* type code of C */
  cw_type native;
  size_t element; /* size of a value in bytes */
  size_t index;   /* size in bytes of the indices in idx and jdx */
  int64_t rows, columns;
  int64_t first_row; /* the first row of this process */
  size_t my_rows;
  bool assembled;
  struct cwi_sparse_list added; /* elements that have not been assembled */

  cw_region region;                /* a slice has [team size] blocks, then idx, jdx and values */
  struct cwi_sparse_block *blocks; /* the blocks of this process's rows; values are stored block
                                      after block */
  struct cwi_sparse_elements
      mine;              /* the elements of these blocks, in the form that the kernels take */
  char *factor, *result; /* buffers of products with vectors; NULL if not used yet */
};

/* cwi_sparse_next returns the sparse array after `sparse`, or NULL at the end. If `sparse` is NULL,
 * it returns the first one. cwi_sparse_handle returns the handle of a sparse array. */
struct cwi_sparse *cwi_sparse_next(const struct cwi_sparse *sparse);
int cwi_sparse_handle(const struct cwi_sparse *sparse);

/* Find the sparse array of a handle. `what` is the name of the argument in the call.
 * cwi_sparse_assembled also checks that the array is assembled. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_sparse_find(const char *what, int s_a, struct cwi_sparse **sparse);
CWI_CHECKED cw_error cwi_sparse_assembled(const char *what, int s_a, struct cwi_sparse **sparse);

/* cwi_sparse_start returns the first index of part number `part` of an extent. cwi_sparse_owner
 * returns the number of the part that has an index. */
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

/* Creates a sparse array on this process, without elements. Errors: CW_MISUSE (type, extents),
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_sparse_make(const struct cwi_sparse_shape *shape, int *s_a,
                                     struct cwi_sparse **sparse);

/* Frees all sparse arrays on this process. Causeway frees their regions when it stops. */
void cwi_sparse_stop(void);

/* Assembles an array from the elements of this process's rows. `mine` is an error that has already
 * occurred on this process, or CW_OK. Collective. If any member has an error, every member returns
 * an error and the array is not assembled. */
CWI_CHECKED cw_error cwi_sparse_build(struct cwi_sparse *sparse, const struct cwi_sparse_list *list,
                                      cw_error mine);
void cwi_sparse_elements_free(struct cwi_sparse_elements *mine);

/* Stores the distinct columns in ascending order in *distinct. number[k] receives the position of
 * columns[k] in *distinct. The caller frees *distinct, even after an error. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_sparse_distinct(const int64_t *columns, size_t count, int64_t extent,
                                         int64_t **distinct, size_t *distinct_count,
                                         uint32_t *number);

/* Finds the entries of `mine` for each row of this process. Row r has entries[first[r]] to
 * entries[first[r + 1] - 1]. The caller frees the result with cwi_sparse_by_row_free. Errors:
 * CW_OUTSIDE. */
struct cwi_sparse_by_row {
  size_t *first, *entries;
};
CWI_CHECKED cw_error cwi_sparse_by_row(const struct cwi_sparse *sparse,
                                       struct cwi_sparse_by_row *by_row);
void cwi_sparse_by_row_free(struct cwi_sparse_by_row *by_row);

/* --- Messages between members --- */

/* Exchanges elements: sends counts[p] elements of `out` to rank p, and receives in_counts[p]
 * elements of `in` from rank p. Collective. */
CWI_CHECKED cw_error cwi_sparse_trade(cw_team team, size_t element, const size_t *counts,
                                      const void *out, const size_t *in_counts, void *in);

/* Completes the operations of all members. Collective. */
CWI_CHECKED cw_error cwi_sparse_synchronize(const struct cwi_sparse *sparse);

/* --- Arrays: fetch.c --- */

/* A part of an array of one or two dimensions. It has all indices along the dimension `along`, and
 * in the other dimension the `width` indices from `first` on. A buffer has `width` elements for
 * each index along `along`. */
struct cwi_sparse_panel {
  cw_array array;
  int along;
  int64_t first, width;
};

/* Checks that an array argument has this number of dimensions, this extent along the dimension
 * `along`, and the sparse array's type and processes. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_sparse_check_array(const struct cwi_sparse *sparse, const char *what,
                                            int g_a, int dimensions, int along, int64_t extent,
                                            cw_array *array);

/* Creates an array of zeros, divided along a dimension like the sparse array's rows or columns.
 * Collective. */
CWI_CHECKED cw_error cwi_sparse_new_array(const struct cwi_sparse *sparse, int code, int dimensions,
                                          const int64_t *extents, int along, int *g_a,
                                          cw_array *array);

/* Move the needed columns of this process, or its rows, between a panel and a buffer. */
CWI_CHECKED cw_error cwi_sparse_move_needed(const struct cwi_sparse *sparse, cw_operation operation,
                                            const struct cwi_sparse_panel *panel, char *buffer);
CWI_CHECKED cw_error cwi_sparse_move_rows(const struct cwi_sparse *sparse, cw_operation operation,
                                          const struct cwi_sparse_panel *panel, char *buffer);

/* Returns zeroed memory for `count` elements, or NULL if there is no memory. The result for 0
 * elements is not NULL. */
void *cwi_sparse_space(size_t count, size_t element);

/* --- The calls of GA, which return the error here. g_... are handles of dense arrays, s_...
 * handles of sparse arrays. `turned` is set for a Fortran program. Its dimensions are reversed, so
 * the rows of its dense arrays are dimension 1. --- */

CWI_CHECKED cw_error cwi_sparse_create(int64_t rows, int64_t columns, int type, size_t index,
                                       int *s_a);
CWI_CHECKED cw_error cwi_sparse_add(int s_a, int64_t row, int64_t column, const void *value);
CWI_CHECKED cw_error cwi_sparse_assemble(int s_a, bool *out_of_memory);
CWI_CHECKED cw_error cwi_sparse_destroy(int s_a);
CWI_CHECKED cw_error cwi_sparse_duplicate(int s_a, int *s_b);
CWI_CHECKED cw_error cwi_sparse_part(int s_a, bool of_columns, int64_t process, int64_t *lo,
                                     int64_t *hi);

/* Stores the numbers of this process's blocks that are not empty in list[size of the group], and
 * their count in *count. `list` may be NULL. */
CWI_CHECKED cw_error cwi_sparse_full_blocks(int s_a, int *list, int *count);
CWI_CHECKED cw_error cwi_sparse_access(int s_a, int64_t column_block, size_t index, void **idx,
                                       void **jdx, void **values);

/* A copy of a block. The caller frees idx, jdx and values, which are NULL if the block is empty. */
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
