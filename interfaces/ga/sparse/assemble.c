/* Adds and assembles elements. A process may add elements of any row. Assembling sends each element
 * to the process that has its row. */
#include "ga/sparse/sparse.h"

#include "base/unread_errors.h"
#include "collective/collective.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

static cw_error not_open(int s_a)
{
  return cwi_misuse("s_a is %d, a sparse array that is assembled: it takes no more elements", s_a);
}

cw_error cwi_sparse_add(int s_a, int64_t row, int64_t column, const void *value)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_find("s_a", s_a, &sparse));
  if (sparse->assembled)
    return not_open(s_a);
  if (row < 0 || row >= sparse->rows)
    return cwi_misuse("idx is %lld; the sparse array has rows 0 to %lld", (long long)row,
                      (long long)sparse->rows - 1);
  if (column < 0 || column >= sparse->columns)
    return cwi_misuse("jdx is %lld; the sparse array has columns 0 to %lld", (long long)column,
                      (long long)sparse->columns - 1);
  CWI_TRY(cwi_check_not_null("val", value));
  return cwi_sparse_list_add(&sparse->added, sparse->element, row, column, value);
}

/* Makes a copy of this process's list, sorted by the process that will own each element.
 * counts[rank] receives the number of elements of each owner. */
static cw_error list_by_owner(const struct cwi_sparse *sparse, const struct cwi_sparse_list *list,
                              size_t *counts, struct cwi_sparse_list *sorted)
{
  const int size = sparse->team->size;
  size_t *next = calloc((size_t)size + 1, sizeof *next);
  cw_error error = next != NULL ? CW_OK : cwi_outside("no memory to sort by process");
  if (error == CW_OK)
    error = cwi_sparse_list_reserve(sorted, sparse->element, list->count);
  for (size_t k = 0; k < list->count && error == CW_OK; k++)
    counts[cwi_sparse_owner(sparse->rows, size, list->rows[k])]++;
  for (int rank = 0; rank < size && error == CW_OK; rank++)
    next[rank + 1] = next[rank] + counts[rank];
  for (size_t k = 0; k < list->count && error == CW_OK; k++) {
    const size_t to = next[cwi_sparse_owner(sparse->rows, size, list->rows[k])]++;
    sorted->rows[to] = list->rows[k];
    sorted->columns[to] = list->columns[k];
    memcpy(sorted->values + to * sparse->element, list->values + k * sparse->element,
           sparse->element);
  }
  sorted->count = list->count;
  free(next);
  return error;
}

static cw_error list_trade(const struct cwi_sparse *sparse, const size_t *counts,
                           const struct cwi_sparse_list *out, const size_t *in_counts,
                           struct cwi_sparse_list *in)
{
  size_t count = 0;
  for (int rank = 0; rank < sparse->team->size; rank++)
    count += in_counts[rank];
  CWI_TRY(cwi_team_agree(sparse->team, cwi_sparse_list_reserve(in, sparse->element, count)));
  in->count = count;
  CWI_TRY(cwi_sparse_trade(sparse->team, sizeof *in->rows, counts, out->rows, in_counts, in->rows));
  CWI_TRY(cwi_sparse_trade(sparse->team, sizeof *in->columns, counts, out->columns, in_counts,
                           in->columns));
  return cwi_sparse_trade(sparse->team, sparse->element, counts, out->values, in_counts,
                          in->values);
}

/* Sends each element to the process that has its row, and replaces *mine by the elements that this
 * process receives. After an error, all members keep their lists. Collective. */
static cw_error list_send(const struct cwi_sparse *sparse, struct cwi_sparse_list *mine)
{
  const size_t size = (size_t)sparse->team->size;
  struct cwi_sparse_list sorted = {0}, in = {0};
  size_t *counts = size > 1 ? calloc(2 * size, sizeof *counts) : NULL;
  if (size == 1)
    return CW_OK;
  cw_error error = counts != NULL ? list_by_owner(sparse, mine, counts, &sorted)
                                  : cwi_outside("no memory for %zu counts", 2 * size);
  error = cwi_team_agree(sparse->team, error);
  if (error == CW_OK && counts != NULL)
    error = cwi_alltoall(sparse->team, counts, sizeof *counts, counts + size);
  if (error == CW_OK && counts != NULL)
    error = list_trade(sparse, counts, &sorted, counts + size, &in);
  cwi_sparse_list_free(&sorted);
  free(counts);
  cwi_sparse_list_free(error == CW_OK ? mine : &in);
  if (error == CW_OK)
    *mine = in;
  return error;
}

/* After a failure the program can assemble the array again. Elements that have already been sent
 * stay on their new process. */
cw_error cwi_sparse_assemble(int s_a, bool *out_of_memory)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_find("s_a", s_a, &sparse));
  if (sparse->assembled)
    return not_open(s_a);
  CWI_TRY(cwi_sparse_synchronize(sparse));
  cw_error error = list_send(sparse, &sparse->added);
  if (error == CW_OK)
    error = cwi_sparse_build(sparse, &sparse->added, CW_OK);
  if (error == CW_OK)
    cwi_sparse_list_free(&sparse->added);
  *out_of_memory = cwi_failure_is_outside(error);
  return *out_of_memory ? CW_OK : error;
}
