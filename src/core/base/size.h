/* Sizes that cannot overflow, and rounding. */
#ifndef CWI_BASE_SIZE_H
#define CWI_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when the result does not fit. */
static inline bool cwi_multiply(size_t a, size_t b, size_t *product)
{
  return !__builtin_mul_overflow(a, b, product);
}

static inline bool cwi_add(size_t a, size_t b, size_t *sum)
{
  return !__builtin_add_overflow(a, b, sum);
}

/* No processor that we run on has a larger address space: longer buffers are mistakes. */
#define CWI_MOST_BYTES (((size_t)1 << 48) - 1)

/* Can memory hold `count` things of so many bytes? */
static inline bool cwi_is_possible(size_t count, size_t bytes)
{
  size_t all = 0;
  return cwi_multiply(count, bytes, &all) && all <= CWI_MOST_BYTES;
}

/* Round up to a multiple of a power of two. Sizes near SIZE_MAX wrap: what a program asked for goes
 * through cwi_round_up_fits. */
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

/* Floor of log2; 0 for 0. */
static inline unsigned cwi_log2(size_t value)
{
  return value < 2 ? 0 : 63u - (unsigned)__builtin_clzl(value);
}
#endif
