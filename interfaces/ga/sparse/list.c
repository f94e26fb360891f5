/* Lists of elements of sparse arrays that are being added or sent. */
#include "ga/sparse/sparse.h"

#include "collective/collective.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

void cwi_sparse_list_free(struct cwi_sparse_list *list)
{
  free(list->rows);
  free(list->columns);
  free(list->values);
  *list = (struct cwi_sparse_list){0};
}

cw_error cwi_sparse_list_reserve(struct cwi_sparse_list *list, size_t element, size_t capacity)
{
  int64_t *rows = realloc(list->rows, (capacity + 1) * sizeof *rows);
  if (rows != NULL)
    list->rows = rows;
  int64_t *columns = realloc(list->columns, (capacity + 1) * sizeof *columns);
  if (columns != NULL)
    list->columns = columns;
  char *values = realloc(list->values, (capacity + 1) * element);
  if (values != NULL)
    list->values = values;
  if (rows == NULL || columns == NULL || values == NULL)
    return cwi_outside("no memory for %zu elements of a sparse array", capacity);
  list->capacity = capacity;
  return CW_OK;
}

cw_error cwi_sparse_list_add(struct cwi_sparse_list *list, size_t element, int64_t row,
                             int64_t column, const void *value)
{
  if (CWI_UNLIKELY(list->count == list->capacity))
    CWI_TRY(cwi_sparse_list_reserve(list, element, list->capacity + list->capacity / 2 + 1024));
  list->rows[list->count] = row;
  list->columns[list->count] = column;
  memcpy(list->values + list->count * element, value, element);
  list->count++;
  return CW_OK;
}

cw_error cwi_sparse_trade(cw_team team, size_t element, const size_t *counts, const void *out,
                          const size_t *in_counts, void *in)
{
  const size_t size = (size_t)team->size;
  size_t *bytes = malloc(2 * size * sizeof *bytes);
  cw_error error = bytes != NULL ? CW_OK : cwi_outside("no memory for %zu lengths", 2 * size);
  error = cwi_team_agree(team, error);
  if (error == CW_OK && bytes != NULL) {
    for (size_t rank = 0; rank < size; rank++) {
      bytes[rank] = counts[rank] * element;
      bytes[size + rank] = in_counts[rank] * element;
    }
    error = cwi_alltoallv(team, out, bytes, NULL, in, bytes + size, NULL);
  }
  free(bytes);
  return error;
}
