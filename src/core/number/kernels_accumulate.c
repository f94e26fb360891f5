/* Sums of scaled numbers, compiled for several processors. */
#include "number/kernels.h"

#include "base/clones.h"

#include <string.h>

/* Programs hand over addresses inside byte buffers: nothing is assumed about alignment, which costs
 * nothing where the processor has unaligned loads. Unsigned integers wrap, as the contract says. */
typedef unsigned int any_int __attribute__((aligned(1), may_alias));
typedef unsigned long any_long __attribute__((aligned(1), may_alias));
typedef float any_float __attribute__((aligned(1), may_alias));
typedef double any_double __attribute__((aligned(1), may_alias));

/* Rows of `many` numbers; the inner loop is what the compiler vectorises. */
#define ROWS_OF(many, type, step, body)                                                            \
  for (; rows > 0; rows--, to += to_stride, from += from_stride) {                                 \
    any_##type *y = (any_##type *)to;                                                              \
    const any_##type *x = (const any_##type *)from;                                                \
    for (size_t i = 0; i < (many); i += (step))                                                    \
      body;                                                                                        \
  }

/* Rows of one element and of two have no inner loop. */
#define ROW_LOOPS(type, step, body)                                                                \
  if (count == (step)) {                                                                           \
    ROWS_OF(step, type, step, body)                                                                \
  } else if (count == 2 * (step)) {                                                                \
    ROWS_OF(2 * (step), type, step, body)                                                          \
  } else {                                                                                         \
    ROWS_OF(count, type, step, body)                                                               \
  }

#define ACCUMULATE_KERNEL(name, type, step, constants, body)                                       \
  CWI_CLONES static void name(char *to, ptrdiff_t to_stride, const char *from,                     \
                              ptrdiff_t from_stride, size_t run, size_t rows,                      \
                              const union cwi_scalar *scale)                                       \
  {                                                                                                \
    const size_t count = run / sizeof(any_##type);                                                 \
    constants;                                                                                     \
    ROW_LOOPS(type, step, body)                                                                    \
  }

#define SCALE_KERNEL(name, type, step, constants, body)                                            \
  static void name(char *to, const char *from, size_t bytes, const union cwi_scalar *scale)        \
  {                                                                                                \
    any_##type *y = (any_##type *)to;                                                              \
    const any_##type *x = (const any_##type *)from;                                                \
    const size_t count = bytes / sizeof *y;                                                        \
    constants;                                                                                     \
    for (size_t i = 0; i < count; i += (step))                                                     \
      body;                                                                                        \
  }

#define REAL_KERNELS(name, type, factor)                                                           \
  ACCUMULATE_KERNEL(add_##name, type, 1, (void)scale, y[i] += x[i])                                \
  ACCUMULATE_KERNEL(add_scaled_##name, type, 1, const any_##type a = (any_##type)(factor),         \
                    y[i] += a * x[i])                                                              \
  SCALE_KERNEL(scale_##name, type, 1, const any_##type a = (any_##type)(factor), y[i] = a * x[i])

#define PARTS(type, factor)                                                                        \
  const any_##type re = (factor)[0];                                                               \
  const any_##type im = (factor)[1]

#define COMPLEX_KERNELS(name, type, factor)                                                        \
  ACCUMULATE_KERNEL(add_scaled_##name, type, 2, PARTS(type, factor), {                             \
    const any_##type xr = x[i];                                                                    \
    const any_##type xi = x[i + 1];                                                                \
    y[i] += re * xr - im * xi;                                                                     \
    y[i + 1] += re * xi + im * xr;                                                                 \
  })                                                                                               \
  SCALE_KERNEL(scale_##name, type, 2, PARTS(type, factor), {                                       \
    const any_##type xr = x[i];                                                                    \
    const any_##type xi = x[i + 1];                                                                \
    y[i] = re * xr - im * xi;                                                                      \
    y[i + 1] = re * xi + im * xr;                                                                  \
  })

_Static_assert(sizeof(long long) == sizeof(long), "the kernels of long serve long long");

REAL_KERNELS(int, int, scale->i)
REAL_KERNELS(long, long, scale->l)
REAL_KERNELS(float, float, scale->f[0])
REAL_KERNELS(double, double, scale->d[0])
COMPLEX_KERNELS(float_complex, float, scale->f)
COMPLEX_KERNELS(double_complex, double, scale->d)

const cwi_accumulate_kernel cwi_accumulate_kernels[CW_TYPES][2] = {
    {add_int, add_scaled_int},
    {add_long, add_scaled_long},
    {add_float, add_scaled_float},
    {add_double, add_scaled_double},
    {add_float, add_scaled_float_complex},
    {add_double, add_scaled_double_complex},
    {add_long, add_scaled_long}};

const cwi_scale_kernel cwi_scale_kernels[CW_TYPES] = {
    scale_int,           scale_long,           scale_float, scale_double,
    scale_float_complex, scale_double_complex, scale_long};

bool cwi_scale_read(cw_type type, const void *scale, union cwi_scalar *value)
{
  memset(value, 0, sizeof *value);
  if (scale == NULL)
    return false;
  memcpy(value, scale, cwi_type_bytes[type]);
  switch (type) {
  case CW_INT:
    return value->i != 1;
  case CW_LONG:
    return value->l != 1;
  case CW_LONG_LONG:
    return value->ll != 1;
  case CW_FLOAT:
  case CW_FLOAT_COMPLEX:
    return !(fabsf(value->f[0] - 1.0F) <= FLT_EPSILON) || value->f[1] != 0.0F;
  default:
    return !cwi_is_one(value->d[0]) || value->d[1] != 0.0;
  }
}
