/* Lists of elements, fields of elements, and a put that is complete at the target on return. */
#include "ga/fortran/convert.h"

#include "ga/array/patch.h"

#include <stdio.h>

static int64_t *list_space(int g_a, int64_t n)
{
  const size_t ndim = (size_t)cwi_ga_ndim(g_a);
  int64_t *list = n > 0 && ndim > 0 ? malloc((size_t)n * ndim * sizeof *list) : NULL;
  if (list == NULL && n > 0 && ndim > 0)
    (void)CWI_GA(cwi_outside("no memory for the indices of %lld elements", (long long)n));
  return list;
}

static void reject_element(const struct cwi_ga_array *entry, const char *name, int64_t which,
                           int64_t index, int d)
{
  cwi_gaf_reject(
      cwi_misuse("%s%lld) is %lld; dimension %d of array '%s' has the elements 1 to %lld", name,
                 (long long)which + 1, (long long)index + 1, d, entry->name,
                 (long long)entry->dims[entry->ndim - d]));
}

int64_t *cwi_gaf_pairs(int g_a, const Integer *is, const Integer *js, int64_t n)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(cwi_gaf_matrix("g_a", g_a));
  int64_t *list = list_space(g_a, n);
  for (int64_t k = 0; list != NULL && k < n; k++) {
    const int64_t i = cwi_gaf_from_one(is[k]), j = cwi_gaf_from_one(js[k]);
    if (CWI_UNLIKELY(i < 0 || i >= entry->dims[1]))
      reject_element(entry, "i(", k, i, 1);
    if (CWI_UNLIKELY(j < 0 || j >= entry->dims[0]))
      reject_element(entry, "j(", k, j, 2);
    list[2 * k] = j;
    list[2 * k + 1] = i;
  }
  return list;
}

int64_t *cwi_gaf_subscripts(int g_a, const Integer *subs, int64_t n)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  int64_t *list = list_space(g_a, n);
  for (int64_t k = 0; list != NULL && k < n; k++)
    for (int d = 0; d < entry->ndim; d++) {
      const int64_t index = cwi_gaf_from_one(subs[k * entry->ndim + d]);
      char name[24];
      if (CWI_UNLIKELY(index < 0 || index >= entry->dims[entry->ndim - 1 - d])) {
        snprintf(name, sizeof name, "subs(%d,", d + 1);
        reject_element(entry, name, k, index, d + 1);
      }
      list[k * entry->ndim + entry->ndim - 1 - d] = index;
    }
  return list;
}

void cwi_gaf_gather(int g_a, void *v, int64_t *subs, int64_t n)
{
  NGA_Gather_flat64(g_a, v, subs, n);
  free(subs);
}

void cwi_gaf_scatter(int g_a, void *v, int64_t *subs, int64_t n)
{
  NGA_Scatter_flat64(g_a, v, subs, n);
  free(subs);
}

void cwi_gaf_scatter_acc(int g_a, void *v, int64_t *subs, int64_t n, void *alpha)
{
  NGA_Scatter_acc_flat64(g_a, v, subs, n, alpha);
  free(subs);
}

void cwi_gaf_put_notify(int g_a, struct cwi_gaf_patch *patch, void *buf, int64_t *ld)
{
  cwi_ga_fortran.ndim = cwi_ga_ndim(g_a); /* the number of dimensions of g_a, not of the array with
                                             the flag */
  GA_Init_fence();
  NGA_Put64(g_a, patch->lo, patch->hi, buf, ld);
  GA_Fence();
}

void cwi_gaf_move_field(int g_a, const cw_patch *patch, int foff, int fsize, ga_nbhdl_t *handle)
{
  (void)CWI_GA(cwi_ga_move_field(g_a, patch, foff, fsize, handle));
}
