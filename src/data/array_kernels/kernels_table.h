/* Kernels: what happens to rows of elements. One table by what is done and by type.
 *
 * kernels_flags.c     their loops over elements with flags
 * kernels_elements.c  loops that move elements; kernels_of_element.inc has those of one size
 * kernels_numbers.c   loops that calculate; kernels_of_number.inc has those of one type, and
 *                     integer.inc, floating.inc, ordered.inc and complex.inc its arithmetic
 * element_loop.c      loops over spaces of arrays, for all operations */
#ifndef CWI_ARRAY_KERNELS_KERNELS_TABLE_H
#define CWI_ARRAY_KERNELS_KERNELS_TABLE_H

#include "array_kernels/element_loop.h"
#include "number/number_kernels.h"

#include <stdbool.h>

/* What the kernels of one operation share: constants, and what they find. */
struct cwi_working {
  size_t element;    /* bytes */
  const void *value; /* fill: one element; NULL: zero bytes */
  union cwi_scalar alpha, beta;
  bool plain;     /* complex numbers: alpha and beta are real */
  uint64_t seed;  /* random numbers */
  bool limited;   /* by alpha */
  bool greatest;  /* select: or the least */
  bool bounded;   /* step: channels 2 and 3 are bounds; alpha: what is endless, as in `sum` */
  size_t zeros;   /* divisors that are 0 */
  size_t outside; /* step: elements that are not within their bounds */
  bool rests;     /* step: some element lies on a bound, and v is 0: it is in no step of `sum` */
  bool found;     /* select: an element; its place, and what is compared */
  union cwi_scalar best;
  double best_key;
  int64_t best_index;
  union {
    uint64_t whole;   /* sums of integers, which wrap */
    double real[2];   /* of all others, and norms; the least and the greatest step */
    int64_t steps[2]; /* the same of integers */
  } sum;
};

/* Elements of any size. Channels: the target; of a copy then the source. */
void cwi_kernel_fill(const struct cwi_rows *rows, struct cwi_working *working);
void cwi_kernel_copy(const struct cwi_rows *rows, struct cwi_working *working);

/* What is done with numbers. x, y, z: the elements of the channels; where there is one operand it
 * is the target itself. */
enum cwi_arithmetic {
  CWI_SCALE,        /* channel 0 = alpha * channel 0 */
  CWI_ADD_CONSTANT, /* + alpha */
  CWI_ADD,          /* + channel 1 */
  CWI_ABSOLUTE,
  CWI_RECIPROCAL,
  CWI_CONJUGATE,
  CWI_ELEMENT_SUM, /* channel 0 = alpha * channel 1 + beta * channel 2 */
  CWI_ELEMENT_PRODUCT,
  CWI_ELEMENT_QUOTIENT,
  CWI_ELEMENT_MAXIMUM,
  CWI_ELEMENT_MINIMUM,
  CWI_MEDIAN, /* the middle one of channels 1 to 3 */
  CWI_MEAN,   /* channels 0 and 1: both alpha * their sum, where the index is above 0 */
  CWI_RANDOM,
  CWI_ENUMERATE, /* alpha + beta * index */
  CWI_DOT,       /* sum of channel 0 * channel 1 */
  CWI_NORM_SUM,
  CWI_NORM_SQUARES,
  CWI_NORM_SCALED, /* squares of elements that are taken so many times as the double alpha says */
  CWI_NORM_MAXIMUM,
  CWI_SELECT,
  CWI_STEP, /* from channel 0 by channel 1; not of complex numbers */
  CWI_DEEDS
};
extern const cwi_rows_kernel *const cwi_kernels[CW_TYPES]; /* [type][deed] */

/* Running sums over a row: begin again where flags are not 0. */
struct cwi_running {
  union cwi_scalar sum;
  bool begun, exclusive;
};
typedef void (*cwi_running_kernel)(const void *from, const unsigned char *flags, void *to,
                                   size_t count, struct cwi_running *running);
extern const cwi_running_kernel cwi_running_kernels[CW_TYPES];
#endif
