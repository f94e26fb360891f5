/* Locks and signals between processes: words on which threads nap in the kernel. */
#include "wait/lock.h"

#include "wait/failures.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NAP_NANOSECONDS = 1000000 };

/* Returns early on a wake-up, a changed word or a signal. The caller polls again in any case. */
void cwi_word_nap(const uint32_t *word, uint32_t value, long nanoseconds)
{
  enum { SECOND = 1000000000 };
  const struct timespec limit = {nanoseconds / SECOND, nanoseconds % SECOND};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

void cwi_word_wake(const uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The sleeper increments `sleepers` before the kernel compares the value; the waker advances the
 * value before it reads `sleepers`. So one of the two always sees the other. */
void cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds)
{
  __atomic_fetch_add(&signal->sleepers, 1, __ATOMIC_SEQ_CST);
  cwi_word_nap(&signal->value, value, nanoseconds);
  __atomic_fetch_sub(&signal->sleepers, 1, __ATOMIC_RELAXED);
}

void cwi_signal_wait(struct cwi_wait *wait, struct cwi_signal *signal, uint32_t value)
{
  if (cwi_wait_pass(wait))
    return;
  cwi_serve_end();
  cwi_signal_nap(signal, value, NAP_NANOSECONDS);
}

void cwi_signal_advance(struct cwi_signal *signal)
{
  __atomic_fetch_add(&signal->value, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&signal->sleepers, __ATOMIC_SEQ_CST) != 0)
    cwi_word_wake(&signal->value);
}

uint32_t cwi_lock_holder = 1;

static bool lock_is_free(uint32_t holder)
{
  return holder == 0 || cwi_has_failed((int)holder - 1);
}

void cwi_lock_slow(uint32_t *word)
{
  struct cwi_wait wait = {0};
  uint32_t seen = cwi_lock_holder;
  while (!lock_is_free(seen) || !__atomic_compare_exchange_n(word, &seen, cwi_lock_holder, false,
                                                             __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    if (!cwi_wait_unserved(&wait))
      sched_yield();
    seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  }
}
