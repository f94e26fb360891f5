/* Converts arguments from Fortran to C. Messages about wrong arguments use the program's names, and
 * count dimensions from 1. */
#include "ga/fortran/convert.h"

#include "ga/array/patch.h"

#include <limits.h>
#include <stdio.h>

void cwi_gaf_reject(cw_error error)
{
  cwi_ga_fortran.ndim = 0;
  (void)CWI_GA(error);
}

int cwi_gaf_too_large(const char *what, Integer number)
{
  const int code = cwi_integer_code(cwi_ga_fortran.call, what, number);
  cwi_ga_fortran.doubted = true;
  (void)CWI_GA(cwi_misuse("%s is %lld; it must be between %d and %d", what, (long long)number,
                          INT_MIN, INT_MAX));
  return code;
}

int cwi_gaf_no_handle(const char *what, Integer number)
{
  if (cwi_ga_entry((int)number) != NULL)
    cwi_integer_reject(cwi_ga_fortran.call, what, number);
  cwi_ga_fortran.doubted = true;
  return 0;
}

/* Records the suspicion that INTEGER has another size in the program. `first` and `second` are the
 * numbers of two dimensions. If the program's INTEGER has 4 bytes and the library's has 8, the
 * first number consists of two of the program's numbers. In the opposite case, the second number is
 * the upper half of the program's first number. */
static void suspect_width(int ndim, int64_t first, int64_t second)
{
  if (sizeof(Integer) == sizeof(int) ? ndim > 1 && first > 0 && second == 0
                                     : !cwi_integer_fits(first))
    cwi_ga_fortran.doubted = true;
}

Integer cwi_gaf_bytes(size_t bytes)
{
  const size_t most = sizeof(Integer) == sizeof(int) ? INT_MAX : LONG_MAX;
  return (Integer)(bytes < most ? bytes : most);
}

/* --- Patches --- */

/* Writes the name of a bound in dimension d, which counts from 1: "ilo" or "lo(2)" for a patch, "i"
 * or "sub(2)" for an element. */
static void name_bound(char *name, size_t size, const char *end, bool matrix, int d,
                       enum cwi_gaf_bounds bounds)
{
  const bool element = bounds == CWI_GAF_ELEMENT;
  if (matrix)
    snprintf(name, size, "%c%s", d == 1 ? 'i' : 'j', element ? "" : end);
  else
    snprintf(name, size, "%s(%d)", element ? "sub" : end, d);
}

static cw_error describe_bound(const struct cwi_ga_array *entry, int d, const char *name,
                               int64_t index)
{
  return cwi_misuse("%s is %lld; dimension %d of array '%s' has the elements 1 to %lld", name,
                    (long long)index + 1, d, entry->name, (long long)entry->dims[entry->ndim - d]);
}

static cw_error describe_bounds(const struct cwi_ga_array *entry, const struct cwi_gaf_patch *patch,
                                bool matrix, enum cwi_gaf_bounds bounds)
{
  if (bounds == CWI_GAF_OR_EMPTY && cwi_patch_empty(entry->ndim, patch->lo, patch->hi))
    return CW_OK;
  for (int d = 1; d <= entry->ndim; d++) {
    const int64_t lo = patch->lo[entry->ndim - d], hi = patch->hi[entry->ndim - d];
    char low[16], high[16];
    name_bound(low, sizeof low, "lo", matrix, d, bounds);
    name_bound(high, sizeof high, "hi", matrix, d, bounds);
    if (hi < lo)
      return cwi_misuse("%s is %lld, less than %s, which is %lld: a patch of array '%s' has at "
                        "least one element",
                        high, (long long)hi + 1, low, (long long)lo + 1, entry->name);
    if (bounds < CWI_GAF_ORDERED && (lo < 0 || lo >= entry->dims[entry->ndim - d]))
      return describe_bound(entry, d, low, lo);
    if (bounds < CWI_GAF_ORDERED && hi >= entry->dims[entry->ndim - d])
      return describe_bound(entry, d, high, hi);
  }
  return CW_OK;
}

static cw_error check_matrix(const char *what, int g_a)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array(what, g_a, &array));
  if (array->dimensions == 2)
    return CW_OK;
  return cwi_misuse("%s is %d, array '%s' of %d dimensions; this call takes matrices; the call "
                    "whose name begins with nga_ takes all arrays",
                    what, g_a, array->name, array->dimensions);
}

static cw_error describe_patch(const char *what, int g_a, const struct cwi_gaf_patch *patch,
                               bool matrix, enum cwi_gaf_bounds bounds)
{
  cw_array array = NULL;
  CWI_TRY(matrix ? check_matrix(what, g_a) : cwi_ga_array(what, g_a, &array));
  if (bounds == CWI_GAF_CLIPPED && cwi_ga_clips(g_a, cwi_ga_entry(g_a)->array))
    return CW_OK;
  const cw_error error = describe_bounds(cwi_ga_entry(g_a), patch, matrix, bounds);
  return bounds == CWI_GAF_ELEMENT ? error : cwi_ga_in_patch(what, error);
}

