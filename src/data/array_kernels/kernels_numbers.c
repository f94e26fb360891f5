/* Kernels that calculate, for each type: element by element, and sums over elements. The included
 * files are compiled once per type. */
#include "array_kernels/kernels_table.h"

#include "array_kernels/kernels_flags.h"
#include "machine/clones.h"
#include "number/random.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(long long) == sizeof(long), "the kernels of long serve long long");

/* Number types of the tables. */
typedef int whole4 __attribute__((may_alias));
typedef long whole8 __attribute__((may_alias));
typedef float real4 __attribute__((may_alias));
typedef double real8 __attribute__((may_alias));
typedef struct pair4 {
  float re, im;
} __attribute__((may_alias)) pair4;
typedef struct pair8 {
  double re, im;
} __attribute__((may_alias)) pair8;

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

/* Sums have several parts, so that additions do not wait for each other. Which part gets an element
 * depends only on its position in the row, so results are reproducible. */
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

/* NaN is not equal to itself; integers always are, and the compiler would warn. */
#pragma GCC diagnostic ignored "-Wtautological-compare"

#define NUMBER whole4
#define BITS unsigned
#include "array_kernels/integer.inc"

#define NUMBER whole8
#define BITS unsigned long
#include "array_kernels/integer.inc"

#define NUMBER real4
#define ABSOLUTE fabsf
#define BITS 24
#define UNIT 0x1p-24F
#include "array_kernels/floating.inc"

#define NUMBER real8
#define ABSOLUTE fabs
#define BITS 53
#define UNIT 0x1p-53
#include "array_kernels/floating.inc"

#define NUMBER pair4
#define PART real4
#define HYPOT hypotf
#include "array_kernels/complex.inc"

#define NUMBER pair8
#define PART real8
#define HYPOT hypot
#include "array_kernels/complex.inc"

const cwi_rows_kernel *const cwi_kernels[CW_TYPES] = {
    table_whole4, table_whole8, table_real4, table_real8, table_pair4, table_pair8, table_whole8};

const cwi_running_kernel cwi_running_kernels[CW_TYPES] = {
    running_whole4, running_whole8, running_real4, running_real8,
    running_pair4,  running_pair8,  running_whole8};
