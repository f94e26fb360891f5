/* Included before src/core/number/kernels_update.c: the processor's atomics become a load and a
 * store with a pause between them. */
#include <sched.h>

static inline void lose_time(void)
{
  static unsigned calls;
  if (++calls % 4 == 0)
    sched_yield();
}

#define TORN(to, made)                                                                             \
  ({                                                                                               \
    const __typeof__(*(to)) there = *(volatile __typeof__(*(to)) *)(to);                           \
    lose_time();                                                                                   \
    *(volatile __typeof__(*(to)) *)(to) = (__typeof__(*(to)))(made);                               \
    there;                                                                                         \
  })

#define __atomic_fetch_add(to, value, order) TORN(to, there + (value))
#define __atomic_fetch_and(to, value, order) TORN(to, there &(value))
#define __atomic_fetch_or(to, value, order) TORN(to, there | (value))
#define __atomic_fetch_xor(to, value, order) TORN(to, there ^ (value))
#define __atomic_exchange_n(to, value, order) TORN(to, value)
#define __atomic_compare_exchange_n(to, expected, value, weak, success, failure)                   \
  ({                                                                                               \
    const __typeof__(*(to)) seen = TORN(to, there == *(expected) ? (value) : there);               \
    const _Bool same = seen == *(expected);                                                        \
    *(expected) = seen;                                                                            \
    same;                                                                                          \
  })
