/* Lists of elements: gather, scatter, and scatter with addition. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include <stdlib.h>
#include <string.h>

/* Arguments of a call. One of the last four members has the indices; the others are NULL. */
struct subscripts {
  cw_operation operation;
  int g_a;
  void *values;
  int64_t count;
  const void *alpha;
  int **rows; /* each points to the indices of an element */
  int64_t **rows64;
  const int *flat; /* the indices of all elements */
  const int64_t *flat64;
};

enum { SHORT_LIST = 32 };

/* Maximum number of elements in a list. The size of its indices in bytes must not exceed
 * INT64_MAX. */
static const int64_t MOST = INT64_MAX / (int64_t)sizeof(int64_t) / GA_MAX_DIM;

static cw_error widen64(const struct subscripts *list, size_t n, int64_t *indices)
{
  for (size_t i = 0; i < (size_t)list->count; i++) {
    if (list->rows64[i] == NULL)
      return cwi_misuse("subs[%zu] is NULL", i);
    memcpy(&indices[i * n], list->rows64[i], n * sizeof *indices);
  }
  return CW_OK;
}

static cw_error widen(const struct subscripts *list, int ndim, int64_t *indices)
{
  const size_t n = (size_t)ndim, count = (size_t)list->count;
  const int *const flat = list->flat;
  if (list->rows64 != NULL)
    return widen64(list, n, indices);
  for (size_t i = 0; i < count; i++) {
    const int *narrow = flat != NULL ? &flat[i * n] : list->rows[i];
    if (CWI_UNLIKELY(narrow == NULL))
      return cwi_misuse("subs[%zu] is NULL", i);
#pragma GCC unroll 7
    for (size_t d = 0; d < GA_MAX_DIM && d < n; d++)
      indices[i * n + d] = narrow[d];
  }
  return CW_OK;
}

static cw_error move_elements(cw_array array, const struct subscripts *list, const int64_t *indices)
{
  const size_t count = (size_t)list->count;
  cw_error error;
  if (list->operation == CW_GET)
    error = cw_array_gather(array, count, indices, list->values);
  else if (list->operation == CW_PUT)
    error = cw_array_scatter(array, count, indices, list->values);
  else
    error = cw_array_scatter_accumulate(array, count, indices, list->values, list->alpha);
  return cwi_ga_known_as(error, "indices is subs, values is v, scale is alpha, count is n");
}

static cw_error ga_gather_move(const struct subscripts *list)
{
  int64_t few[SHORT_LIST * GA_MAX_DIM], *indices = few;
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", list->g_a, &array));
  if (list->count > MOST)
    return cwi_misuse("n is %lld; a list has at most %lld elements", (long long)list->count,
                      (long long)MOST);
  if (list->count <= 0)
    return CW_OK;
  CWI_TRY(cwi_check_not_null("v", list->values));
  if (list->rows == NULL && list->rows64 == NULL && list->flat == NULL && list->flat64 == NULL)
    return cwi_check_not_null("subs", NULL);
  if (list->operation == CW_ACCUMULATE)
    CWI_TRY(cwi_check_not_null("alpha", list->alpha));
  if (list->flat64 != NULL)
    return move_elements(array, list, list->flat64);
  if (list->count > SHORT_LIST)
    indices = malloc((size_t)list->count * (size_t)array->dimensions * sizeof *indices);
  if (indices == NULL)
    return cwi_outside("no memory for the indices of %lld elements", (long long)list->count);
  cw_error error = widen(list, array->dimensions, indices);
  if (error == CW_OK)
    error = move_elements(array, list, indices);
  if (indices != few)
    free(indices);
  return error;
}

#define MOVE(...) (void)CWI_GA(ga_gather_move(&(struct subscripts){__VA_ARGS__}))

void NGA_Gather(int g_a, void *v, int *subs[], int n)
{
  MOVE(CW_GET, g_a, v, n, .rows = subs);
}

void NGA_Gather64(int g_a, void *v, int64_t *subs[], int64_t n)
{
  MOVE(CW_GET, g_a, v, n, .rows64 = subs);
}

void NGA_Gather_flat(int g_a, void *v, int subs[], int n)
{
  MOVE(CW_GET, g_a, v, n, .flat = subs);
}

void NGA_Gather_flat64(int g_a, void *v, int64_t subs[], int64_t n)
{
  MOVE(CW_GET, g_a, v, n, .flat64 = subs);
}

void NGA_Scatter(int g_a, void *v, int *subs[], int n)
{
  MOVE(CW_PUT, g_a, v, n, .rows = subs);
}

void NGA_Scatter64(int g_a, void *v, int64_t *subs[], int64_t n)
{
  MOVE(CW_PUT, g_a, v, n, .rows64 = subs);
}

void NGA_Scatter_flat(int g_a, void *v, int subs[], int n)
{
  MOVE(CW_PUT, g_a, v, n, .flat = subs);
}

void NGA_Scatter_flat64(int g_a, void *v, int64_t subs[], int64_t n)
{
  MOVE(CW_PUT, g_a, v, n, .flat64 = subs);
}

void NGA_Scatter_acc(int g_a, void *v, int *subs[], int n, void *alpha)
{
  MOVE(CW_ACCUMULATE, g_a, v, n, .alpha = alpha, .rows = subs);
}

void NGA_Scatter_acc64(int g_a, void *v, int64_t *subs[], int64_t n, void *alpha)
{
  MOVE(CW_ACCUMULATE, g_a, v, n, .alpha = alpha, .rows64 = subs);
}

void NGA_Scatter_acc_flat(int g_a, void *v, int subs[], int n, void *alpha)
{
  MOVE(CW_ACCUMULATE, g_a, v, n, .alpha = alpha, .flat = subs);
}

void NGA_Scatter_acc_flat64(int g_a, void *v, int64_t subs[], int64_t n, void *alpha)
{
  MOVE(CW_ACCUMULATE, g_a, v, n, .alpha = alpha, .flat64 = subs);
}
