/* Loops over the elements of sparse arrays, for each type of numbers. */
#include "ga/sparse/kernels.h"

#include "number/number_kernels.h"

#include <stdio.h>

/* Real numbers and integers. The arithmetic on integers is unsigned, so that sums wrap around. */
#define ADD_PRODUCT(sum, a, b) (sum) += (a) * (b)
#define MULTIPLY(a, b) (a) *= (b)
#define IS_ZERO(a) ((a) == 0)
#define SET(a, number) (a) = (number)
#define FIELD "real"

#define TYPE double
#define ELEMENT double
#define PRINT(text, size, a) snprintf(text, size, "%.17g", a)
#include "of_type.inc"

#define TYPE float
#define ELEMENT float
#define PRINT(text, size, a) snprintf(text, size, "%.9g", (double)(a))
#include "of_type.inc"

#undef SET
#undef FIELD
#define FIELD "integer"

#define SET(a, number) (a) = (unsigned)(number)
#define TYPE int
#define ELEMENT unsigned
#define PRINT(text, size, a) snprintf(text, size, "%d", (int)(a))
#include "of_type.inc"

#undef SET
#define SET(a, number) (a) = (unsigned long)(long)(number)
#define TYPE long
#define ELEMENT unsigned long
#define PRINT(text, size, a) snprintf(text, size, "%ld", (long)(a))
#include "of_type.inc"

/* Complex numbers. */
#undef ADD_PRODUCT
#undef MULTIPLY
#undef IS_ZERO
#undef SET
#undef FIELD
#define ADD_PRODUCT(sum, a, b)                                                                     \
  ((sum).real += (a).real * (b).real - (a).imag * (b).imag,                                        \
   (sum).imag += (a).real * (b).imag + (a).imag * (b).real)
#define MULTIPLY(a, b)                                                                             \
  do {                                                                                             \
    const __typeof__(a) from = (a);                                                                \
    (a).real = from.real * (b).real - from.imag * (b).imag;                                        \
    (a).imag = from.real * (b).imag + from.imag * (b).real;                                        \
  } while (0)
#define IS_ZERO(a) ((a).real == 0 && (a).imag == 0)
#define SET(a, number) ((a).real = (number), (a).imag = 0)
#define FIELD "complex"

struct double_complex {
  double real, imag;
};

struct float_complex {
  float real, imag;
};

#define TYPE double_complex
#define ELEMENT struct double_complex
#define PRINT(text, size, a) snprintf(text, size, "%.17g %.17g", (a).real, (a).imag)
#include "of_type.inc"

#define TYPE float_complex
#define ELEMENT struct float_complex
#define PRINT(text, size, a) snprintf(text, size, "%.9g %.9g", (double)(a).real, (double)(a).imag)
#include "of_type.inc"

_Static_assert(sizeof(long) == sizeof(long long), "LP64");

const struct cwi_sparse_kernels *cwi_sparse_kernels(cw_type type)
{
  switch (type) {
  case CW_INT:
    return &kernels_int;
  case CW_LONG:
  case CW_LONG_LONG:
    return &kernels_long;
  case CW_FLOAT:
    return &kernels_float;
  case CW_DOUBLE:
    return &kernels_double;
  case CW_FLOAT_COMPLEX:
    return &kernels_float_complex;
  case CW_DOUBLE_COMPLEX:
    return &kernels_double_complex;
  default:
    return NULL;
  }
}
