/* Sparse arrays and vectors: products, diagonals, columns, scaling. */
#include "ga/sparse/sparse.h"

#include "array/array.h"
#include "number/number_kernels.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

static struct cwi_sparse_panel all_of(cw_array vector)
{
  return (struct cwi_sparse_panel){vector, 0, 0, 1};
}

static cw_error no_memory(size_t count)
{
  return cwi_outside("no memory for %zu elements of a vector", count);
}

/* --- v = S a --- */

/* Returns the address of `count` elements of a vector if they are contiguous and this process can
 * load and store them. Otherwise returns NULL. */
static char *elements_in_place(cw_array vector, int64_t first, size_t count)
{
  const int64_t last = first + (int64_t)count - 1;
  cw_array_view view;
  if (count == 0 || !cwi_patch_in_place(vector, &first, &last, &view))
    return NULL;
  return count == 1 || view.strides[0] == (ptrdiff_t)vector->element ? view.address : NULL;
}

/* Allocates *kept, unless an earlier product has allocated it. */
static cw_error scratch(const struct cwi_sparse *sparse, size_t count, char **kept)
{
  if (*kept == NULL)
    *kept = cwi_sparse_space(count, sparse->element);
  return *kept != NULL ? CW_OK : no_memory(count);
}

/* Finds the needed elements of a vector. *x is their address in the vector if they are one run that
 * this process can load. Otherwise *x is a copy. */
static cw_error find_factor(struct cwi_sparse *sparse, cw_array a, char **x)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  const struct cwi_sparse_panel panel = all_of(a);
  *x = mine->run_count == 1 && mine->in_runs == mine->needed_count
           ? elements_in_place(a, mine->runs[0].first, mine->needed_count)
           : NULL;
  if (*x != NULL)
    return CW_OK;
  CWI_TRY(scratch(sparse, mine->needed_count, &sparse->factor));
  *x = sparse->factor;
  return cwi_sparse_move_needed(sparse, CW_GET, &panel, *x);
}

/* Computes v = S a. If a and v are the same array, it is written only after all members have read
 * it. */
static cw_error multiply_vector(struct cwi_sparse *sparse, cw_array a, cw_array v)
{
  const struct cwi_sparse_panel to = all_of(v);
  char *x = NULL, *y = a != v ? elements_in_place(v, sparse->first_row, sparse->my_rows) : NULL;
  const bool in_place = y != NULL;
  CWI_TRY(find_factor(sparse, a, &x));
  if (!in_place) {
    CWI_TRY(scratch(sparse, sparse->my_rows, &sparse->result));
    y = sparse->result;
  }
  memset(y, 0, sparse->my_rows * sparse->element);
  cwi_sparse_kernels(sparse->native)->multiply(&sparse->mine, x, y);
  if (a == v)
    CWI_TRY(cwi_sparse_synchronize(sparse));
  return in_place ? CW_OK : cwi_sparse_move_rows(sparse, CW_PUT, &to, y);
}

cw_error cwi_sparse_matvec(int s_a, int g_a, int g_v)
{
  struct cwi_sparse *sparse = NULL;
  cw_array a = NULL, v = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_sparse_check_array(sparse, "g_a", g_a, 1, 0, sparse->columns, &a));
  CWI_TRY(cwi_sparse_check_array(sparse, "g_v", g_v, 1, 0, sparse->rows, &v));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(multiply_vector(sparse, a, v));
  return cwi_sparse_synchronize(sparse);
}

/* --- Columns and the diagonal --- */

static void add_value(const struct cwi_sparse *sparse, void *to, const void *from)
{
  cwi_combine(cwi_accumulate_kernels[sparse->native][0], to, from, sparse->element);
}

/* Adds the elements in one column to `sums`, separately for each row of this process. If column is
 * -1, it uses the elements on the diagonal. */
static void sum_column(const struct cwi_sparse *sparse, int64_t column, char *sums)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  for (size_t u = 0; u < mine->entries; u++) {
    const int64_t wanted = column >= 0 ? column : sparse->first_row + mine->row[u];
    for (size_t k = mine->first[u]; k < mine->first[u + 1]; k++)
      if (mine->needed[mine->place[k]] == wanted)
        add_value(sparse, sums + (size_t)mine->row[u] * sparse->element,
                  mine->values + k * sparse->element);
  }
}

static cw_error new_column(const struct cwi_sparse *sparse, int64_t column, int *g_v)
{
  cw_array vector = NULL;
  char *sums = cwi_sparse_space(sparse->my_rows, sparse->element);
  cw_error error = sums != NULL ? CW_OK : no_memory(sparse->my_rows);
  error = cwi_team_agree(sparse->team, error);
  if (error == CW_OK)
    error = cwi_sparse_new_array(sparse, sparse->type, 1, &sparse->rows, 0, g_v, &vector);
  if (error == CW_OK) {
    const struct cwi_sparse_panel panel = all_of(vector);
    sum_column(sparse, column, sums);
    error = cwi_sparse_move_rows(sparse, CW_PUT, &panel, sums);
  }
  free(sums);
  return error;
}

