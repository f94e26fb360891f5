/* The order in which other processes of the node see the stores of a process to shared memory.
 *
 * A put or an accumulate is a release. If another process reads the stored value with acquire, it
 * sees everything that the origin did before. A get is an acquire: everything that the origin does
 * afterwards comes after the loads of the get. So if a process puts data and then a flag, another
 * process that gets the new flag and then the data gets the new data. An aligned word of 8 bytes
 * that is transferred alone is stored or loaded in one piece. Longer runs are copied as copy.h
 * describes: a process that loads a word during the put may find bytes of both values.
 *
 * x86 keeps this order in hardware; there both fences only keep the compiler from reordering. */
#pragma once

#include <stdint.h>

/* Call before the stores of a put. */
static inline void cwi_release(void)
{
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Call after the loads of a get. */
static inline void cwi_acquire(void)
{
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Copies 8 bytes with exactly one load and one store, which the compiler must not split or merge.
 */
static inline void cwi_move_word(void *to, const void *from)
{
  typedef uint64_t any_word __attribute__((aligned(1), may_alias));
  *(volatile any_word *)to = *(const volatile any_word *)from;
}
