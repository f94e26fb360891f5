/* GA's sparse arrays: matrices whose rows are dealt out in equal parts, with what the calls of C
 * and of Fortran share.
 *
 * Rows i with floor(i * processes / rows) = p are row block p, which process p has; column blocks
 * are cut in the same way. Where one crosses the other is a block: programs see it as compressed
 * rows. Arithmetic looks at all elements of a process at once, and at no block.
 *
 * assemble.c       programs add elements of any row; assembling brings each to the process that
 *                  has its row
 * block.c          blocks of sparse arrays as programs see them: compressed rows, idx with where
 *                  each row begins,
 * build.c          from the elements of my rows to blocks: those of a block row after row, those
 *                  of a row in the
 * calls.c          c's names of the calls on sparse arrays: with int and with int64_t
 * dense.c          sparse arrays and arrays of two dimensions: products, and conversions
 * export.c         matrix Market files (R
 * fetch.c          what products of sparse arrays need of others: each element once, long runs as
 *                  patches, and the
 * kernels.c        the loops over elements of sparse arrays, for each type of numbers
 * list.c           elements of sparse arrays on their way: lists that grow, and what members send
 *                  each other
 * product.c        the product of two sparse arrays: each process gets the rows of the second one
 *                  that its columns
 * sketch.c         a count sketch: each row of a sparse array, times 1 or -1, is added to one of
 *                  a few rows that
 * sparse_handle.c  sparse arrays come and go, and which process has which rows of them
 * vector.c         sparse arrays and vectors: products, diagonals, columns, scaling */
#ifndef CWI_GA_SPARSE_SPARSE_H
#define CWI_GA_SPARSE_SPARSE_H

#include "ga/array/patch.h"
#include "ga/base/binding.h"
#include "ga/sparse/kernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Elements on their way: list.c --- */

/* Elements in the order in which they came. */
struct cwi_sparse_list {
  size_t count, room;
  int64_t *rows, *columns;
  char *values;
};

/* Errors: CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_sparse_list_add(struct cwi_sparse_list *list, size_t element, int64_t row,
                                         int64_t column, const void *value);
void cwi_sparse_list_free(struct cwi_sparse_list *list);

/* Room for so many; what is there stays. */
CWI_CHECKED cw_error cwi_sparse_list_reserve(struct cwi_sparse_list *list, size_t element,
                                             size_t room);

/* --- Sparse arrays --- */

/* A block, in the slice of the process that has it; places are bytes from its beginning. */
struct cwi_sparse_block {
  uint64_t count; /* 0: empty, and then it has no places */
  uint64_t idx, jdx, values;
};

struct cwi_sparse {
  cw_team team;
  int group; /* of GA; the program may have destroyed it since */
  int type;  /* code of C */
  cw_type native;
  size_t element; /* bytes of a value */
  size_t index;   /* bytes of what programs see in idx and jdx */
  int64_t rows, columns;
  int64_t first_row; /* mine begin here */
  size_t my_rows;
  bool assembled;
  struct cwi_sparse_list added; /* before that */

  cw_region region;                /* [team size] blocks, then idx, jdx and values */
  struct cwi_sparse_block *blocks; /* of my rows; values lie block after block */
  struct cwi_sparse_elements mine; /* the same for arithmetic */
  char *factor, *result;           /* what products with vectors need of them; NULL: not yet */
};

/* All that there are: NULL gives the first, NULL comes after the last. And their handles. */
struct cwi_sparse *cwi_sparse_next(const struct cwi_sparse *sparse);
int cwi_sparse_handle(const struct cwi_sparse *sparse);

/* The sparse array of a handle that a call was given as `what`. _assembled: it has to be. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_sparse_find(const char *what, int s_a, struct cwi_sparse **sparse);
CWI_CHECKED cw_error cwi_sparse_assembled(const char *what, int s_a, struct cwi_sparse **sparse);

/* Where part number `part` of an extent begins, and which part has an index. */
static inline int64_t cwi_sparse_start(int64_t extent, int parts, int part)
{
  const int64_t whole = extent / parts, rest = extent % parts;
  return part * whole + (part * rest + parts - 1) / parts;
}
int cwi_sparse_owner(int64_t extent, int parts, int64_t index);

/* What a new one is to be. */
struct cwi_sparse_shape {
  cw_team team;
  int group; /* of GA: the team's */
  int type;
  size_t index;
  int64_t rows, columns;
};