/* Converts a patch of a vector. GA treats a vector as a matrix of one column. */
static bool take_vector(int g_a, struct cwi_gaf_patch *patch, enum cwi_gaf_bounds bounds)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry == NULL || entry->array == NULL || entry->ndim != 1 || patch->lo[0] != 0 ||
      patch->hi[0] != 0)
    return false;
  patch->lo[0] = patch->lo[1];
  patch->hi[0] = patch->hi[1];
  return cwi_gaf_bounded(entry, 0, patch->lo[0], patch->hi[0], bounds) ||
         (bounds == CWI_GAF_CLIPPED && cwi_ga_clips(g_a, entry->array));
}

void cwi_gaf_reject_patch(const char *what, int g_a, struct cwi_gaf_patch *patch, bool matrix,
                          enum cwi_gaf_bounds bounds)
{
  struct cwi_gaf_patch vector = *patch;
  if (matrix && take_vector(g_a, &vector, bounds)) {
    *patch = vector;
    return;
  }
  const int ndim = cwi_ga_ndim(g_a);
  if (ndim > 0)
    suspect_width(ndim, patch->lo[ndim - 1] + 1, ndim > 1 ? patch->lo[ndim - 2] + 1 : 1);
  cwi_gaf_reject(describe_patch(what, g_a, patch, matrix, bounds));
}

void cwi_gaf_ends(int64_t lo, int64_t hi)
{
  if (hi < lo)
    cwi_gaf_reject(
        cwi_misuse("hi is %lld, less than lo, which is %lld", (long long)hi, (long long)lo));
}

int cwi_gaf_matrix(const char *what, int g_a)
{
  (void)CWI_GA(check_matrix(what, g_a));
  return g_a;
}

int cwi_gaf_rows(int g_a)
{
  return cwi_ga_ndim(g_a) == 1 ? 0 : (cwi_gaf_matrix("g_a", g_a), 1);
}

/* --- Numbers of each dimension --- */

int cwi_gaf_dimension(int g_a, int dimension)
{
  const int ndim = GA_Ndim(g_a);
  if (ndim > 0 && (dimension < 1 || dimension > ndim))
    (void)CWI_GA(cwi_misuse("dimension is %d; it must be 1 to %d", dimension, ndim));
  return dimension - 1;
}

struct cwi_ga_index cwi_gaf_extents(int ndim, const Integer *extents)
{
  struct cwi_ga_index wide = {{0}};
  if (ndim > GA_MAX_DIM)
    return wide;
  cwi_ga_fortran.ndim = ndim;
  if (ndim > 0)
    suspect_width(ndim, extents[0], ndim > 1 ? extents[1] : 1);
  for (int d = 0; d < ndim; d++)
    wide.at[ndim - 1 - d] = extents[d];
  return wide;
}

struct cwi_ga_index cwi_gaf_place(int ndim, const Integer *index)
{
  struct cwi_ga_index wide = {{0}};
  cwi_ga_fortran.ndim = ndim;
  for (int d = 0; d < ndim; d++)
    wide.at[ndim - 1 - d] = cwi_gaf_from_one(index[d]);
  return wide;
}

void cwi_gaf_found(int g_a, const int *numbers, Integer *found)
{
  const int ndim = cwi_ga_ndim(g_a);
  for (int d = 0; d < ndim; d++)
    found[ndim - 1 - d] = numbers[d];
}

/* Stores the numbers in the program's order of dimensions, and adds `more` to each. */
static void found_turned(const char *what, int ndim, const int64_t *numbers, int64_t more,
                         Integer *found)
{
  for (int d = 0; d < ndim; d++) {
    const int64_t number = numbers[ndim - 1 - d] + more;
    char name[24];
    found[d] = (Integer)number;
    if (CWI_LIKELY(found[d] == number))
      continue;
    snprintf(name, sizeof name, "%s(%d)", what, d + 1);
    (void)cwi_gaf_result(name, number);
  }
}

void cwi_gaf_place_found(const char *what, int g_a, const int64_t *index, Integer *found)
{
  found_turned(what, cwi_ga_ndim(g_a), index, 1, found);
}

void cwi_gaf_extents_found(const char *what, int ndim, const int64_t *extents, Integer *found)
{
  found_turned(what, ndim, extents, 0, found);
}

void cwi_gaf_check_type(const char *what, int g_a, int code)
{
  static const char *const names[] = {"MT_INT", "MT_LOG",  "MT_REAL",
                                      "MT_DBL", "MT_SCPL", "MT_DCPL"};
  int of_c = code;
  cw_type type;
  size_t bytes;
  cw_array array = NULL;
  cw_error error = cwi_ga_array(what, g_a, &array);
  if (error == CW_OK)
    error = cwi_ga_type(&of_c, &type, &bytes);
  if (error == CW_OK)
    error = cwi_ga_check_type(what, g_a, of_c, names[code - MT_F_INT]);
  (void)CWI_GA(error);
}

/* --- CHARACTER --- */

struct cwi_gaf_text cwi_gaf_text(const char *text, size_t length)
{
  struct cwi_gaf_text copy;
  cwi_fortran_take(text, length, copy.at, sizeof copy.at);
  return copy;
}
