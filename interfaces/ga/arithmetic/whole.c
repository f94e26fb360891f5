/* Operations that only whole arrays have. Every call begins and ends with a synchronisation, which
 * the native calls do. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include "collective/collective.h"
#include "number/random.h"
#include "number/scalar.h"

#include <stdint.h>
#include <string.h>

/* --- New contents --- */

/* Fills an array with random numbers. Each call gives other numbers, but every run of a program
 * gives the same sequence. The members of a group may have made different numbers of calls, so they
 * agree on the greatest. */
static cw_error randomize(int g_a, const void *value)
{
  static long calls;
  long number = __atomic_load_n(&calls, __ATOMIC_RELAXED) + 1;
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("value", value));
  CWI_TRY(cwi_allreduce(array->team, CW_LONG, CW_MAXIMUM, 1, &number));
  __atomic_store_n(&calls, number, __ATOMIC_RELAXED);
  CWI_TRY(cwi_ga_known_as(
      CWI_GA_OWN_VALUES(cw_array_randomize(array, NULL, NULL, value, (uint64_t)number)),
      "limit is value"));
  return cwi_ga_fill_rim(array);
}

void GA_Randomize(int g_a, void *value)
{
  (void)CWI_GA_WAITS(randomize(g_a, value));
}

/* Returns a random number from 0 to less than 1. Each process has its own sequence, which starts
 * from the seed of the first call. The seeds of later calls are ignored. */
double GA_Rand(int seed)
{
  static uint64_t sequence, drawn; /* sequence is 0 before the first call */
  const uint64_t mine = (uint64_t)(unsigned)seed << 1 | 1;
  uint64_t begun = 0;
  if (__atomic_compare_exchange_n(&sequence, &begun, mine, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
    begun = mine;
  const uint64_t index = __atomic_fetch_add(&drawn, 1, __ATOMIC_RELAXED);
  return (double)(cwi_random_bits(begun, index) >> 11) * 0x1p-53;
}

/* Returns start + steps * inc, as an element of the type. */
static union cwi_scalar step_on(cw_type type, const void *start, const void *inc, int64_t steps)
{
  union cwi_scalar from, by;
  cwi_scalar_read(type, start, &from);
  cwi_scalar_read(type, inc, &by);
  for (int part = 0; part < 2 && type != CW_OPAQUE; part++)
    if (type == CW_INT)
      from.i = (int)((unsigned)from.i + (unsigned)steps * (unsigned)(part == 0 ? by.i : 0));
    else if (cwi_type_is_whole(type))
      from.ll =
          (long long)((uint64_t)from.ll + (uint64_t)steps * (uint64_t)(part == 0 ? by.ll : 0));
    else if (cwi_type_is_single(type))
      from.f[part] += (float)steps * by.f[part];
    else
      from.d[part] += (double)steps * by.d[part];
  return from;
}

/* Enumerates the elements of the patch that are inside the array. As in GA, they get the values
 * that they would have if the whole patch were inside. */
static cw_error enumerate_within(cw_array array, int64_t lo, int64_t hi, const void *start,
                                 const void *inc)
{
  const int64_t last = array->axes[0].extent - 1;
  const int64_t first = lo > 0 ? lo : 0, end = hi < last ? hi : last;
  if (first > end) {
    CWI_TRY(cw_wait_all());
    return cw_array_sync(array);
  }
  if (first == lo)
    return cw_array_enumerate(array, &first, &end, start, inc);
  const union cwi_scalar from = step_on(array->type, start, inc, first - lo);
  return cw_array_enumerate(array, &first, &end, &from, inc);
}

static cw_error enumerate(int g_a, int64_t lo, int64_t hi, const void *start, const void *inc)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  if (array->dimensions != 1)
    return cwi_misuse(
        "g_a is array '%s' of %d dimensions; this call takes an array of one dimension",
        array->name, array->dimensions);
  CWI_TRY(cwi_ga_check_order(array, &lo, &hi));
  CWI_TRY(cwi_check_not_null("start", start));
  CWI_TRY(cwi_check_not_null("inc", inc));
  return cwi_ga_known_as(CWI_GA_OWN_VALUES(enumerate_within(array, lo, hi, start, inc)),
                         "step is inc");
}

void GA_Patch_enum64(int g_a, int64_t lo, int64_t hi, void *start, void *inc)
{
  (void)CWI_GA_WAITS(enumerate(g_a, lo, hi, start, inc));
}

void GA_Patch_enum(int g_a, int lo, int hi, void *start, void *inc)
{
  GA_Patch_enum64(g_a, lo, hi, start, inc);
}

/* --- One array --- */

static cw_error norm(int g_a, cw_norm kind, double *result)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("norm", result));
  return cw_array_norm(array, NULL, NULL, kind, result);
}

