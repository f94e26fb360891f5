/* Reductions: most are updates of numbers that each member prepares. */
#include "base/clones.h"
#include "number/operation.h"
#include "number/reduction.h"
#include "number/update.h"

#include <math.h>

/* Nothing is assumed about alignment, as in kernels_accumulate.c. The least integer has no absolute
 * value, and wraps. */
#define PREPARE(name, type, result)                                                                \
  CWI_CLONES static void name(void *numbers, size_t count)                                         \
  {                                                                                                \
    typedef type any __attribute__((aligned(1), may_alias));                                       \
    any *x = numbers;                                                                              \
    for (size_t i = 0; i < count; i++)                                                             \
      x[i] = result;                                                                               \
  }

PREPARE(absolute_int, int, x[i] < 0 ? (int)(0U - (unsigned)x[i]) : x[i])
PREPARE(absolute_long, long, x[i] < 0 ? (long)(0UL - (unsigned long)x[i]) : x[i])
PREPARE(absolute_float, float, fabsf(x[i]))
PREPARE(absolute_double, double, fabs(x[i]))
PREPARE(truth_int, int, x[i] != 0)
PREPARE(truth_long, long, x[i] != 0)

_Static_assert(sizeof(long long) == sizeof(long), "what serves long serves long long");

enum preparation { NOTHING, ABSOLUTE, TRUTH, PREPARATIONS };
static void (*const preparations[CW_TYPES][PREPARATIONS])(void *numbers, size_t count) = {
    [CW_INT] = {NULL, absolute_int, truth_int},
    [CW_LONG] = {NULL, absolute_long, truth_long},
    [CW_LONG_LONG] = {NULL, absolute_long, truth_long},
    [CW_FLOAT] = {NULL, absolute_float, NULL},
    [CW_DOUBLE] = {NULL, absolute_double, NULL}};

static const struct {
  enum preparation prepare;
  cw_reduction update;
} reductions[CW_REDUCTIONS] = {[CW_SUM] = {NOTHING, CW_SUM},
                               [CW_PRODUCT] = {NOTHING, CW_PRODUCT},
                               [CW_MINIMUM] = {NOTHING, CW_MINIMUM},
                               [CW_MAXIMUM] = {NOTHING, CW_MAXIMUM},
                               [CW_ABSOLUTE_MINIMUM] = {ABSOLUTE, CW_MINIMUM},
                               [CW_ABSOLUTE_MAXIMUM] = {ABSOLUTE, CW_MAXIMUM},
                               [CW_LOGICAL_AND] = {TRUTH, CW_BIT_AND},
                               [CW_LOGICAL_OR] = {TRUTH, CW_BIT_OR},
                               [CW_BIT_AND] = {NOTHING, CW_BIT_AND},
                               [CW_BIT_OR] = {NOTHING, CW_BIT_OR},
                               [CW_BIT_XOR] = {NOTHING, CW_BIT_XOR}};

cw_error cwi_reduction_find(cw_type given, cw_reduction reduction, struct cwi_reduction *found)
{
  const cw_type type = cwi_arithmetic_type(given);
  if ((unsigned)type >= CW_TYPES)
    return cwi_misuse("type is %d; it may be CW_INT (0) to CW_LONG_LONG (%d), CW_INT32 (%d) or "
                      "CW_INT64 (%d)",
                      (int)type, CW_TYPES - 1, CW_INT32, CW_INT64);
  if ((unsigned)reduction >= CW_REDUCTIONS)
    return cwi_misuse("reduction is %d; it may be 0 (CW_SUM) to %d (CW_BIT_XOR)", (int)reduction,
                      CW_REDUCTIONS - 1);
  const enum preparation prepare = reductions[reduction].prepare;
  const cw_reduction update = reductions[reduction].update;
  if (!cwi_update_is_defined((int)update, type) ||
      (prepare != NOTHING && preparations[type][prepare] == NULL))
    return cwi_misuse("reduction is %s (%d), which is not defined for %s",
                      cwi_operation_word((int)reduction), (int)reduction, cwi_type_word(type));
  *found = (struct cwi_reduction){.element = cwi_type_bytes[type],
                                  .combine = cwi_update_kernel(update, type, false),
                                  .prepare = preparations[type][prepare],
                                  .type = type,
                                  .update = update};
  return CW_OK;
}
