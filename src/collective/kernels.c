/* Inner loops of reductions, compiled for several processors, and the table that chooses one. */
#include "collective/kernels.h"

#include "base/clones.h"
#include "transfer/kernels_update.h"
#include "transfer/operators.h"

#include <math.h>

/* Nothing is assumed about alignment, as in src/transfer/kernels.c. Unsigned integers wrap. */
typedef int any_int __attribute__((aligned(1), may_alias));
typedef long any_long __attribute__((aligned(1), may_alias));
typedef unsigned int any_unsigned_int __attribute__((aligned(1), may_alias));
typedef unsigned long any_unsigned_long __attribute__((aligned(1), may_alias));
typedef float any_float __attribute__((aligned(1), may_alias));
typedef double any_double __attribute__((aligned(1), may_alias));

/* `result` of a = to[i] and b = from[i]. */
#define COMBINE(name, type, numbers, result)                                                       \
  CWI_CLONES static void name(void *to, const void *from, size_t count)                            \
  {                                                                                                \
    any_##type *restrict y = to;                                                                   \
    const any_##type *restrict x = from;                                                           \
    for (size_t i = 0; i < count * (numbers); i++) {                                               \
      const any_##type a = y[i], b = x[i];                                                         \
      y[i] = (result);                                                                             \
    }                                                                                              \
  }

