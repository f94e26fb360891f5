/* Prints arrays for people: rank 0 of the team prints row by row, in the order of the program's
 * indices. */
#include "array/array_arguments.h"
#include "array/array_walk.h"
#include "collective_call/collective_check.h"
#include "number/scalar.h"
#include "profile/profile.h"
#include "sync/barrier.h"
#include "team/agreement.h"

#include <causeway/array.h>

#include <stdio.h>
#include <stdlib.h>

/* Prints the element at `at`. */
static void print_element(FILE *out, cw_type type, size_t bytes, const char *at)
{
  const struct cwi_value value = cwi_value_read(type, at);
  if (cwi_type_is_whole(type)) {
    fprintf(out, " %8lld", (long long)value.whole);
  } else if (cwi_type_is_real(type)) {
    fprintf(out, " %12.6g", value.real[0]);
  } else if (cwi_type_is_complex(type)) {
    fprintf(out, " (%.6g,%.6g)", value.real[0], value.real[1]);
  } else {
    fputs(" ", out);
    for (size_t i = 0; i < bytes; i++)
      fprintf(out, "%02x", (unsigned)(unsigned char)at[i]);
  }
}

/* Prints a row as "[2,0:5]" and the elements. */
static cw_error print_row(cw_array array, const int64_t *at, int64_t last, char *row, FILE *out)
{
  const int n = array->dimensions - 1;
  int64_t hi[CW_MAX_DIMENSIONS] = {0};
  for (int d = 0; d < n; d++)
    hi[d] = at[d];
  hi[n] = last;
  CWI_TRY(cw_array_get(array, at, hi, row, NULL));
  for (int d = 0; d <= n; d++)
    fprintf(out, d == 0 ? "[%lld" : ",%lld", (long long)at[d]);
  fprintf(out, ":%lld]", (long long)last);
  for (int64_t i = 0; i <= last - at[n]; i++)
    print_element(out, array->type, array->element, row + (size_t)i * array->element);
  fputs("\n", out);
  return CW_OK;
}

static cw_error print_rows(cw_array array, const int64_t *lo, const int64_t *hi, FILE *out)
{
  const int n = array->dimensions - 1;
  int64_t at[CW_MAX_DIMENSIONS] = {0};
  char *row = malloc((size_t)(hi[n] - lo[n] + 1) * array->element);
  if (row == NULL)
    return cwi_outside("no memory for a row");
  cw_error error = CW_OK;
  for (int d = 0; d <= n; d++)
    at[d] = lo[d];
  fprintf(out, "array '%s'\n", array->name);
  do {
    if (error == CW_OK)
      error = print_row(array, at, hi[n], row, out);
  } while (error == CW_OK && cwi_index_next(n, lo, hi, at));
  free(row);
  if (fflush(out) != 0 && error == CW_OK)
    error = cwi_outside("the text cannot be written to the file");
  return error;
}

/* Prints a patch; NULL for lo and hi stands for the whole array. Rank 0 reads only after all
 * members have arrived, and all members return its result. */
static cw_error print(cw_array array, const int64_t *lo, const int64_t *hi, FILE *out)
{
  int64_t first[CW_MAX_DIMENSIONS] = {0}, last[CW_MAX_DIMENSIONS] = {0};
  cw_error error = CW_OK;
  for (int d = 0; d < array->dimensions; d++)
    last[d] = array->axes[d].extent - 1;
  lo = lo != NULL ? lo : first;
  hi = hi != NULL ? hi : last;
  error = cwi_check_patch(array, lo, hi);
  if (error == CW_OK && array->team->rank == 0)
    error = cwi_check_not_null("out", out);
  error = cwi_team_agree(array->team, error);
  CWI_TRY(error);
  CWI_TRY(cwi_synchronise(array->team));
  if (array->team->rank == 0 && !cwi_patch_empty(array->dimensions, lo, hi))
    error = print_rows(array, lo, hi, out);
  return cwi_team_agree(array->team, error);
}

cw_error cw_array_print(cw_array array, const int64_t *lo, const int64_t *hi, FILE *out)
{
  CWI_PROFILED(CW_CALL_FILE);
  CWI_TRY(cwi_in_call("cw_array_print", cwi_check_array("array", array)));
  const struct cwi_argument agreed[] = {
      cwi_agreed_array("array", array), cwi_agreed_corner("lo", NULL, array, lo),
      cwi_agreed_corner("hi", NULL, array, hi), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_array_print", array->team, agreed, print(array, lo, hi, out));
}
