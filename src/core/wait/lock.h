/* Waiting and locks that work between processes: words in shared memory, with futexes underneath.
 *
 * A waiting thread spins, then yields, then sleeps in the kernel in short naps. Between naps it
 * lets MPI progress and checks whether the process that it waits for still lives.
 *
 * lock.c          locks and signals between processes
 * object_table.c  objects that the program has handles of, and recognition of freed ones
 * status_page.c   the page of a process that cw-top reads
 * status_waits.c  waits of threads on that page
 * thread.c        starts threads of ours
 * wait_report.c   the message about a wait that takes very long */
#ifndef CWI_WAIT_LOCK_H
#define CWI_WAIT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* State of one wait. Initialize it with {0}. */
struct cwi_wait {
  unsigned passes;
  unsigned spin;       /* number of passes of spinning, chosen in the first pass */
  unsigned last;       /* number of passes of spinning and yielding */
  unsigned poll_count; /* free for the caller, which may count its polls */
  /* the caller sleeps until exactly the awaited event; where cores are short, it does so soon */
  bool sleeps;
};

/* Hints to the processor that this is a spin loop. */
static inline void cwi_pause(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Makes one pass of a wait: spins or yields. Returns false when it is time to sleep instead, which
 * the caller does. */
bool cwi_wait_pass(struct cwi_wait *wait);

/* Polls come(context) until it returns true. Between polls the thread spins and then yields. At
 * last, or soon where the core is wanted, it naps for nap_nanoseconds, and for up to four times as
 * long if nothing comes. If nap_nanoseconds is 0, it yields at last. */
void cwi_wait_until(bool (*come)(void *context), void *context, long nap_nanoseconds);

/* Like cwi_wait_pass, for a thread on whose behalf another thread of the process polls: it neither
 * serves nor calls MPI. */
bool cwi_wait_passively(struct cwi_wait *wait);

/* A number in shared memory whose change processes wait for. */
struct cwi_signal {
  uint32_t value;
  uint32_t sleepers;
};

/* Makes one pass of a wait while the signal still holds `value`. Called in a loop that polls again.
 */
void cwi_signal_wait(struct cwi_wait *wait, struct cwi_signal *signal, uint32_t value);

/* Adds one to the signal. A thread that reads the new value sees all earlier stores of this thread.
 */
void cwi_signal_advance(struct cwi_signal *signal);

/* Sleeps in the kernel until the signal changes from `value`, for at most `nanoseconds`. */
void cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds);

/* The two halves of a signal's nap and wake-up, for other words: cwi_word_nap sleeps while the word
 * has the value, cwi_word_wake wakes all its sleepers. Naps may end early. */
void cwi_word_nap(const uint32_t *word, uint32_t value, long nanoseconds);
void cwi_word_wake(const uint32_t *word);

/* Returns the value of the signal, with acquire: the caller then sees what its last change
 * published. */
static inline uint32_t cwi_signal_value(const struct cwi_signal *signal)
{
  return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE);
}

/* Sets the number of passes of spinning before a waiting thread yields its core, and whether
 * processes outnumber the cores. */
void cwi_set_spin(unsigned passes, bool crowded);

/* Yields the core once, and records whether another thread wanted it. */
void cwi_yield(void);

/* For calls that poll once and return without a result. A thread that makes them repeatedly, and
 * does nothing else, yields the core where it is wanted. */
void cwi_yield_after_poll(void);

/* Returns true if other threads want this core, now or usually: a waiting thread should sleep soon.
 */
bool cwi_core_is_wanted(void);

/* Sets the function that a waiting thread calls between naps (MPI progress, liveness of peers);
 * NULL for none. */
typedef void (*cwi_idle_function)(void);
void cwi_set_idle(cwi_idle_function function);

/* Sets the function that a waiting thread calls in every pass, by which a process that is host to
 * its node's server serves requests; NULL for none. */
enum cwi_help {
  CWI_HELP_ON,   /* serve once; the next pass follows at once */
  CWI_HELP_ONCE, /* serve once; other threads may run before the next pass */
  CWI_HELP_ENDS  /* stop serving: the thread naps, and no message wakes it */
};
typedef void (*cwi_help_function)(enum cwi_help what);
void cwi_set_help(cwi_help_function function);

/* cwi_set_nap sets the function by which a waiting thread naps so that messages for its process
 * wake it; NULL for none. cwi_nap_on_messages calls it, for at most `nanoseconds`. Both return
 * false if no message would wake the thread; it has not napped then. */
typedef bool (*cwi_nap_function)(long nanoseconds);
void cwi_set_nap(cwi_nap_function function);
bool cwi_nap_on_messages(long nanoseconds);

/* Sets the function that this thread calls from now on in every pass of a wait in which it does not
 * serve, also for locks; NULL for none. Other threads may wait for something that only this thread
 * can receive, while they hold the lock that it waits for. The function is not called recursively.
 * It must not wait, nor take a lock that the thread may hold. */
void cwi_wait_with(void (*meanwhile)(void));

/* Reports that this thread has served while it waited. It spins for a while again, as the next
 * request may come soon. */
void cwi_wait_was_useful(void);

/* Reports that what this thread serves progresses only while a thread polls. It yields and does not
 * sleep. */
void cwi_wait_yields(void);

/* Serves once if this process is host to its node's server. */
void cwi_serve_meanwhile(void);

/* A lock word in shared memory that is held for microseconds: 0 is free, 1 is held. A thread that
 * finds it held spins, then yields. No thread sleeps on it, so unlocking is a plain store. */
void cwi_lock_slow(uint32_t *word);

static inline void cwi_lock(uint32_t *word)
{
  uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(word, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    cwi_lock_slow(word);
}

static inline void cwi_unlock(uint32_t *word)
{
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}
#endif