cw_error cwi_sparse_diagonal(int s_a, int *g_d)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_check_not_null("g_d", g_d));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(new_column(sparse, -1, g_d));
  return cwi_sparse_synchronize(sparse);
}

cw_error cwi_sparse_column(int s_a, int64_t column, int *g_v)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  if (column < 0 || column >= sparse->columns)
    return cwi_misuse("icol is %lld; the sparse array has columns 0 to %lld", (long long)column,
                      (long long)sparse->columns - 1);
  const struct cwi_argument agreed[] = {cwi_argument_indices("icol", &column, 1),
                                        CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(sparse->team, agreed));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(new_column(sparse, column, g_v));
  return cwi_sparse_synchronize(sparse);
}

/* --- Scaling in place --- */

/* Multiplies the values k to k + count - 1 by one factor. */
static void scale_values(const struct cwi_sparse *sparse, size_t k, size_t count,
                         const void *factor)
{
  union cwi_scalar scale;
  char *values = sparse->mine.values + k * sparse->element;
  if (cwi_scale_read(sparse->native, factor, &scale))
    cwi_scale_kernels[sparse->native](values, 0, values, 0, count * sparse->element, 1, &scale);
}

/* Multiplies the values of each row by the factor of that row. */
static void scale_rows(const struct cwi_sparse *sparse, const char *factors)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  for (size_t u = 0; u < mine->entries; u++)
    scale_values(sparse, mine->first[u], mine->first[u + 1] - mine->first[u],
                 factors + (size_t)mine->row[u] * sparse->element);
}

static cw_error scale_by(const struct cwi_sparse *sparse, cw_array vector, bool of_columns)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  const struct cwi_sparse_panel panel = all_of(vector);
  const size_t count = of_columns ? mine->needed_count : sparse->my_rows;
  char *factors = cwi_sparse_space(count, sparse->element);
  cw_error error = factors == NULL ? no_memory(count)
                   : of_columns    ? cwi_sparse_move_needed(sparse, CW_GET, &panel, factors)
                                   : cwi_sparse_move_rows(sparse, CW_GET, &panel, factors);
  if (error == CW_OK)
    error = cw_access_begin(sparse->blocks);
  if (error == CW_OK) {
    if (of_columns)
      cwi_sparse_kernels(sparse->native)->scale(mine->count, mine->place, factors, mine->values);
    else
      scale_rows(sparse, factors);
    error = cw_access_end(sparse->blocks);
  }
  free(factors);
  return error;
}

static cw_error scale_diagonal(int s_a, int g_d, bool of_columns)
{
  struct cwi_sparse *sparse = NULL;
  cw_array vector = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_sparse_check_array(sparse, "g_d", g_d, 1, 0,
                                 of_columns ? sparse->columns : sparse->rows, &vector));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(scale_by(sparse, vector, of_columns));
  return cwi_sparse_synchronize(sparse);
}

cw_error cwi_sparse_scale_rows(int s_a, int g_d)
{
  return scale_diagonal(s_a, g_d, false);
}

cw_error cwi_sparse_scale_columns(int s_a, int g_d)
{
  return scale_diagonal(s_a, g_d, true);
}

/* Calls `change` for the values of this process, with an argument of the program. */
static cw_error change_values(int s_a, const char *what, const void *number,
                              void (*change)(const struct cwi_sparse *, const void *))
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_check_not_null(what, number));
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(cw_access_begin(sparse->blocks));
  change(sparse, number);
  CWI_TRY(cw_access_end(sparse->blocks));
  return cwi_sparse_synchronize(sparse);
}

static void scale_all(const struct cwi_sparse *sparse, const void *factor)
{
  scale_values(sparse, 0, sparse->mine.count, factor);
}

/* Adds the shift to the diagonal element of each row that has one. Several elements at the same
 * position mean their sum, so the shift is added only to the first. */
static void shift_diagonal(const struct cwi_sparse *sparse, const void *shift)
{
  const struct cwi_sparse_elements *mine = &sparse->mine;
  for (size_t u = 0; u < mine->entries; u++)
    for (size_t k = mine->first[u]; k < mine->first[u + 1]; k++)
      if (mine->needed[mine->place[k]] == sparse->first_row + mine->row[u]) {
        add_value(sparse, mine->values + k * sparse->element, shift);
        break;
      }
}

cw_error cwi_sparse_scale(int s_a, const void *factor)
{
  return change_values(s_a, "scale", factor, scale_all);
}

cw_error cwi_sparse_shift(int s_a, const void *shift)
{
  return change_values(s_a, "shift", shift, shift_diagonal);
}
