/* Compares the elements of two arrays, for GA++'s operator ==. */
#include "cwga.h"

#include "ga/array/patch.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include "collective/collective.h"
#include "number/number_type.h"
#include "sync/barrier.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if two rows differ in any bit. If both arrays have long doubles, their padding is
 * ignored. */
static bool rows_differ(cw_array a, cw_array b, const char *of_a, const char *of_b, size_t bytes)
{
  if (!a->long_doubles || !b->long_doubles)
    return memcmp(of_a, of_b, bytes) != 0;
  for (size_t at = 0; at < bytes; at += sizeof(long double))
    if (memcmp(of_a + at, of_b + at, CWI_LONG_DOUBLE_BYTES) != 0)
      return true;
  return false;
}

/* Sets *different to 1 if this process finds different elements. The indices of the first dimension
 * are divided among the members of the team. */
static cw_error compare(cw_array a, cw_array b, const int64_t *dims, cw_team team, long *different)
{
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  size_t bytes = a->element;
  for (int d = 1; d < a->dimensions; d++) {
    hi[d] = dims[d] - 1;
    bytes *= (size_t)dims[d];
  }
  char *rows = malloc(2 * bytes + 1); /* at least one byte, because malloc(0) may return NULL */
  cw_error error = rows != NULL ? CW_OK : cwi_outside("no memory for two times %zu bytes", bytes);
  for (int64_t i = team->rank; i < dims[0] && error == CW_OK && !*different; i += team->size) {
    lo[0] = hi[0] = i;
    error = cw_array_get(a, lo, hi, rows, NULL);
    if (error == CW_OK)
      error = cw_array_get(b, lo, hi, rows + bytes, NULL);
    if (error == CW_OK)
      *different = rows_differ(a, b, rows, rows + bytes, bytes);
  }
  free(rows);
  return error;
}

static bool are_alike(const struct cwi_ga_array *a, const struct cwi_ga_array *b)
{
  return a->type == b->type && a->ndim == b->ndim &&
         memcmp(a->dims, b->dims, (size_t)a->ndim * sizeof *a->dims) == 0;
}

/* Compares two arrays. Each node compares its own copy of a mirrored array. The function uses the
 * arrays' teams, because their groups may have been destroyed. */
static cw_error equal(int g_a, int g_b, int *result)
{
  cw_array a = NULL, b = NULL;
  long different = 0;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  CWI_TRY(cwi_ga_array("g_b", g_b, &b));
  *result = are_alike(cwi_ga_entry(g_a), cwi_ga_entry(g_b));
  if (!*result)
    return CW_OK;
  cw_team all = a->team, node = a->team;
  if (GA_Is_mirrored(g_a) || GA_Is_mirrored(g_b)) {
    CWI_TRY(cwi_ga_team("the default group", cwi_ga_default(), &all));
    CWI_TRY(cwi_ga_team("the mirror group", CWI_GA_MIRROR, &node));
  }
  CWI_TRY(cwi_synchronise(all));
  CWI_TRY(cwi_team_agree(all, compare(a, b, cwi_ga_entry(g_a)->dims, node, &different)));
  CWI_TRY(cwi_allreduce(all, CW_LONG, CW_MAXIMUM, 1, &different));
  *result = different == 0;
  return CW_OK;
}

int cw_ga_equal(int g_a, int g_b)
{
  int result = 0;
  (void)CWI_GA_WAITS(equal(g_a, g_b, &result));
  return result;
}
