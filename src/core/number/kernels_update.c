/* Inner loops: scaled sums, and atomic updates of every operation and type. Plain kernels are for
 * callers that hold the stripe; atomic ones use the processor's atomics. The included files define
 * them for one type. */
#include "machine/clones.h"
#include "machine/rows.h"
#include "number/atomic_update.h"
#include "number/number_kernels.h"

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Elements. Integers are named by their width, since most operations do not depend on the sign. */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;
typedef float _Complex c32;
typedef double _Complex c64;

/* A name with the type appended. */
#define OF(name) CWI_KERNEL_OF(name, NUMBER)

/* Defines a kernel that runs one of the loops. The expression `result` has the operands a (the old
 * value), b and factor. */
#define KERNEL(loop, name, result)                                                                 \
  static inline NUMBER OF(name##_of)(NUMBER a, NUMBER b, NUMBER factor)                            \
  {                                                                                                \
    (void)a, (void)factor;                                                                         \
    return (NUMBER)(result);                                                                       \
  }                                                                                                \
  CWI_CLONES static void OF(plain_##name)(char *to, ptrdiff_t to_stride, const char *from,         \
                                          ptrdiff_t from_stride, size_t run, size_t rows,          \
                                          const union cwi_scalar *scale)                           \
  {                                                                                                \
    OF(loop)(to, to_stride, from, from_stride, run, rows, scale, OF(name##_of));                   \
  }
#define PLAIN(name, result) KERNEL(each, name, result)
#define SUM(name, result) KERNEL(each_short, name, result)

/* Defines a kernel that uses the processor's atomics. The expression `fetched` changes the word and
 * evaluates to its old value. */
#define ATOMIC(name, fetched)                                                                      \
  static inline WORD OF(fetch_##name)(WORD * word, const char *from)                               \
  {                                                                                                \
    (void)from;                                                                                    \
    return fetched;                                                                                \
  }                                                                                                \
  static void OF(atomic_##name)(char *to, const char *from, char *before, size_t count)            \
  {                                                                                                \
    OF(each_atomic)(to, from, before, count, OF(fetch_##name));                                    \
  }
#define BOTH(name, result)                                                                         \
  PLAIN(name, result)                                                                              \
  ATOMIC(name, OF(exchange)(word, from, OF(name##_of)))

static void plain_replace(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                          size_t run, size_t rows, const union cwi_scalar *scale)
{
  (void)scale;
  cwi_copy_rows(to, to_stride, from, from_stride, run, rows);
}

static void plain_keep(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                       size_t run, size_t rows, const union cwi_scalar *scale)
{
  (void)to, (void)to_stride, (void)from, (void)from_stride, (void)run, (void)rows, (void)scale;
}

/* Complex products. C's own product is not used, because it spends time on a check for infinite
 * parts. C11's CMPLX is not used, because glibc 2.36 provides it only for gcc. */
static inline c32 times_c32(c32 a, c32 b)
{
  const float ar = crealf(a), ai = cimagf(a), br = crealf(b), bi = cimagf(b);
  return __builtin_complex(ar * br - ai * bi, ar * bi + ai * br);
}

static inline c64 times_c64(c64 a, c64 b)
{
  const double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return __builtin_complex(ar * br - ai * bi, ar * bi + ai * br);
}

#define NUMBER u8
#define SIGNED i8
#include "number/update_whole.inc"
#undef NUMBER
#undef SIGNED

#define NUMBER u16
#define SIGNED i16
#include "number/update_whole.inc"
#undef NUMBER
#undef SIGNED

#define NUMBER u32
#define SIGNED i32
#include "number/update_whole.inc"
PLAIN(absolute, (SIGNED)b < 0 ? 0 - b : b) /* the absolute value of the least number wraps */
PLAIN(truth, b != 0)
#include "number/update_scaled.inc"
#undef NUMBER
#undef SIGNED

#define NUMBER u64
#define SIGNED i64
#include "number/update_whole.inc"
PLAIN(absolute, (SIGNED)b < 0 ? 0 - b : b)
PLAIN(truth, b != 0)
#include "number/update_scaled.inc"
#undef NUMBER
#undef SIGNED

#define NUMBER f32
#define WORD u32
#include "number/update_real.inc"
PLAIN(absolute, fabsf(b))
#undef NUMBER
#undef WORD

#define NUMBER f64
#define WORD u64
#include "number/update_real.inc"
PLAIN(absolute, fabs(b))
#undef NUMBER
#undef WORD

#define NUMBER c32
#define WORD u64
#include "number/update_atomic.inc"
BOTH(sum, a + b)
BOTH(product, times_c32(a, b))
#include "number/update_scaled.inc"
#undef NUMBER
#undef WORD

/* Elements of 16 bytes are updated without processor atomics. */
#define NUMBER c64
#include "number/update_loops.inc"
PLAIN(sum, a + b)
PLAIN(product, times_c64(a, b))
#include "number/update_scaled.inc"
#undef NUMBER

/* --- Tables ----------------------------------------------------------------------------------- */

/* Entries of a type. A sum of complex numbers is the sum of their parts. */
#define SUM_WHOLE(name, c, bits, ...) [name] = {plain_sum_u##bits, plain_scaled_sum_u##bits},
#define SUM_REAL(name, c, bits, ...) [name] = {plain_sum_f##bits, plain_scaled_sum_f##bits},
#define SUM_COMPLEX(name, c, bits, ...) [name] = {plain_sum_f##bits, plain_scaled_sum_c##bits},
#define SCALED_WHOLE(name, c, bits, ...) [name] = plain_scaled_u##bits,
#define SCALED_REAL(name, c, bits, ...) [name] = plain_scaled_f##bits,
#define SCALED_COMPLEX(name, c, bits, ...) [name] = plain_scaled_c##bits,
#define ABSOLUTE_WHOLE(name, c, bits, ...) [name] = plain_absolute_u##bits,
#define ABSOLUTE_REAL(name, c, bits, ...) [name] = plain_absolute_f##bits,
#define TRUTH_WHOLE(name, c, bits, ...) [name] = plain_truth_u##bits,

const cwi_accumulate_kernel cwi_accumulate_kernels[CW_TYPES][2] = {
    CWI_SIGNED_TYPES(SUM_WHOLE) CWI_REAL_TYPES(SUM_REAL) CWI_COMPLEX_TYPES(SUM_COMPLEX)};

const cwi_accumulate_kernel cwi_scale_kernels[CW_TYPES] = {
    CWI_SIGNED_TYPES(SCALED_WHOLE) CWI_REAL_TYPES(SCALED_REAL) CWI_COMPLEX_TYPES(SCALED_COMPLEX)};

const cwi_accumulate_kernel cwi_absolute_kernels[CW_TYPES] = {CWI_SIGNED_TYPES(ABSOLUTE_WHOLE)
                                                                  CWI_REAL_TYPES(ABSOLUTE_REAL)};

const cwi_accumulate_kernel cwi_truth_kernels[CW_TYPES] = {CWI_SIGNED_TYPES(TRUTH_WHOLE)};

struct update {
  cwi_accumulate_kernel plain; /* NULL if it is not defined for the type */
  cwi_atomic_kernel atomic;    /* NULL if the processor has none */
};

struct updates {
  struct update of[CW_NO_OP + 1];
};

/* The names of both kernels end with `name`. */
#define PAIR(name)                                                                                 \
  {                                                                                                \
    plain_##name, atomic_##name                                                                    \
  }

#define MOVES(word)                                                                                \
  [CW_REPLACE] = {plain_replace, atomic_replace_##word}, [CW_NO_OP] = {plain_keep,                 \
                                                                       atomic_keep_##word}

#define INTEGER_UPDATES(name, minimum, maximum, u)                                                 \
  [name] = {{[CW_SUM] = PAIR(sum_##u),                                                             \
             [CW_PRODUCT] = PAIR(product_##u),                                                     \
             [CW_LOGICAL_AND] = PAIR(logical_and_##u),                                             \
             [CW_LOGICAL_OR] = PAIR(logical_or_##u),                                               \
             [CW_LOGICAL_XOR] = PAIR(logical_xor_##u),                                             \
             [CW_BIT_AND] = PAIR(bit_and_##u),                                                     \
             [CW_BIT_OR] = PAIR(bit_or_##u),                                                       \
             [CW_BIT_XOR] = PAIR(bit_xor_##u),                                                     \
             [CW_MINIMUM] = PAIR(minimum##_##u),                                                   \
             [CW_MAXIMUM] = PAIR(maximum##_##u),                                                   \
             MOVES(u)}},
#define SIGNED_UPDATES(name, c, bits, ...)                                                         \
  INTEGER_UPDATES(name, signed_minimum, signed_maximum, u##bits)
#define UNSIGNED_UPDATES(name, c, bits, ...) INTEGER_UPDATES(name, minimum, maximum, u##bits)
#define REAL_UPDATES(name, c, bits, ...)                                                           \
  [name] = {{[CW_SUM] = PAIR(sum_f##bits),                                                         \
             [CW_PRODUCT] = PAIR(product_f##bits),                                                 \
             [CW_MINIMUM] = PAIR(minimum_f##bits),                                                 \
             [CW_MAXIMUM] = PAIR(maximum_f##bits),                                                 \
             MOVES(u##bits)}},

static const struct updates updates[CWI_TYPES] = {
    [CW_FLOAT_COMPLEX] = {{[CW_SUM] = PAIR(sum_c32), [CW_PRODUCT] = PAIR(product_c32), MOVES(u64)}},
    [CW_DOUBLE_COMPLEX] = {{[CW_SUM] = {plain_sum_c64, NULL},
                            [CW_PRODUCT] = {plain_product_c64, NULL},
                            [CW_REPLACE] = {plain_replace, NULL},
                            [CW_NO_OP] = {plain_keep, NULL}}},
    CWI_REAL_TYPES(REAL_UPDATES) CWI_SIGNED_TYPES(SIGNED_UPDATES) CWI_SIGNED_WIDTHS(SIGNED_UPDATES)
        CWI_UNSIGNED_WIDTHS(UNSIGNED_UPDATES)};

#define UNLESS_ONE(name, c, ...)                                                                   \
  case name:                                                                                       \
    return *(const c *)(const void *)value != 1;
#define UNLESS_ONE_COMPLEX(name, c, ...)                                                           \
  case name:                                                                                       \
    return ((const c *)(const void *)value)[0] != 1 || ((const c *)(const void *)value)[1] != 0;

bool cwi_scale_read(cw_type type, const void *scale, union cwi_scalar *value)
{
  memset(value, 0, sizeof *value);
  if (scale == NULL)
    return false;
  memcpy(value, scale, cwi_type_bytes[type]);
  switch (type) {
    CWI_SIGNED_TYPES(UNLESS_ONE)
    CWI_REAL_TYPES(UNLESS_ONE)
    CWI_COMPLEX_TYPES(UNLESS_ONE_COMPLEX)
  default:
    return true;
  }
}

bool cwi_update_is_defined(int operation, cw_type type)
{
  if ((unsigned)type >= CWI_TYPES || cwi_type_bytes[type] == 0)
    return false;
  return operation == CWI_COMPARE_SWAP ||
         ((unsigned)operation <= CW_NO_OP && updates[type].of[operation].plain != NULL);
}

cw_error cwi_update_check(int operation, cw_type type)
{
  if (CWI_LIKELY(cwi_update_is_defined(operation, type)))
    return CW_OK;
  if ((unsigned)type >= CWI_TYPES || cwi_type_bytes[type] == 0)
    return cwi_misuse("type is %d; it may be CW_INT (0) to %s (%d), or CW_INT8 (%d) to %s (%d)",
                      (int)type, cwi_type_word((cw_type)(CW_TYPES - 1)), CW_TYPES - 1, CW_INT8,
                      cwi_type_word((cw_type)(CWI_TYPES - 1)), CWI_TYPES - 1);
  if (cwi_operation_word(operation) == NULL)
    return cwi_misuse("reduction is %d; it may be 0 (CW_SUM) to %d (CW_BIT_XOR), or %d "
                      "(CW_LOGICAL_XOR) to %d (CW_NO_OP)",
                      operation, CW_BIT_XOR, CW_LOGICAL_XOR, CW_NO_OP);
  return cwi_misuse("reduction is %s (%d), which is not an atomic update of %s",
                    cwi_operation_word(operation), operation, cwi_type_word(type));
}

cw_error cwi_reduction_check(cw_reduction reduction, cw_type type)
{
  return cwi_update_check((int)reduction != CWI_COMPARE_SWAP ? (int)reduction : CWI_UPDATES, type);
}

cwi_accumulate_kernel cwi_plain_kernel_of(cw_reduction reduction, cw_type type)
{
  return updates[type].of[reduction].plain;
}

#define MINIMUM_AFTER(name, c, bits, ...) [name] = plain_minimum_after_f##bits,
#define MAXIMUM_AFTER(name, c, bits, ...) [name] = plain_maximum_after_f##bits,

cwi_accumulate_kernel cwi_update_kernel_after(cw_reduction reduction, cw_type type)
{
  static const cwi_accumulate_kernel minimum[CWI_TYPES] = {CWI_REAL_TYPES(MINIMUM_AFTER)};
  static const cwi_accumulate_kernel maximum[CWI_TYPES] = {CWI_REAL_TYPES(MAXIMUM_AFTER)};
  const cwi_accumulate_kernel after = reduction == CW_MINIMUM   ? minimum[type]
                                      : reduction == CW_MAXIMUM ? maximum[type]
                                                                : NULL;
  return after != NULL ? after : cwi_update_kernel(reduction, type, false);
}

cwi_atomic_kernel cwi_atomic_kernel_of(cw_reduction reduction, cw_type type)
{
  return updates[type].of[reduction].atomic;
}

#define COMPARE_SWAP(word)                                                                         \
  do {                                                                                             \
    word old, new;                                                                                 \
    memcpy(&old, expected, sizeof old);                                                            \
    memcpy(&new, value, sizeof new);                                                               \
    __atomic_compare_exchange_n((word *)(void *)to, &old, new, false, __ATOMIC_SEQ_CST,            \
                                __ATOMIC_SEQ_CST);                                                 \
    if (before != NULL)                                                                            \
      memcpy(before, &old, sizeof old);                                                            \
  } while (0)

void cwi_atomic_compare_swap(char *to, const void *expected, const void *value, void *before,
                             size_t bytes)
{
  switch (bytes) {
  case 1:
    COMPARE_SWAP(u8);
    break;
  case 2:
    COMPARE_SWAP(u16);
    break;
  case 4:
    COMPARE_SWAP(u32);
    break;
  default:
    COMPARE_SWAP(u64);
  }
}
