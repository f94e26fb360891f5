/* Kernels that calculate, for each type: element by element, and sums over elements. */
#include "arithmetic/kernels.h"

#include "base/clones.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(long long) == sizeof(long), "the kernels of long serve long long");

/* Numbers of the tables' types, and how each of them is calculated with. Integers wrap. */
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

#define WHOLE_ARITHMETIC(type, bits)                                                               \
  static inline type add_##type(type x, type y)                                                    \
  {                                                                                                \
    return (type)((bits)x + (bits)y);                                                              \
  }                                                                                                \
  static inline type multiply_##type(type x, type y)                                               \
  {                                                                                                \
    return (type)((bits)x * (bits)y);                                                              \
  }                                                                                                \
  static inline type divide_##type(type x, type y, size_t *zeros)                                  \
  {                                                                                                \
    if (y == 0)                                                                                    \
      ++*zeros;                                                                                    \
    return y == 0 ? 0 : y == -1 ? (type)(0 - (bits)x) : (type)(x / y);                             \
  }                                                                                                \
  static inline type absolute_##type(type x)                                                       \
  {                                                                                                \
    return x < 0 ? (type)(0 - (bits)x) : x;                                                        \
  }                                                                                                \
  static inline type one_##type(void)                                                              \
  {                                                                                                \
    return 1;                                                                                      \
  }                                                                                                \
  static inline type random_##type(uint64_t a, uint64_t b)                                         \
  {                                                                                                \
    (void)b;                                                                                       \
    return (int)(uint32_t)(a >> 32);                                                               \
  }                                                                                                \
  /* The least one % -1 traps. */                                                                  \
  static inline type below_##type(type x, type limit)                                              \
  {                                                                                                \
    const type rest = limit == 0 || limit == -1 ? 0 : x % limit;                                   \
    return (rest < 0) == (limit < 0) ? rest : -rest;                                               \
  }                                                                                                \
  static inline type counted_##type(int64_t index)                                                 \
  {                                                                                                \
    return (type)index;                                                                            \
  }

#define REAL_ARITHMETIC(type, fabs_of, bits, scale)                                                \
  static inline type add_##type(type x, type y)                                                    \
  {                                                                                                \
    return x + y;                                                                                  \
  }                                                                                                \
  static inline type multiply_##type(type x, type y)                                               \
  {                                                                                                \
    return x * y;                                                                                  \
  }                                                                                                \
  static inline type divide_##type(type x, type y, size_t *zeros)                                  \
  {                                                                                                \
    *zeros += y == 0;                                                                              \
    return x / y;                                                                                  \
  }                                                                                                \
  static inline type absolute_##type(type x)                                                       \
  {                                                                                                \
    return fabs_of(x);                                                                             \
  }                                                                                                \
  static inline type one_##type(void)                                                              \
  {                                                                                                \
    return 1;                                                                                      \
  }                                                                                                \
  static inline type random_##type(uint64_t a, uint64_t b)                                         \
  {                                                                                                \
    (void)b;                                                                                       \
    return (type)(a >> (64 - (bits))) * (scale);                                                   \
  }                                                                                                \
  static inline type below_##type(type x, type limit)                                              \
  {                                                                                                \
    return x * limit;                                                                              \
  }                                                                                                \
  static inline type counted_##type(double index)                                                  \
  {                                                                                                \
    return (type)index;                                                                            \
  }

/* What a number is compared by, and what norms are made of. */
#define ORDERED(type)                                                                              \
  static inline type key_##type(type x)                                                            \
  {                                                                                                \
    return x;                                                                                      \
  }                                                                                                \
  static inline type conjugate_##type(type x)                                                      \
  {                                                                                                \
    return x;                                                                                      \
  }                                                                                                \
  static inline double modulus_##type(type x)                                                      \
  {                                                                                                \
    return fabs((double)x);                                                                        \
  }                                                                                                \
  static inline double square_##type(type x)                                                       \
  {                                                                                                \
    return (double)x * (double)x;                                                                  \
  }                                                                                                \
  static inline type weigh_##type(type a, type x, type b, type y)                                  \
  {                                                                                                \
    return add_##type(multiply_##type(a, x), multiply_##type(b, y));                               \
  }

