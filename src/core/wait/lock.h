/* Locks and signals that work between processes: words in shared memory, with futexes underneath.
 *
 * failures.c       processes that have failed
 * lock.c           locks and signals between processes
 * object_table.c   objects that the program has handles of, and recognition of freed ones
 * process_watch.c  a thread that learns when processes end
 * status_page.c    the page of a process that cw-top reads
 * status_waits.c   waits of threads on that page
 * thread.c         starts Causeway's own threads
 * waiter.c         waits of threads: how long they spin, yield and nap
 * wait_report.c    the message about a wait that takes very long */
#pragma once

#include "wait/waiter.h"

#include <stdbool.h>
#include <stdint.h>

/* A number in shared memory. Processes wait until it changes. */
struct cwi_signal {
  uint32_t value;
  uint32_t sleepers;
};

/* Makes one pass of a wait for the signal to change from `value`. The caller's loop polls between
 * passes. */
void cwi_signal_wait(struct cwi_wait *wait, struct cwi_signal *signal, uint32_t value);

/* Adds one to the signal. A thread that reads the new value sees all earlier stores of this thread.
 */
void cwi_signal_advance(struct cwi_signal *signal);

/* Sleeps in the kernel until the signal changes from `value`, for at most `nanoseconds`. */
void cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds);

/* Like the nap and the wake-up of a signal, but for any word: cwi_word_nap sleeps while the word
 * has the value, cwi_word_wake wakes all its sleepers. Naps may end early. */
void cwi_word_nap(const uint32_t *word, uint32_t value, long nanoseconds);
void cwi_word_wake(const uint32_t *word);

/* Returns the value of the signal, with acquire: the caller then sees all stores that preceded the
 * last cwi_signal_advance. */
static inline uint32_t cwi_signal_value(const struct cwi_signal *signal)
{
  return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE);
}

/* A lock word in shared memory that is held for microseconds: 0 is free; otherwise it is the
 * holder's cwi_lock_holder. A thread that finds it held spins, then yields. No thread sleeps on it,
 * so unlocking is a plain store. cwi_lock_holder is 1 or, in a job that survives failures, the
 * process number + 1: a lock of a failed process goes to the next thread that wants it. The data
 * that such a lock guards must be valid after each store of the holder. */
extern uint32_t cwi_lock_holder __attribute__((visibility("hidden")));
void cwi_lock_slow(uint32_t *word);

static inline void cwi_lock(uint32_t *word)
{
  uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(word, &expected, cwi_lock_holder, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    cwi_lock_slow(word);
}

static inline void cwi_unlock(uint32_t *word)
{
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}