/* A new one, for elements that are my own, or others'. Errors: CW_MISUSE (type, extents),
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_sparse_make(const struct cwi_sparse_shape *shape, int *s_a,
                                     struct cwi_sparse **sparse);

/* All go; the regions go with Causeway. */
void cwi_sparse_stop(void);

/* Make an assembled array of elements of my rows; mine: how it went here. Collective. Errors, on
 * every member: its own, or another's; nothing is there then. */
CWI_CHECKED cw_error cwi_sparse_build(struct cwi_sparse *sparse, const struct cwi_sparse_list *list,
                                      cw_error mine);
void cwi_sparse_elements_free(struct cwi_sparse_elements *mine);

/* Distinct columns in ascending order, and for each of count columns its number among them. Errors:
 * CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_sparse_distinct(const int64_t *columns, size_t count, int64_t extent,
                                         int64_t **distinct, size_t *distinct_count,
                                         uint32_t *number);

/* Which entries of `mine` belong to each of my rows: entries[first[r]] to entries[first[r + 1] -
 * 1]. Free by cwi_sparse_by_row_free. Errors: CW_OUTSIDE. */
struct cwi_sparse_by_row {
  size_t *first, *entries;
};
CWI_CHECKED cw_error cwi_sparse_by_row(const struct cwi_sparse *sparse,
                                       struct cwi_sparse_by_row *by_row);
void cwi_sparse_by_row_free(struct cwi_sparse_by_row *by_row);

/* --- What members tell each other --- */

/* Elements that members send each other: counts[p] of `out` go to p, in_counts[p] of `in` come from
 * it. Collective. */
CWI_CHECKED cw_error cwi_sparse_trade(cw_team team, size_t element, const size_t *counts,
                                      const void *out, const size_t *in_counts, void *in);

/* Complete what everybody has started. Collective. */
CWI_CHECKED cw_error cwi_sparse_synchronize(const struct cwi_sparse *sparse);

/* --- Arrays: fetch.c --- */

/* A part of an array of one or two dimensions: `width` indices of the other dimension, from `first`
 * on, for each index along one. In my memory it has `width` elements for each of these. */
struct cwi_sparse_panel {
  cw_array array;
  int along;
  int64_t first, width;
};

/* What an array is to be for a call: of so many dimensions, as long as `extent` along one of them,
 * of the sparse array's type and processes. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_sparse_check_array(const struct cwi_sparse *sparse, const char *what,
                                            int g_a, int dimensions, int along, int64_t extent,
                                            cw_array *array);

/* A new array, cut along a dimension as the sparse array's rows or columns are. Its elements are 0.
 * Collective. */
CWI_CHECKED cw_error cwi_sparse_new_array(const struct cwi_sparse *sparse, int code, int dimensions,
                                          const int64_t *extents, int along, int *g_a,
                                          cw_array *array);

/* Move the indices of the columns that I need, or of my rows, between a panel and memory. */
CWI_CHECKED cw_error cwi_sparse_move_needed(const struct cwi_sparse *sparse, cw_operation operation,
                                            const struct cwi_sparse_panel *panel, char *buffer);
CWI_CHECKED cw_error cwi_sparse_move_rows(const struct cwi_sparse *sparse, cw_operation operation,
                                          const struct cwi_sparse_panel *panel, char *buffer);

/* Zeroed memory for count elements; never NULL for none. NULL: there is no memory. */
void *cwi_sparse_space(size_t count, size_t element);

/* --- The calls, without their names. g_... are handles of arrays, s_... of sparse ones. turned: a
 * Fortran program calls, whose dimensions are turned round: the rows of its arrays are dimension 1.
 * --- */

CWI_CHECKED cw_error cwi_sparse_create(int64_t rows, int64_t columns, int type, size_t index,
                                       int *s_a);
CWI_CHECKED cw_error cwi_sparse_add(int s_a, int64_t row, int64_t column, const void *value);
CWI_CHECKED cw_error cwi_sparse_assemble(int s_a, bool *refused);
CWI_CHECKED cw_error cwi_sparse_destroy(int s_a);
CWI_CHECKED cw_error cwi_sparse_duplicate(int s_a, int *s_b);
CWI_CHECKED cw_error cwi_sparse_part(int s_a, bool of_columns, int64_t process, int64_t *lo,
                                     int64_t *hi);

/* list: [size of the group], or NULL. */
CWI_CHECKED cw_error cwi_sparse_full_blocks(int s_a, int *list, int *count);
CWI_CHECKED cw_error cwi_sparse_access(int s_a, int64_t column_block, size_t index, void **idx,
                                       void **jdx, void **values);

/* A copy of any block; the caller frees its parts. idx is NULL if it is empty. */
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
