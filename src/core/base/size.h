/* Arithmetic on sizes without overflow, and rounding. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* These return false if the result does not fit. */
static inline bool cwi_multiply(size_t a, size_t b, size_t *product)
{
  return !__builtin_mul_overflow(a, b, product);
}

static inline bool cwi_add(size_t a, size_t b, size_t *sum)
{
  return !__builtin_add_overflow(a, b, sum);
}

/* Upper bound on the length of a buffer. No supported processor has a larger address space, so a
 * longer one is a mistake. */
#define CWI_MOST_BYTES (((size_t)1 << 48) - 1)

/* Returns true if memory can hold `count` elements of `bytes` bytes. */
static inline bool cwi_is_possible(size_t count, size_t bytes)
{
  size_t all = 0;
  return cwi_multiply(count, bytes, &all) && all <= CWI_MOST_BYTES;
}

/* Rounds up to a multiple of a power of two. Sizes near SIZE_MAX wrap; use cwi_round_up_fits for
 * sizes from the program. */
static inline size_t cwi_round_up(size_t bytes, size_t power)
{
  return (bytes + power - 1) & ~(power - 1);
}

static inline bool cwi_round_up_fits(size_t bytes, size_t power, size_t *rounded)
{
  if (!cwi_add(bytes, power - 1, rounded))
    return false;
  *rounded &= ~(power - 1);
  return true;
}

/* Return the lesser of two numbers, and a quotient of positive numbers rounded up. */
static inline int64_t cwi_lesser(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static inline int64_t cwi_divide_up(int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* Returns floor(log2(value)), or 0 for 0. */
static inline unsigned cwi_log2(size_t value)
{
  return value < 2 ? 0 : 63u - (unsigned)__builtin_clzl(value);
}
