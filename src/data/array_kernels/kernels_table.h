/* Kernels: operations on rows of elements, in a table by operation and type.
 *
 * kernels_flags.c     loops over elements with flags
 * kernels_elements.c  loops that move elements; kernels_of_element.inc has those of one size
 * kernels_numbers.c   loops that calculate; kernels_of_number.inc has those of one type
 * element_loop.c      loops over iteration spaces of arrays, for all operations
 *
 * The arithmetic of each kind of type is in integer.inc, floating.inc, ordered.inc and
 * complex.inc. */
#pragma once

#include "array_kernels/element_loop.h"
#include "number/number_kernels.h"

#include <stdbool.h>

/* Constants and results that the kernels of one operation share. */
struct cwi_working {
  size_t element;    /* bytes */
  const void *value; /* fill: one element, or NULL for zero bytes */
  union cwi_scalar alpha, beta;
  bool plain;     /* complex numbers: alpha and beta are real */
  uint64_t seed;  /* for random numbers */
  bool limited;   /* random numbers are limited by alpha */
  bool greatest;  /* select: the greatest element, otherwise the least */
  bool bounded;   /* step: channels 2 and 3 are bounds; in any case alpha is the value of an
                     unlimited step */
  size_t zeros;   /* number of divisors that are 0 */
  size_t outside; /* step: number of elements that are not within their bounds */
  bool rests; /* step: true if an element lies on a bound and its v (channel 1) is 0; the least and
                 greatest step in `sum` leave such elements out */
  bool found; /* select: an element was found; the following are its value, its key and its index */
  union cwi_scalar best;
  double best_key;
  int64_t best_index;
  union {
    uint64_t whole;   /* sums of integers, which wrap around */
    double real[2];   /* sums of other types, and norms; the least and the greatest step */
    int64_t steps[2]; /* the least and the greatest step of integers */
  } sum;
};

/* Kernels for elements of any size. Channel 0 is the target; channel 1 is the source of a copy. */
void cwi_kernel_fill(const struct cwi_rows *rows, struct cwi_working *working);
void cwi_kernel_copy(const struct cwi_rows *rows, struct cwi_working *working);

/* Operations on numbers. If an operation has only one operand, this is channel 0, the target
 * itself. */
enum cwi_arithmetic {
  CWI_SCALE,        /* channel 0 = alpha * channel 0 */
  CWI_ADD_CONSTANT, /* channel 0 += alpha */
  CWI_ADD,          /* channel 0 += channel 1 */
  CWI_ABSOLUTE,
  CWI_RECIPROCAL,
  CWI_CONJUGATE,
  CWI_ELEMENT_SUM, /* channel 0 = alpha * channel 1 + beta * channel 2 */
  CWI_ELEMENT_PRODUCT,
  CWI_ELEMENT_QUOTIENT,
  CWI_ELEMENT_MAXIMUM,
  CWI_ELEMENT_MINIMUM,
  CWI_MEDIAN, /* channel 0 = the middle one of channels 1 to 3 */
  CWI_MEAN,   /* channels 0 and 1 = alpha * their sum, where the index is above 0 */
  CWI_RANDOM,
  CWI_ENUMERATE, /* channel 0 = alpha + beta * index */
  CWI_DOT,       /* sum of channel 0 * channel 1 */
  CWI_NORM_SUM,
  CWI_NORM_SQUARES,
  CWI_NORM_SCALED, /* sum of squares of elements multiplied by the double alpha */
  CWI_NORM_MAXIMUM,
  CWI_SELECT,
  CWI_STEP, /* steps from channel 0 along channel 1; not for complex numbers */
  CWI_ARITHMETIC_KINDS
};

/* State of running sums over a row. The sum begins again at each flag that is not 0. */
struct cwi_running {
  union cwi_scalar sum;
  bool begun, exclusive;
};
typedef void (*cwi_running_kernel)(const void *from, const unsigned char *flags, void *to,
                                   size_t count, struct cwi_running *running);

/* Kernels of a type. */
struct cwi_number_kernels {
  cwi_rows_kernel rows[CWI_ARITHMETIC_KINDS]; /* [operation] */
  cwi_running_kernel running;
  /* sets a flag for each number: 0 if it is 0, otherwise 1 */
  void (*flags)(const void *numbers, unsigned char *flags, size_t count);
};
extern const struct cwi_number_kernels *const cwi_kernels[CW_TYPES];