#define PAIR_ARITHMETIC(type, part, hypot_of)                                                      \
  static inline type add_##type(type x, type y)                                                    \
  {                                                                                                \
    return (type){x.re + y.re, x.im + y.im};                                                       \
  }                                                                                                \
  static inline type multiply_##type(type x, type y)                                               \
  {                                                                                                \
    return (type){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};                           \
  }                                                                                                \
  /* Smith: no part becomes larger on the way than the result is. */                               \
  static inline type divide_##type(type x, type y, size_t *zeros)                                  \
  {                                                                                                \
    *zeros += y.re == 0 && y.im == 0;                                                              \
    if (fabs((double)y.re) >= fabs((double)y.im)) {                                                \
      const part q = y.im / y.re, d = y.re + q * y.im;                                             \
      return (type){(x.re + q * x.im) / d, (x.im - q * x.re) / d};                                 \
    }                                                                                              \
    const part q = y.re / y.im, d = y.im + q * y.re;                                               \
    return (type){(q * x.re + x.im) / d, (q * x.im - x.re) / d};                                   \
  }                                                                                                \
  static inline type absolute_##type(type x)                                                       \
  {                                                                                                \
    return (type){hypot_of(x.re, x.im), 0};                                                        \
  }                                                                                                \
  static inline type one_##type(void)                                                              \
  {                                                                                                \
    return (type){1, 0};                                                                           \
  }                                                                                                \
  static inline type random_##type(uint64_t a, uint64_t b)                                         \
  {                                                                                                \
    return (type){random_##part(a, 0), random_##part(b, 0)};                                       \
  }                                                                                                \
  static inline type below_##type(type x, type limit)                                              \
  {                                                                                                \
    return (type){x.re * limit.re, x.im * limit.im};                                               \
  }                                                                                                \
  static inline type counted_##type(double index)                                                  \
  {                                                                                                \
    return (type){(part)index, 0};                                                                 \
  }                                                                                                \
  static inline double key_##type(type x)                                                          \
  {                                                                                                \
    return hypot((double)x.re, (double)x.im);                                                      \
  }                                                                                                \
  static inline type conjugate_##type(type x)                                                      \
  {                                                                                                \
    return (type){x.re, -x.im};                                                                    \
  }                                                                                                \
  static inline double modulus_##type(type x)                                                      \
  {                                                                                                \
    return key_##type(x);                                                                          \
  }                                                                                                \
  static inline double square_##type(type x)                                                       \
  {                                                                                                \
    return (double)x.re * (double)x.re + (double)x.im * (double)x.im;                              \
  }                                                                                                \
  static inline type weigh_##type(type a, type x, type b, type y)                                  \
  {                                                                                                \
    return (type){a.re * x.re + b.re * y.re, a.re * x.im + b.re * y.im};                           \
  }

WHOLE_ARITHMETIC(whole4, unsigned)
WHOLE_ARITHMETIC(whole8, unsigned long)
REAL_ARITHMETIC(real4, fabsf, 24, 0x1p-24F)
REAL_ARITHMETIC(real8, fabs, 53, 0x1p-53)
ORDERED(whole4)
ORDERED(whole8)
ORDERED(real4)
ORDERED(real8)
PAIR_ARITHMETIC(pair4, real4, hypotf)
PAIR_ARITHMETIC(pair8, real8, hypot)

/* A kernel's rows, where its stores cannot change them: else the compiler reads them again after
 * each store, and does not vectorise. */
#define ROWS_OF(given) const struct cwi_rows own_rows = *(given), *const rows = &own_rows

#define ELEMENT(type, address, i) (((type *)(void *)(address))[i])
#define CONTIGUOUS(type, channel) (rows->step[channel] == (ptrdiff_t)sizeof(type))
#define ROW(channel) (rows->at[channel] + (ptrdiff_t)r * rows->leap[channel])
#define PLACE(channel) (ROW(channel) + (ptrdiff_t)i * rows->step[channel])
#define INDEX (rows->index + (int64_t)r * rows->index_leap + (int64_t)i * rows->index_step)

/* Kernel `name` of a type: an element of channel 0 becomes a function of x, y and z, elements of
 * the channels p, q and s. They are the same place or another, never one nearby: the compiler may
 * vectorise. Rows are contiguous, or all but the last operands, which stand still; or anything. */
#define EACH(name, type, p, q, s, expression)                                                      \
  CWI_CLONES static void name##_##type(const struct cwi_rows *given, struct cwi_working *working)  \
  {                                                                                                \
    ROWS_OF(given);                                                                                \
    const type alpha = *(const type *)(const void *)&working->alpha;                               \
    const type beta = *(const type *)(const void *)&working->beta;                                 \
    size_t zeros = 0;                                                                              \
    (void)alpha, (void)beta;                                                                       \
    for (size_t r = 0; r < rows->rows; r++) {                                                      \
      if (CONTIGUOUS(type, 0) && CONTIGUOUS(type, p) && CONTIGUOUS(type, q) &&                     \
          CONTIGUOUS(type, s)) {                                                                   \
        type *to = (type *)(void *)ROW(0);                                                         \
        const type *first = (const type *)(void *)ROW(p), *second = (const type *)(void *)ROW(q),  \
                   *third = (const type *)(void *)ROW(s);                                          \
        _Pragma("GCC ivdep") for (size_t i = 0; i < rows->count; i++)                              \
        {                                                                                          \
          const type x = first[i], y = second[i], z = third[i];                                    \
          (void)x, (void)y, (void)z;                                                               \
          to[i] = (expression);                                                                    \
        }                                                                                          \
      } else if ((p) != (q) && CONTIGUOUS(type, 0) && CONTIGUOUS(type, p) && rows->step[q] == 0 && \
                 rows->step[s] == 0) {                                                             \
        type *to = (type *)(void *)ROW(0);                                                         \
        const type *first = (const type *)(void *)ROW(p);                                          \
        const type y = ELEMENT(type, ROW(q), 0), z = ELEMENT(type, ROW(s), 0);                     \
        (void)y, (void)z;                                                                          \
        _Pragma("GCC ivdep") for (size_t i = 0; i < rows->count; i++)                              \
        {                                                                                          \
          const type x = first[i];                                                                 \
          (void)x;                                                                                 \
          to[i] = (expression);                                                                    \
        }                                                                                          \
      } else {                                                                                     \
        for (size_t i = 0; i < rows->count; i++) {                                                 \
          const type x = ELEMENT(type, PLACE(p), 0), y = ELEMENT(type, PLACE(q), 0);               \
          const type z = ELEMENT(type, PLACE(s), 0);                                               \
          (void)x, (void)y, (void)z;                                                               \
          ELEMENT(type, PLACE(0), 0) = (expression);                                               \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    working->zeros += zeros;                                                                       \
  }

/* The middle one of three by their keys. */
#define MIDDLE(type)                                                                               \
  (key_##type(x) < key_##type(y)                                                                   \
       ? (key_##type(y) < key_##type(z) ? y : (key_##type(x) < key_##type(z) ? z : x))             \
       : (key_##type(x) < key_##type(z) ? x : (key_##type(y) < key_##type(z) ? z : y)))

/* Two channels at a time. A row of one may be a column of the other: squares of one line of the
 * cache each way. */
#define MEAN(type)                                                                                 \
  CWI_CLONES static void mean_##type(const struct cwi_rows *given, struct cwi_working *working)    \
  {                                                                                                \
    enum { SIDE = 64 / sizeof(type) };                                                             \
    ROWS_OF(given);                                                                                \
    const type alpha = *(const type *)(const void *)&working->alpha;                               \
    const bool all = rows->index > 0 && rows->index_step == 0 && rows->index_leap == 0;            \
    for (size_t up = 0; up < rows->rows; up += SIDE)                                               \
      for (size_t left = 0; left < rows->count; left += SIDE)                                      \
        for (size_t r = up; r < rows->rows && r < up + SIDE; r++)                                  \
          for (size_t i = left; i < rows->count && i < left + SIDE; i++) {                         \
            type *x = (type *)(void *)PLACE(0), *y = (type *)(void *)PLACE(1);                     \
            if (all || INDEX > 0)                                                                  \
              *x = *y = weigh_##type(alpha, *x, alpha, *y);                                        \
          }                                                                                        \
  }

/* splitmix64: the number with this index of the sequence that the seed begins. */
static inline uint64_t random_bits(uint64_t seed, uint64_t index)
{
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

#define RANDOM_UNIT(type)                                                                          \
  random_##type(random_bits(seed, 2 * (uint64_t)index), random_bits(seed, 2 * (uint64_t)index + 1))
#define RANDOM(type) (limited ? below_##type(RANDOM_UNIT(type), alpha) : RANDOM_UNIT(type))

/* An element of channel 0 becomes a function of its index. */
#define COUNTED(name, type, expression)                                                            \
  CWI_CLONES static void name##_##type(const struct cwi_rows *given, struct cwi_working *working)  \
  {                                                                                                \
    ROWS_OF(given);                                                                                \
    const type alpha = *(const type *)(const void *)&working->alpha;                               \
    const type beta = *(const type *)(const void *)&working->beta;                                 \
    const uint64_t seed = working->seed;                                                           \
    const bool limited = working->limited;                                                         \
    (void)alpha, (void)beta;                                                                       \
    for (size_t r = 0; r < rows->rows; r++)                                                        \
      for (size_t i = 0; i < rows->count; i++) {                                                   \
        const int64_t index = INDEX;                                                               \
        ELEMENT(type, PLACE(0), 0) = (expression);                                                 \
      }                                                                                            \
  }

/* alpha + beta * index. Numbers of a row count from its first one as int, which the compiler
 * converts by several at a time; `wide` holds each index exactly, as far as the type has it. */
#define ENUMERATE(type, wide)                                                                      \
  CWI_CLONES static void enumerate_##type(const struct cwi_rows *given,                            \
                                          struct cwi_working *working)                             \
  {                                                                                                \
    enum { MOST = 1 << 30 };                                                                       \
    ROWS_OF(given);                                                                                \
    const type alpha = *(const type *)(const void *)&working->alpha;                               \
    const type beta = *(const type *)(const void *)&working->beta;                                 \
    const wide step = (wide)rows->index_step;                                                      \
    for (size_t r = 0; r < rows->rows; r++)                                                        \
      for (size_t i = 0; i < rows->count; i += MOST) {                                             \
        const size_t left = rows->count - i;                                                       \
        const int count = left < MOST ? (int)left : MOST;                                          \
        const wide first = (wide)INDEX;                                                            \
        char *to = PLACE(0);                                                                       \
        if (CONTIGUOUS(type, 0))                                                                   \
          for (int k = 0; k < count; k++)                                                          \
            ELEMENT(type, to, k) =                                                                 \
                add_##type(alpha, multiply_##type(counted_##type(first + (wide)k * step), beta));  \
        else                                                                                       \
          for (int k = 0; k < count; k++, to += rows->step[0])                                     \
            ELEMENT(type, to, 0) =                                                                 \
                add_##type(alpha, multiply_##type(counted_##type(first + (wide)k * step), beta));  \
      }                                                                                            \
  }

/* Sums have several parts, so that additions do not wait for each other; which element goes where
 * depends on nothing but the row. */
enum { PARTS = 8 };

#define SUM(name, type, second, sum_type, initial, term, combine, receive)                         \
  CWI_CLONES static void name##_##type(const struct cwi_rows *given, struct cwi_working *working)  \
  {                                                                                                \
    ROWS_OF(given);                                                                                \
    sum_type part[PARTS];                                                                          \
    for (int k = 0; k < PARTS; k++)                                                                \
      part[k] = initial;                                                                           \
    for (size_t r = 0; r < rows->rows; r++) {                                                      \
      size_t i = 0;                                                                                \
      if (CONTIGUOUS(type, 0) && CONTIGUOUS(type, second)) {                                       \
        const type *first = (const type *)(void *)ROW(0),                                          \
                   *other = (const type *)(void *)ROW(second);                                     \
        for (; i + PARTS <= rows->count; i += PARTS)                                               \
          for (int k = 0; k < PARTS; k++) {                                                        \
            const type x = first[i + (size_t)k], y = other[i + (size_t)k];                         \
            (void)y;                                                                               \
            part[k] = combine(part[k], term);                                                      \
          }                                                                                        \
      }                                                                                            \
      for (; i < rows->count; i++) {                                                               \
        const type x = ELEMENT(type, PLACE(0), 0), y = ELEMENT(type, PLACE(second), 0);            \
        (void)y;                                                                                   \
        part[i % PARTS] = combine(part[i % PARTS], term);                                          \
      }                                                                                            \
    }                                                                                              \
    for (int k = 0; k < PARTS; k++)                                                                \
      receive(working, part[k]);                                                                   \
  }

/* What is no number stays. */
static inline double larger(double a, double b)
{
  return b > a || b != b ? b : a;
}

#define PLUS(a, b) ((a) + (b))
#define PLUS_PAIR(a, b) add_pair8(a, b)
#define INTO_WHOLE(working, x) (working)->sum.whole += (x)
#define INTO_REAL(working, x) (working)->sum.real[0] += (x)
#define INTO_PAIR(working, x) (working)->sum.real[0] += (x).re, (working)->sum.real[1] += (x).im
#define INTO_LARGEST(working, x) (working)->sum.real[0] = larger((working)->sum.real[0], x)

/* The extreme element of the rows, and the first of equal ones by index. What is no number comes
 * after all numbers. */
#define CHOICE(type, key_type)                                                                     \
  /* How many of the first elements of a row, at least, are not better than the best so far? */    \
  CWI_CLONES static size_t no_better_##type(const type *x, size_t count, key_type best,            \
                                            bool greatest)                                         \
  {                                                                                                \
    size_t i = 0;                                                                                  \
    for (int others = 0; i + 2 * PARTS <= count; i += 2 * PARTS) {                                 \
      for (int k = 0; k < 2 * PARTS; k++) {                                                        \
        const key_type key = key_##type(x[i + (size_t)k]);                                         \
        others |= greatest ? !(key <= best) : !(key >= best);                                      \
      }                                                                                            \
      if (others != 0)                                                                             \
        break;                                                                                     \
    }                                                                                              \
    return i;                                                                                      \
  }                                                                                                \
                                                                                                   \
  CWI_CLONES static void select_##type(const struct cwi_rows *given, struct cwi_working *working)  \
  {                                                                                                \
    ROWS_OF(given);                                                                                \
    key_type best;                                                                                 \
    const bool greatest = working->greatest;                                                       \
    memcpy(&best, &working->best_key, sizeof best);                                                \
    for (size_t r = 0; r < rows->rows; r++)                                                        \
      for (size_t i = 0; i < rows->count; i++) {                                                   \
        if (i % (2 * PARTS) == 0 && working->found && CONTIGUOUS(type, 0) &&                       \
            rows->index_step > 0 && INDEX > working->best_index)                                   \
          i += no_better_##type((const type *)(void *)PLACE(0), rows->count - i, best, greatest);  \
        if (i == rows->count)                                                                      \
          break;                                                                                   \
        const type x = ELEMENT(type, PLACE(0), 0);                                                 \
        const key_type key = key_##type(x);                                                        \
        if (__builtin_expect(working->found && (greatest ? key < best : key > best), 1))           \
          continue;                                                                                \
        const int64_t index = INDEX;                                                               \
        const bool better = best != best ? key == key : greatest ? key > best : key < best;        \
        const bool worse = key != key && best == best;                                             \
        if (working->found && (worse || (!better && index >= working->best_index)))                \
          continue;                                                                                \
        working->found = true;                                                                     \
        best = key;                                                                                \
        memcpy(&working->best, &x, sizeof x);                                                      \
        working->best_index = index;                                                               \
      }                                                                                            \
    memcpy(&working->best_key, &best, sizeof best);                                                \
  }

/* The sum since the last flag goes to each place behind it. */
#define RUNNING(type)                                                                              \
  static void running_##type(const void *from, const unsigned char *flags, void *to, size_t count, \
                             struct cwi_running *running)                                          \
  {                                                                                                \
    const bool exclusive = running->exclusive;                                                     \
    bool begun = running->begun;                                                                   \
    type sum, none;                                                                                \
    memset(&none, 0, sizeof none);                                                                 \
    memcpy(&sum, &running->sum, sizeof sum);                                                       \
    for (size_t i = 0; i < count; i++) {                                                           \
      sum = flags[i] != 0 ? none : sum;                                                            \
      begun = begun || flags[i] != 0;                                                              \
      const type next = add_##type(sum, ((const type *)from)[i]);                                  \
      ((type *)to)[i] = exclusive ? sum : next;                                                    \
      sum = next;                                                                                  \
    }                                                                                              \
    running->begun = begun;                                                                        \
    memcpy(&running->sum, &sum, sizeof sum);                                                       \
  }

#define KERNELS(type, key_type)                                                                    \
  EACH(scale, type, 0, 0, 0, multiply_##type(alpha, x))                                            \
  EACH(add_constant, type, 0, 0, 0, add_##type(x, alpha))                                          \
  EACH(added, type, 0, 1, 1, add_##type(x, y))                                                     \
  EACH(absolute_value, type, 0, 0, 0, absolute_##type(x))                                          \
  EACH(reciprocal, type, 0, 0, 0, divide_##type(one_##type(), x, &zeros))                          \
  EACH(conjugated, type, 0, 0, 0, conjugate_##type(x))                                             \
  EACH(weighted_sum, type, 1, 2, 2, weigh_##type(alpha, x, beta, y))                               \
  EACH(product, type, 1, 2, 2, multiply_##type(x, y))                                              \
  EACH(quotient, type, 1, 2, 2, divide_##type(x, y, &zeros))                                       \
  EACH(maximum, type, 1, 2, 2, key_##type(x) < key_##type(y) ? y : x)                              \
  EACH(minimum, type, 1, 2, 2, key_##type(y) < key_##type(x) ? y : x)                              \
  EACH(median, type, 1, 2, 3, MIDDLE(type))                                                        \
  COUNTED(randomize, type, RANDOM(type))                                                           \
  SUM(norm_sum, type, 0, double, 0.0, modulus_##type(x), PLUS, INTO_REAL)                          \
  SUM(norm_squares, type, 0, double, 0.0, square_##type(x), PLUS, INTO_REAL)                       \
  SUM(norm_maximum, type, 0, double, 0.0, modulus_##type(x), larger, INTO_LARGEST)                 \
  CHOICE(type, key_type)                                                                           \
  MEAN(type)                                                                                       \
  RUNNING(type)

KERNELS(whole4, whole4)
KERNELS(whole8, whole8)
KERNELS(real4, real4)
KERNELS(real8, real8)
KERNELS(pair4, double)
KERNELS(pair8, double)

static inline double real_step(double x, double v, double bound, double endless)
{
  return v == 0 ? endless : (bound - x) / v;
}

/* From a value within its bounds no step is less than 0. The way may be longer than the type's
 * greatest number, and the speed too. */
static inline int64_t whole_step(int64_t x, int64_t v, int64_t bound, int64_t endless)
{
  const uint64_t from = (uint64_t)x, to = (uint64_t)bound;
  const uint64_t way = v < 0 ? from - to : to - from;
  const uint64_t speed = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  const uint64_t step = v == 0 ? (uint64_t)endless : way / speed;
  return step < (uint64_t)endless ? (int64_t)step : endless;
}

/* How often v may be added to x. Without bounds only 0 is one, from above. `steps` of `wide`
 * numbers: where `sum` has them. */
#define STEP(type, wide, steps, endless_of, step_of)                                               \
  static void step_##type(const struct cwi_rows *given, struct cwi_working *working)               \
  {                                                                                                \
    ROWS_OF(given);                                                                                \
    const bool bounded = working->bounded;                                                         \
    const wide endless = working->alpha.endless_of;                                                \
    wide least = working->sum.steps[0], most = working->sum.steps[1];                              \
    size_t outside = 0;                                                                            \
    for (size_t r = 0; r < rows->rows; r++)                                                        \
      for (size_t i = 0; i < rows->count; i++) {                                                   \
        const type x = ELEMENT(type, PLACE(0), 0), v = ELEMENT(type, PLACE(1), 0);                 \
        const type low = bounded ? ELEMENT(type, PLACE(2), 0) : 0;                                 \
        const type high = bounded ? ELEMENT(type, PLACE(3), 0) : x;                                \
        outside += x < low || x > high;                                                            \
        if (!bounded && !(v < 0))                                                                  \
          continue;                                                                                \
        const wide step = step_of(x, v, v < 0 ? low : high, endless);                              \
        least = step < least ? step : least;                                                       \
        most = step > most ? step : most;                                                          \
      }                                                                                            \
    working->sum.steps[0] = least;                                                                 \
    working->sum.steps[1] = most;                                                                  \
    working->outside += outside;                                                                   \
  }

STEP(whole4, int64_t, steps, i64, whole_step)
STEP(whole8, int64_t, steps, i64, whole_step)
STEP(real4, double, real, d[0], real_step)
STEP(real8, double, real, d[0], real_step)

#define WIDE_PAIR(x) ((pair8){(double)(x).re, (double)(x).im})
SUM(dot, whole4, 1, uint64_t, 0, (uint64_t)x *(uint64_t)y, PLUS, INTO_WHOLE)
SUM(dot, whole8, 1, uint64_t, 0, (uint64_t)x *(uint64_t)y, PLUS, INTO_WHOLE)
SUM(dot, real4, 1, double, 0.0, (double)x *(double)y, PLUS, INTO_REAL)
SUM(dot, real8, 1, double, 0.0, x *y, PLUS, INTO_REAL)
SUM(dot, pair4, 1, pair8, ((pair8){0, 0}), multiply_pair8(WIDE_PAIR(x), WIDE_PAIR(y)), PLUS_PAIR,
    INTO_PAIR)
SUM(dot, pair8, 1, pair8, ((pair8){0, 0}), multiply_pair8(x, y), PLUS_PAIR, INTO_PAIR)

ENUMERATE(whole4, int64_t)
ENUMERATE(whole8, int64_t)
ENUMERATE(real4, double)
ENUMERATE(real8, double)
ENUMERATE(pair4, double)
ENUMERATE(pair8, double)

/* alpha and beta are complex, and not both real. */
EACH(complex_sum, pair4, 1, 2, 2, add_pair4(multiply_pair4(alpha, x), multiply_pair4(beta, y)))
EACH(complex_sum, pair8, 1, 2, 2, add_pair8(multiply_pair8(alpha, x), multiply_pair8(beta, y)))

#define SUM_OF_PAIRS(type)                                                                         \
  static void sum_##type(const struct cwi_rows *rows, struct cwi_working *working)                 \
  {                                                                                                \
    if (working->plain)                                                                            \
      weighted_sum_##type(rows, working);                                                          \
    else                                                                                           \
      complex_sum_##type(rows, working);                                                           \
  }
SUM_OF_PAIRS(pair4)
SUM_OF_PAIRS(pair8)

#define TABLE(type, sum, step)                                                                     \
  static const cwi_kernel table_##type[CWI_DEEDS] = {                                              \
      [CWI_SCALE] = scale_##type,                                                                  \
      [CWI_ADD_CONSTANT] = add_constant_##type,                                                    \
      [CWI_ADD] = added_##type,                                                                    \
      [CWI_ABSOLUTE] = absolute_value_##type,                                                      \
      [CWI_RECIPROCAL] = reciprocal_##type,                                                        \
      [CWI_CONJUGATE] = conjugated_##type,                                                         \
      [CWI_ELEMENT_SUM] = sum,                                                                     \
      [CWI_ELEMENT_PRODUCT] = product_##type,                                                      \
      [CWI_ELEMENT_QUOTIENT] = quotient_##type,                                                    \
      [CWI_ELEMENT_MAXIMUM] = maximum_##type,                                                      \
      [CWI_ELEMENT_MINIMUM] = minimum_##type,                                                      \
      [CWI_MEDIAN] = median_##type,                                                                \
      [CWI_MEAN] = mean_##type,                                                                    \
      [CWI_RANDOM] = randomize_##type,                                                             \
      [CWI_ENUMERATE] = enumerate_##type,                                                          \
      [CWI_DOT] = dot_##type,                                                                      \
      [CWI_NORM_SUM] = norm_sum_##type,                                                            \
      [CWI_NORM_SQUARES] = norm_squares_##type,                                                    \
      [CWI_NORM_MAXIMUM] = norm_maximum_##type,                                                    \
      [CWI_SELECT] = select_##type,                                                                \
      [CWI_STEP] = (step),                                                                         \
  };

TABLE(whole4, weighted_sum_whole4, step_whole4)
TABLE(whole8, weighted_sum_whole8, step_whole8)
TABLE(real4, weighted_sum_real4, step_real4)
TABLE(real8, weighted_sum_real8, step_real8)
TABLE(pair4, sum_pair4, NULL)
TABLE(pair8, sum_pair8, NULL)

const cwi_kernel *const cwi_kernels[CW_TYPES] = {
    table_whole4, table_whole8, table_real4, table_real8, table_pair4, table_pair8, table_whole8};

const cwi_running_kernel cwi_running_kernels[CW_TYPES] = {
    running_whole4, running_whole8, running_real4, running_real8,
    running_pair4,  running_pair8,  running_whole8};