void GA_Norm1(int g_a, double *result)
{
  (void)CWI_GA_WAITS(norm(g_a, CW_NORM_SUM, result));
}

void GA_Norm_infinity(int g_a, double *result)
{
  (void)CWI_GA_WAITS(norm(g_a, CW_NORM_MAXIMUM, result));
}

static cw_error select_element(int g_a, const char *op, void *value, int64_t *index)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("op", op));
  CWI_TRY(cwi_check_not_null("value", value));
  CWI_TRY(cwi_check_not_null("index", index));
  const bool greatest = strncmp(op, "max", 3) == 0;
  if (!greatest && strncmp(op, "min", 3) != 0)
    return cwi_misuse("op is '%s'; it may be 'min' or 'max'", op);
  const struct cwi_argument agreed[] = {cwi_agreed_array("g_a", array), cwi_argument_text("op", op),
                                        CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(array->team, agreed));
  return cw_array_select(array, NULL, NULL, greatest, value, index);
}

void NGA_Select_elem64(int g_a, char *op, void *value, int64_t index[])
{
  (void)CWI_GA_WAITS(select_element(g_a, op, value, index));
}

void NGA_Select_elem(int g_a, char *op, void *value, int index[])
{
  struct cwi_ga_index wide = {{0}};
  (void)CWI_GA_WAITS(select_element(g_a, op, value, CWI_STORAGE(wide, index)));
  (void)CWI_GA(cwi_ga_narrow("index", (size_t)cwi_ga_ndim(g_a), wide.at, index));
}

/* --- Two arrays --- */

/* Copies a whole array. One of the two arrays may be mirrored. */
static cw_error ga_copy(int g_a, int g_b)
{
  cw_operand a, b;
  bool handled = false;
  CWI_TRY(cwi_ga_operand(CWI_GA_WHOLE(a), &a));
  CWI_TRY(cwi_ga_operand(CWI_GA_WHOLE(b), &b));
  CWI_TRY(cwi_ga_same_shape("g_b", a.array, b.array));
  CWI_TRY(cwi_ga_copy_mirrored(g_a, g_b, &handled));
  return handled ? CW_OK : cw_array_copy(&a, &b);
}

void GA_Copy(int g_a, int g_b)
{
  (void)CWI_GA_WAITS(ga_copy(g_a, g_b));
}

static cw_error check_matrix(const char *what, cw_array array)
{
  if (array->dimensions == 2)
    return CW_OK;
  return cwi_misuse("%s is array '%s' of %d dimensions; this call takes a matrix", what,
                    array->name, array->dimensions);
}

static cw_error transpose(int g_a, int g_b)
{
  cw_operand a, b;
  CWI_TRY(cwi_ga_operand(CWI_GA_WHOLE(a), &a));
  CWI_TRY(cwi_ga_operand(CWI_GA_WHOLE(b), &b));
  CWI_TRY(check_matrix("g_a", a.array));
  CWI_TRY(check_matrix("g_b", b.array));
  for (int d = 0; d < 2; d++)
    if (a.array->axes[d].extent != b.array->axes[1 - d].extent)
      return cwi_misuse("g_b is array '%s', whose dimension %d has %lld elements; transposed g_a, "
                        "array '%s', has %lld",
                        b.array->name, 1 - d, (long long)b.array->axes[1 - d].extent, a.array->name,
                        (long long)a.array->axes[d].extent);
  a.transposed = true;
  return cw_array_copy(&a, &b);
}

void GA_Transpose(int g_a, int g_b)
{
  (void)CWI_GA_WAITS(transpose(g_a, g_b));
}

/* --- Matrices and vectors --- */

static cw_error scale_slices(int g_a, int dimension, int g_v)
{
  cw_array a = NULL, v = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  CWI_TRY(cwi_ga_array("g_v", g_v, &v));
  CWI_TRY(check_matrix("g_a", a));
  return cwi_ga_known_as(cw_array_scale_slices(a, dimension, v), "array is g_a, vector is g_v");
}

void GA_Scale_rows(int g_a, int g_v)
{
  (void)CWI_GA_WAITS(scale_slices(g_a, 0, g_v));
}

void GA_Scale_cols(int g_a, int g_v)
{
  (void)CWI_GA_WAITS(scale_slices(g_a, 1, g_v));
}

CWI_GA_NGA(Randomize);
CWI_GA_NGA(Rand);