#define EXTREMES(name, type)                                                                       \
  COMBINE(min_##name, type, 1, CWI_MINIMUM_OF(a, b))                                               \
  COMBINE(max_##name, type, 1, CWI_MAXIMUM_OF(a, b))

#define INTEGERS(name, type)                                                                       \
  COMBINE(add_##name, unsigned_##type, 1, a + b)                                                   \
  COMBINE(multiply_##name, unsigned_##type, 1, a *b)                                               \
  EXTREMES(name, type)                                                                             \
  COMBINE(and_##name, type, 1, a &b)                                                               \
  COMBINE(or_##name, type, 1, a | b)                                                               \
  COMBINE(xor_##name, type, 1, a ^ b)                                                              \
  static void absolute_##name(void *numbers, size_t count)                                         \
  {                                                                                                \
    any_unsigned_##type *x = numbers;                                                              \
    for (size_t i = 0; i < count; i++)                                                             \
      x[i] = ((any_##type *)numbers)[i] < 0 ? -x[i] : x[i];                                        \
  }                                                                                                \
  static void truth_##name(void *numbers, size_t count)                                            \
  {                                                                                                \
    any_##type *x = numbers;                                                                       \
    for (size_t i = 0; i < count; i++)                                                             \
      x[i] = x[i] != 0;                                                                            \
  }

/* With zeros of both signs, and with numbers that are none, it matters which comes first. */
#define REALS(name, absolute)                                                                      \
  COMBINE(add_##name, name, 1, a + b)                                                              \
  COMBINE(add_##name##_complex, name, 2, a + b)                                                    \
  COMBINE(multiply_##name, name, 1, a *b)                                                          \
  EXTREMES(name, name)                                                                             \
  COMBINE(min_after_##name, name, 1, CWI_MINIMUM_OF(b, a))                                         \
  COMBINE(max_after_##name, name, 1, CWI_MAXIMUM_OF(b, a))                                         \
  CWI_CLONES static void multiply_##name##_complex(void *to, const void *from, size_t count)       \
  {                                                                                                \
    any_##name *restrict y = to;                                                                   \
    const any_##name *restrict x = from;                                                           \
    for (size_t i = 0; i < 2 * count; i += 2) {                                                    \
      const any_##name re = y[i], im = y[i + 1];                                                   \
      y[i] = CWI_REAL_OF_PRODUCT(re, im, x[i], x[i + 1]);                                          \
      y[i + 1] = CWI_IMAGINARY_OF_PRODUCT(re, im, x[i], x[i + 1]);                                 \
    }                                                                                              \
  }                                                                                                \
  static void absolute_##name(void *numbers, size_t count)                                         \
  {                                                                                                \
    any_##name *x = numbers;                                                                       \
    for (size_t i = 0; i < count; i++)                                                             \
      x[i] = absolute(x[i]);                                                                       \
  }

_Static_assert(sizeof(long long) == sizeof(long), "the kernels of long serve long long");

INTEGERS(int, int)
INTEGERS(long, long)
REALS(float, fabsf)
REALS(double, fabs)

enum combination { ADD, MULTIPLY, MIN, MAX, AND, OR, XOR, MIN_AFTER, MAX_AFTER, COMBINATIONS };
enum preparation { NOTHING, ABSOLUTE, TRUTH, PREPARATIONS };

struct kernels {
  cwi_combine_kernel combine[COMBINATIONS];
  void (*prepare[PREPARATIONS])(void *numbers, size_t count);
};

#define INTEGER_KERNELS(name)                                                                      \
  {                                                                                                \
    {[ADD] = add_##name, [MULTIPLY] = multiply_##name, [MIN] = min_##name,                         \
     [MAX] = max_##name, [AND] = and_##name,           [OR] = or_##name,                           \
     [XOR] = xor_##name, [MIN_AFTER] = min_##name,     [MAX_AFTER] = max_##name},                  \
    {                                                                                              \
      [ABSOLUTE] = absolute_##name, [TRUTH] = truth_##name                                         \
    }                                                                                              \
  }
#define REAL_KERNELS(name)                                                                         \
  {                                                                                                \
    {[ADD] = add_##name, [MULTIPLY] = multiply_##name,   [MIN] = min_##name,                       \
     [MAX] = max_##name, [MIN_AFTER] = min_after_##name, [MAX_AFTER] = max_after_##name},          \
    {                                                                                              \
      [ABSOLUTE] = absolute_##name                                                                 \
    }                                                                                              \
  }
#define COMPLEX_KERNELS(name)                                                                      \
  {                                                                                                \
    {[ADD] = add_##name##_complex, [MULTIPLY] = multiply_##name##_complex},                        \
    {                                                                                              \
      NULL                                                                                         \
    }                                                                                              \
  }

static const struct kernels kernels[CW_TYPES] = {[CW_INT] = INTEGER_KERNELS(int),
                                                 [CW_LONG] = INTEGER_KERNELS(long),
                                                 [CW_LONG_LONG] = INTEGER_KERNELS(long),
                                                 [CW_FLOAT] = REAL_KERNELS(float),
                                                 [CW_DOUBLE] = REAL_KERNELS(double),
                                                 [CW_FLOAT_COMPLEX] = COMPLEX_KERNELS(float),
                                                 [CW_DOUBLE_COMPLEX] = COMPLEX_KERNELS(double)};

/* Of numbers that are prepared. */
static const struct {
  enum preparation prepare;
  enum combination combine, after;
} reductions[CW_REDUCTIONS] = {[CW_SUM] = {NOTHING, ADD, ADD},
                               [CW_PRODUCT] = {NOTHING, MULTIPLY, MULTIPLY},
                               [CW_MINIMUM] = {NOTHING, MIN, MIN_AFTER},
                               [CW_MAXIMUM] = {NOTHING, MAX, MAX_AFTER},
                               [CW_ABSOLUTE_MINIMUM] = {ABSOLUTE, MIN, MIN_AFTER},
                               [CW_ABSOLUTE_MAXIMUM] = {ABSOLUTE, MAX, MAX_AFTER},
                               [CW_LOGICAL_AND] = {TRUTH, AND, AND},
                               [CW_LOGICAL_OR] = {TRUTH, OR, OR},
                               [CW_BIT_AND] = {NOTHING, AND, AND},
                               [CW_BIT_OR] = {NOTHING, OR, OR},
                               [CW_BIT_XOR] = {NOTHING, XOR, XOR}};

cw_error cwi_reduction_find(cw_type given, cw_reduction reduction, struct cwi_reduction *found)
{
  const cw_type type = cwi_arithmetic_type(given);
  /* Open MPI's are no constant expressions. */
  const MPI_Datatype types[CW_TYPES] = {[CW_INT] = MPI_INT,
                                        [CW_LONG] = MPI_LONG,
                                        [CW_LONG_LONG] = MPI_LONG_LONG,
                                        [CW_FLOAT] = MPI_FLOAT,
                                        [CW_DOUBLE] = MPI_DOUBLE,
                                        [CW_FLOAT_COMPLEX] = MPI_C_FLOAT_COMPLEX,
                                        [CW_DOUBLE_COMPLEX] = MPI_C_DOUBLE_COMPLEX};
  const MPI_Op ops[MIN_AFTER] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR};
  if ((unsigned)type >= CW_TYPES)
    return cwi_misuse("type is %d; it may be 0 (int) to %d (long long), %d (32-bit integer) or %d "
                      "(64-bit integer)",
                      (int)type, CW_TYPES - 1, CW_INT32, CW_INT64);
  if ((unsigned)reduction >= CW_REDUCTIONS)
    return cwi_misuse("reduction is %d; it may be 0 (CW_SUM) to %d (CW_BIT_XOR)", (int)reduction,
                      CW_REDUCTIONS - 1);
  const enum combination combine = reductions[reduction].combine;
  const enum preparation prepare = reductions[reduction].prepare;
  *found =
      (struct cwi_reduction){.element = cwi_type_bytes[type],
                             .combine = kernels[type].combine[combine],
                             .combine_after = kernels[type].combine[reductions[reduction].after],
                             .prepare = kernels[type].prepare[prepare],
                             .mpi_type = types[type],
                             .mpi_op = ops[combine]};
  if (found->combine == NULL || (prepare != NOTHING && found->prepare == NULL))
    return cwi_misuse("reduction is %s (%d), which is not defined for %s",
                      cwi_update_names[reduction], (int)reduction, cwi_type_names[type]);
  return CW_OK;
}
