/* Copies and accumulates of planes, compiled for several processors. */
#include "transfer/kernels.h"

#include "base/clones.h"
#include "base/copy.h"

#include <string.h>

#define INTEGERS_BY_WIDTH                                                                          \
  [CW_INT8] = 1, [CW_UINT8] = 1, [CW_INT16] = 2, [CW_UINT16] = 2, [CW_INT32] = 4, [CW_UINT32] = 4, \
  [CW_INT64] = 8, [CW_UINT64] = 8

const size_t cwi_type_bytes[CWI_TYPES] = {sizeof(int),       sizeof(long),      sizeof(float),
                                          sizeof(double),    2 * sizeof(float), 2 * sizeof(double),
                                          sizeof(long long), INTEGERS_BY_WIDTH};
const size_t cwi_type_atom[CWI_TYPES] = {sizeof(int),       sizeof(long),     sizeof(float),
                                         sizeof(double),    sizeof(float),    sizeof(double),
                                         sizeof(long long), INTEGERS_BY_WIDTH};
const char *const cwi_type_names[CWI_TYPES] = {"int",
                                               "long",
                                               "float",
                                               "double",
                                               "float complex",
                                               "double complex",
                                               "long long",
                                               [CW_INT8] = "8-bit integer",
                                               [CW_UINT8] = "unsigned 8-bit integer",
                                               [CW_INT16] = "16-bit integer",
                                               [CW_UINT16] = "unsigned 16-bit integer",
                                               [CW_INT32] = "32-bit integer",
                                               [CW_UINT32] = "unsigned 32-bit integer",
                                               [CW_INT64] = "64-bit integer",
                                               [CW_UINT64] = "unsigned 64-bit integer"};

/* A constant run turns memmove into one load and one store. */
#define COPY_ROWS(bytes)                                                                           \
  for (; rows > 0; rows--, to += to_stride, from += from_stride)                                   \
  memmove(to, from, bytes)

void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows)
{
  switch (run) {
  case 4:
    COPY_ROWS(4);
    return;
  case 8:
    COPY_ROWS(8);
    return;
  case 16:
    COPY_ROWS(16);
    return;
  case 32:
    COPY_ROWS(32);
    return;
  case 64:
    COPY_ROWS(64);
    return;
  default:
    for (; rows > 0; rows--, to += to_stride, from += from_stride)
      cwi_copy(to, from, run);
  }
}

void cwi_pack_local(const struct cwi_shape *shape, char *buffer)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    cwi_copy_rows(buffer, (ptrdiff_t)plane.run, plane.local, plane.local_stride, plane.run,
                  plane.rows);
    buffer += plane.run * plane.rows;
  }
}

void cwi_unpack_local(const struct cwi_shape *shape, const char *buffer)
{
  struct cwi_planes planes = cwi_planes(shape);
  struct cwi_plane plane;
  while (cwi_planes_next(&planes, &plane)) {
    cwi_copy_rows(plane.local, plane.local_stride, buffer, (ptrdiff_t)plane.run, plane.run,
                  plane.rows);
    buffer += plane.run * plane.rows;
  }
}

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
