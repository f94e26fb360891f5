/* In which order other processes of the node see what a process does to shared memory.
 *
 * A put or an accumulate is a release: a process that sees what it has stored, and acquires, sees
 * everything that this process did before. A get is an acquire: what this process does later comes
 * after what the get has read. So data and then a flag, both put, arrive in that order, and are
 * found in it by gets. An aligned word of 8 bytes that is moved alone moves in one piece. Longer
 * runs are the copy's affair (copy.h): who loads a word of one while it is put may find bytes of
 * both.
 *
 * x86 keeps this order anyway: there both fences only keep the compiler from changing it. */
#ifndef CWI_BASE_MEMORY_ORDER_H
#define CWI_BASE_MEMORY_ORDER_H

#include <stdint.h>

/* Before the stores of a put. */
static inline void cwi_release(void)
{
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* After the loads of a get. */
static inline void cwi_acquire(void)
{
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* One load and one store, whatever the compiler would rather do. */
static inline void cwi_move_word(void *to, const void *from)
{
  typedef uint64_t any_word __attribute__((aligned(1), may_alias));
  *(volatile any_word *)to = *(const volatile any_word *)from;
}
#endif
