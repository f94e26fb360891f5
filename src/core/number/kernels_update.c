/* Inner loops of atomic updates, of every operation and type: plain ones, for callers that hold the
 * stripe, and by the processor's atomics. */
#include "base/clones.h"
#include "base/rows.h"
#include "number/kernels.h"
#include "number/operators.h"
#include "number/update.h"

#include <complex.h>
#include <stdint.h>
#include <string.h>

/* Elements: integers by their width, since most operations do not ask for the sign. */
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

/* --- Plain ------------------------------------------------------------------------------------ */

/* Nothing is assumed about alignment, as in kernels_accumulate.c. `result` of a = to[i] and b =
 * from[i]. */
#define PLAIN(name, number, result)                                                                \
  CWI_CLONES static void plain_##name##_##number(char *to, ptrdiff_t to_stride, const char *from,  \
                                                 ptrdiff_t from_stride, size_t run, size_t rows,   \
                                                 const union cwi_scalar *scale)                    \
  {                                                                                                \
    typedef number any_number __attribute__((aligned(1), may_alias));                              \
    (void)scale;                                                                                   \
    for (; rows > 0; rows--, to += to_stride, from += from_stride) {                               \
      any_number *y = (any_number *)to;                                                            \
      const any_number *x = (const any_number *)from;                                              \
      for (size_t i = 0; i < run / sizeof(number); i++) {                                          \
        const number a = y[i], b = x[i];                                                           \
        y[i] = result;                                                                             \
      }                                                                                            \
    }                                                                                              \
  }

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

/* --- By the processor's atomics --------------------------------------------------------------- */

/* Of a row, by what is done to one element: that returns what was there. */
#define ATOMIC_ROW(name, number, word)                                                             \
  static void atomic_##name##_##number(char *to, const char *from, char *before, size_t count)     \
  {                                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
      const word old = fetch_##name##_##number((word *)(void *)to + i, from + i * sizeof(word));   \
      if (before != NULL)                                                                          \
        memcpy(before + i * sizeof old, &old, sizeof old);                                         \
    }                                                                                              \
  }

/* Until nobody has come in between. */
#define ATOMIC(name, number, word, result)                                                         \
  static inline word fetch_##name##_##number(word *to, const char *from)                           \
  {                                                                                                \
    word old = __atomic_load_n(to, __ATOMIC_RELAXED), new = 0;                                     \
    number a, b, made;                                                                             \
    memcpy(&b, from, sizeof b);                                                                    \
    do {                                                                                           \
      memcpy(&a, &old, sizeof a);                                                                  \
      made = result;                                                                               \
      memcpy(&new, &made, sizeof new);                                                             \
    } while (                                                                                      \
        !__atomic_compare_exchange_n(to, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));    \
    return old;                                                                                    \
  }                                                                                                \
  ATOMIC_ROW(name, number, word)

/* What the processor does at once. */
#define ATOMIC_CALL(name, word, call)                                                              \
  static inline word fetch_##name##_##word(word *to, const char *from)                             \
  {                                                                                                \
    word b;                                                                                        \
    memcpy(&b, from, sizeof b);                                                                    \
    return call(to, b, __ATOMIC_SEQ_CST);                                                          \
  }                                                                                                \
  ATOMIC_ROW(name, word, word)

