/* A binding that passes on the wrong arguments, to prove that the tests of the GA interface notice:
 * linked with --wrap for each function below. CW_TEST_MUTANT names the mistakes. */
#include <causeway.h>
#include <causeway/arithmetic.h>
#include <causeway/array.h>
#include <causeway/linear.h>

#include <ga.h>

#include <stdlib.h>
#include <string.h>

static bool wrong(const char *mistake)
{
  const char *mistakes = getenv("CW_TEST_MUTANT");
  return mistakes != NULL && strstr(mistakes, mistake) != NULL;
}

/* Declares the wrapper of `name` and the original function. */
#define WRAP(type, name, parameters)                                                               \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters

/* --- Patches ---------------------------------------------------------------------------------- */

/* bound: the last index of the last dimension is treated as exclusive. */
static const int64_t *end_of(cw_array array, const int64_t *lo, const int64_t *hi, int64_t *less)
{
  cw_array_description what;
  if (!wrong("bound") || cw_array_describe(array, &what) != CW_OK)
    return hi;
  memcpy(less, hi, (size_t)what.dimensions * sizeof *less);
  less[what.dimensions - 1] -= hi[what.dimensions - 1] > lo[what.dimensions - 1];
  return less;
}

/* order: the leading dimensions are replaced by those of the patch. */
static const int64_t *ld_of(const int64_t *ld)
{
  return wrong("order") ? NULL : ld;
}

static const void *alpha_of(const void *alpha)
{
  return wrong("alpha") ? NULL : alpha;
}

WRAP(cw_error, cw_array_put,
     (cw_array array, const int64_t *lo, const int64_t *hi, const void *buffer, const int64_t *ld))
{
  int64_t less[CW_MAX_DIMENSIONS];
  return __real_cw_array_put(array, lo, end_of(array, lo, hi, less), buffer, ld_of(ld));
}

WRAP(cw_error, cw_array_get,
     (cw_array array, const int64_t *lo, const int64_t *hi, void *buffer, const int64_t *ld))
{
  return __real_cw_array_get(array, lo, hi, buffer, ld_of(ld));
}

WRAP(cw_error, cw_array_accumulate,
     (cw_array array, const int64_t *lo, const int64_t *hi, const void *buffer, const int64_t *ld,
      const void *scale))
{
  return __real_cw_array_accumulate(array, lo, hi, buffer, ld, alpha_of(scale));
}

WRAP(cw_error, cw_array_start, (cw_array array, const cw_patch *patch, cw_handle *handle))
{
  int64_t less[CW_MAX_DIMENSIONS];
  cw_patch other = *patch;
  other.hi = end_of(array, patch->lo, patch->hi, less);
  other.ld = ld_of(patch->ld);
  return __real_cw_array_start(array, &other, handle);
}

/* wide: the call with int64_t indices differs from that with int. */
WRAP(void, NGA_Put64, (int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]))
{
  if (wrong("wide"))
    NGA_Get64(g_a, lo, hi, buf, ld);
  else
    __real_NGA_Put64(g_a, lo, hi, buf, ld);
}

/* --- Lists ------------------------------------------------------------------------------------ */

/* count: the last element is left out. */
WRAP(cw_error, cw_array_gather,
     (cw_array array, size_t count, const int64_t *indices, void *values))
{
  return __real_cw_array_gather(array, wrong("count") && count > 0 ? count - 1 : count, indices,
                                values);
}

WRAP(cw_error, cw_array_read_increment,
     (cw_array array, const int64_t *index, int64_t increment, int64_t *before))
{
  return __real_cw_array_read_increment(array, index, wrong("step") ? 1 : increment, before);
}

/* --- Whole arrays and matrices ---------------------------------------------------------------- */

WRAP(cw_error, cw_array_copy, (const cw_operand *from, const cw_operand *to))
{
  cw_operand straight = *from;
  straight.transposed = from->transposed && !wrong("transposed");
  return __real_cw_array_copy(&straight, to);
}

WRAP(cw_error, cw_array_combine,
     (cw_binary function, const void *alpha, const cw_operand *a, const void *beta,
      const cw_operand *b, const cw_operand *c))
{
  return __real_cw_array_combine(function, alpha_of(alpha), a, beta, b, c);
}

WRAP(cw_error, cw_array_multiply,
     (cw_transposition ta, cw_transposition tb, const void *alpha, const cw_operand *a,
      const cw_operand *b, const void *beta, const cw_operand *c))
{
  return __real_cw_array_multiply(ta, tb, alpha_of(alpha), a, b, wrong("beta") ? NULL : beta, c);
}

WRAP(cw_error, cw_array_solve, (cw_transposition op, cw_array a, cw_array b, int64_t *pivot))
{
  const cw_transposition other = op == CW_NOT_TRANSPOSED ? CW_TRANSPOSED : CW_NOT_TRANSPOSED;
  return __real_cw_array_solve(wrong("transposed") ? other : op, a, b, pivot);
}

WRAP(cw_error, cw_array_eigen, (cw_array a, cw_array s, cw_array v, void *w))
{
  return __real_cw_array_eigen(a, wrong("metric") ? NULL : s, v, w);
}

WRAP(cw_error, cw_array_update_ghosts, (cw_array array, bool corners))
{
  return __real_cw_array_update_ghosts(array, corners && !wrong("corners"));
}
