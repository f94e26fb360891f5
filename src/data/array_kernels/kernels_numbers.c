/* Kernels that calculate, for each type: element by element, and sums over elements. The included
 * files are compiled once per type. */
#include "array_kernels/kernels_table.h"

#include "array_kernels/kernels_flags.h"
#include "machine/clones.h"
#include "number/random.h"

#include <math.h>
#include <string.h>

/* Number types of the tables. */
typedef int i32 __attribute__((may_alias));
typedef long i64 __attribute__((may_alias));
typedef float f32 __attribute__((may_alias));
typedef double f64 __attribute__((may_alias));
typedef struct c32 {
  float re, im;
} __attribute__((may_alias)) c32;
typedef struct c64 {
  double re, im;
} __attribute__((may_alias)) c64;

/* Copies the rows of a kernel to local variables, which its stores cannot change. Otherwise the
 * compiler would load them again after each store and would not vectorise. */
#define ROWS_OF(given) const struct cwi_rows own_rows = *(given), *const rows = &own_rows

/* Element i of row r. */
#define ELEMENT(address) ((NUMBER *)(void *)(address))
#define CONTIGUOUS(channel) (rows->step[channel] == (ptrdiff_t)sizeof(NUMBER))
#define ROW(channel) (rows->at[channel] + (ptrdiff_t)r * rows->leap[channel])
#define PLACE(channel) (ROW(channel) + (ptrdiff_t)i * rows->step[channel])
#define INDEX (rows->index + (int64_t)r * rows->index_leap + (int64_t)i * rows->index_step)

/* Defines a kernel that sets each element of channel 0 to `expression`; see OF(each). */
#define EACH(name, p, q, s, expression)                                                            \
  static inline NUMBER OF(name##_one)(NUMBER x, NUMBER y, NUMBER z, NUMBER alpha, NUMBER beta,     \
                                      size_t * zeros)                                              \
  {                                                                                                \
    (void)x, (void)y, (void)z, (void)alpha, (void)beta, (void)zeros;                               \
    return (expression);                                                                           \
  }                                                                                                \
  CWI_CLONES static void OF(name)(const struct cwi_rows *rows, struct cwi_working *working)        \
  {                                                                                                \
    OF(each)(rows, working, p, q, s, OF(name##_one));                                              \
  }

/* Sums have several parts, so that additions do not wait for each other. The part to which an
 * element is added depends only on its position in the row, so results are reproducible. */
enum { PARTS = 8 };

static inline double plus(double a, double b)
{
  return a + b;
}

/* Returns the larger number; NaN wins. */
static inline double larger(double a, double b)
{
  return b > a || b != b ? b : a;
}

/* Names a function of one number type. */
#define OF(name) CWI_KERNEL_OF(name, NUMBER)

/* A comparison of x with itself detects NaN. For integers the compiler would warn that it is
 * constant. */
#pragma GCC diagnostic ignored "-Wtautological-compare"

#define NUMBER i32
#define BITS unsigned
#include "array_kernels/integer.inc"

#define NUMBER i64
#define BITS unsigned long
#include "array_kernels/integer.inc"

#define NUMBER f32
#define ABSOLUTE fabsf
#define BITS 24
#define UNIT 0x1p-24F
#include "array_kernels/floating.inc"

#define NUMBER f64
#define ABSOLUTE fabs
#define BITS 53
#define UNIT 0x1p-53
#include "array_kernels/floating.inc"

#define NUMBER c32
#define PART f32
#define HYPOT hypotf
#include "array_kernels/complex.inc"

#define NUMBER c64
#define PART f64
#define HYPOT hypot
#include "array_kernels/complex.inc"

#define WHOLE(name, c, bits, ...) [name] = &kernels_i##bits,
#define REAL(name, c, bits, ...) [name] = &kernels_f##bits,
#define COMPLEX(name, c, bits, ...) [name] = &kernels_c##bits,
const struct cwi_number_kernels *const cwi_kernels[CW_TYPES] = {
    CWI_SIGNED_TYPES(WHOLE) CWI_REAL_TYPES(REAL) CWI_COMPLEX_TYPES(COMPLEX)};