#define ATOMIC_LOAD(word)                                                                          \
  static inline word fetch_keep_##word(word *to, const char *from)                                 \
  {                                                                                                \
    (void)from;                                                                                    \
    return __atomic_load_n(to, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  ATOMIC_ROW(keep, word, word)

/* --- The operations --------------------------------------------------------------------------- */

#define BOTH(name, number, word, result)                                                           \
  PLAIN(name, number, result)                                                                      \
  ATOMIC(name, number, word, result)

#define BOTH_CALL(name, word, result, call)                                                        \
  PLAIN(name, word, result)                                                                        \
  ATOMIC_CALL(name, word, call)

#define EXTREMES(number, word)                                                                     \
  BOTH(minimum, number, word, CWI_MINIMUM_OF(a, b))                                                \
  BOTH(maximum, number, word, CWI_MAXIMUM_OF(a, b))

#define WORDS(word)                                                                                \
  ATOMIC_CALL(replace, word, __atomic_exchange_n)                                                  \
  ATOMIC_LOAD(word)

#define INTEGERS(u, i)                                                                             \
  BOTH_CALL(sum, u, (u)CWI_WRAPPING_SUM(a, b), __atomic_fetch_add)                                 \
  BOTH(product, u, u, (u)CWI_WRAPPING_PRODUCT(a, b))                                               \
  BOTH(logical_and, u, u, a != 0 && b != 0)                                                        \
  BOTH(logical_or, u, u, a != 0 || b != 0)                                                         \
  BOTH(logical_xor, u, u, (a != 0) != (b != 0))                                                    \
  BOTH_CALL(bit_and, u, a &b, __atomic_fetch_and)                                                  \
  BOTH_CALL(bit_or, u, a | b, __atomic_fetch_or)                                                   \
  BOTH_CALL(bit_xor, u, a ^ b, __atomic_fetch_xor)                                                 \
  EXTREMES(u, u)                                                                                   \
  EXTREMES(i, u)                                                                                   \
  WORDS(u)

#define REALS(number, word)                                                                        \
  BOTH(sum, number, word, a + b)                                                                   \
  BOTH(product, number, word, a *b)                                                                \
  EXTREMES(number, word)                                                                           \
  PLAIN(minimum_after, number, CWI_MINIMUM_OF(b, a))                                               \
  PLAIN(maximum_after, number, CWI_MAXIMUM_OF(b, a))

/* Not C's own product, which looks for infinite parts. */
static inline c32 product_c32(c32 a, c32 b)
{
  const float ar = crealf(a), ai = cimagf(a), br = crealf(b), bi = cimagf(b);
  return CMPLXF(CWI_REAL_OF_PRODUCT(ar, ai, br, bi), CWI_IMAGINARY_OF_PRODUCT(ar, ai, br, bi));
}

static inline c64 product_c64(c64 a, c64 b)
{
  const double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  return CMPLX(CWI_REAL_OF_PRODUCT(ar, ai, br, bi), CWI_IMAGINARY_OF_PRODUCT(ar, ai, br, bi));
}

INTEGERS(u8, i8)
INTEGERS(u16, i16)
INTEGERS(u32, i32)
INTEGERS(u64, i64)
REALS(f32, u32)
REALS(f64, u64)
BOTH(sum, c32, u64, a + b)
BOTH(product, c32, u64, product_c32(a, b))
PLAIN(sum, c64, a + b)
PLAIN(product, c64, product_c64(a, b))

/* --- The table -------------------------------------------------------------------------------- */

struct update {
  cwi_accumulate_kernel plain; /* NULL: not defined for the type */
  cwi_atomic_kernel atomic;    /* NULL: the processor has none */
};

struct updates {
  struct update of[CW_NO_OP + 1];
};

/* The name begins those of both kernels. */
#define PAIR(name)                                                                                 \
  {                                                                                                \
    plain_##name, atomic_##name                                                                    \
  }

#define MOVES(word)                                                                                \
  [CW_REPLACE] = {plain_replace, atomic_replace_##word}, [CW_NO_OP] = {plain_keep,                 \
                                                                       atomic_keep_##word}

#define ORDERED(number, word)                                                                      \
  [CW_MINIMUM] = PAIR(minimum_##number), [CW_MAXIMUM] = PAIR(maximum_##number), MOVES(word)

#define INTEGER_UPDATES(number, u)                                                                 \
  {                                                                                                \
    {                                                                                              \
      [CW_SUM] = PAIR(sum_##u), [CW_PRODUCT] = PAIR(product_##u),                                  \
      [CW_LOGICAL_AND] = PAIR(logical_and_##u), [CW_LOGICAL_OR] = PAIR(logical_or_##u),            \
      [CW_LOGICAL_XOR] = PAIR(logical_xor_##u), [CW_BIT_AND] = PAIR(bit_and_##u),                  \
      [CW_BIT_OR] = PAIR(bit_or_##u), [CW_BIT_XOR] = PAIR(bit_xor_##u), ORDERED(number, u)         \
    }                                                                                              \
  }

#define REAL_UPDATES(number, word)                                                                 \
  {                                                                                                \
    {                                                                                              \
      [CW_SUM] = PAIR(sum_##number), [CW_PRODUCT] = PAIR(product_##number), ORDERED(number, word)  \
    }                                                                                              \
  }

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8 && sizeof(long long) == 8,
               "int, long and long long are integers of 32 and 64 bits");

static const struct updates updates[CWI_TYPES] = {
    [CW_INT] = INTEGER_UPDATES(i32, u32),
    [CW_LONG] = INTEGER_UPDATES(i64, u64),
    [CW_LONG_LONG] = INTEGER_UPDATES(i64, u64),
    [CW_INT8] = INTEGER_UPDATES(i8, u8),
    [CW_UINT8] = INTEGER_UPDATES(u8, u8),
    [CW_INT16] = INTEGER_UPDATES(i16, u16),
    [CW_UINT16] = INTEGER_UPDATES(u16, u16),
    [CW_INT32] = INTEGER_UPDATES(i32, u32),
    [CW_UINT32] = INTEGER_UPDATES(u32, u32),
    [CW_INT64] = INTEGER_UPDATES(i64, u64),
    [CW_UINT64] = INTEGER_UPDATES(u64, u64),
    [CW_FLOAT] = REAL_UPDATES(f32, u32),
    [CW_DOUBLE] = REAL_UPDATES(f64, u64),
    [CW_FLOAT_COMPLEX] = {{[CW_SUM] = PAIR(sum_c32), [CW_PRODUCT] = PAIR(product_c32), MOVES(u64)}},
    [CW_DOUBLE_COMPLEX] = {{[CW_SUM] = {plain_sum_c64, NULL},
                            [CW_PRODUCT] = {plain_product_c64, NULL},
                            [CW_REPLACE] = {plain_replace, NULL},
                            [CW_NO_OP] = {plain_keep, NULL}}},
};

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
    return cwi_misuse(
        "type is %d; it may be CW_INT (0) to CW_LONG_LONG (%d), or CW_INT8 (%d) to CW_UINT64 (%d)",
        (int)type, CW_TYPES - 1, CW_INT8, CW_UINT64);
  if (cwi_operation_word(operation) == NULL)
    return cwi_misuse("reduction is %d; it may be 0 (CW_SUM) to %d (CW_BIT_XOR), or %d "
                      "(CW_LOGICAL_XOR) to %d (CW_NO_OP)",
                      operation, CW_BIT_XOR, CW_LOGICAL_XOR, CW_NO_OP);
  return cwi_misuse("reduction is %s (%d), which is no atomic update of %s",
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

cwi_accumulate_kernel cwi_update_kernel_after(cw_reduction reduction, cw_type type)
{
  static const cwi_accumulate_kernel minimum[CW_TYPES] = {
      [CW_FLOAT] = plain_minimum_after_f32, [CW_DOUBLE] = plain_minimum_after_f64};
  static const cwi_accumulate_kernel maximum[CW_TYPES] = {
      [CW_FLOAT] = plain_maximum_after_f32, [CW_DOUBLE] = plain_maximum_after_f64};
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
