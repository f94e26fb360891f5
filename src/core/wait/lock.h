/* Waiting and locks that work between processes: words in shared memory, futexes underneath.
 *
 * A waiter spins, then yields, then sleeps in the kernel in short naps; between naps it lets MPI
 * progress and poll_count whether the process it waits for still lives.
 *
 * lock.c          locks and signals between processes
 * object_table.c  objects that the program has handles of: which live, which were freed
 * status_page.c   what a process shows to those who look at it from outside (cw-top)
 * status_waits.c  waits of threads there
 * thread.c        starting threads of ours
 * wait_report.c   the message about a wait that takes very long */
#ifndef CWI_WAIT_LOCK_H
#define CWI_WAIT_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* One wait in progress; start with {0}. */
struct cwi_wait {
  unsigned passes;
  unsigned spin;       /* passes of spinning, chosen at the first */
  unsigned last;       /* and of yielding */
  unsigned poll_count; /* the caller's own count */
  bool sleeps; /* the caller sleeps until the very thing comes: where cores are short, soon */
};

static inline void cwi_pause(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Spin or yield; false when it is time to sleep instead: the caller does that. */
bool cwi_wait_pass(struct cwi_wait *wait);

/* Look until come(context), and pass the time between poll_count; at last, or soon where the core
 * is wanted, by naps of so many nanoseconds, and up to four times as many; 0: at last by giving the
 * core away. */
void cwi_wait_until(bool (*come)(void *context), void *context, long nap_nanoseconds);

/* The same for a thread for which another one of its process poll_count: it neither serves nor
 * calls MPI.
 */
bool cwi_wait_passively(struct cwi_wait *wait);

/* A number in shared memory that processes wait to change. */
struct cwi_signal {
  uint32_t value;
  uint32_t sleepers;
};

/* Pass some time while the signal still holds `value`. Call in a loop that poll_count again. */
void cwi_signal_wait(struct cwi_wait *wait, struct cwi_signal *signal, uint32_t value);

/* Add one to the signal: a thread that sees the new value sees everything before. */
void cwi_signal_advance(struct cwi_signal *signal);

/* Sleep in the kernel until the signal changes from `value`, at most so long. */
void cwi_signal_nap(struct cwi_signal *signal, uint32_t value, long nanoseconds);

/* The two halves of that, for words of other kinds. Naps may end early. */
void cwi_word_nap(const uint32_t *word, uint32_t value, long nanoseconds);
void cwi_word_wake(const uint32_t *word);

static inline uint32_t cwi_signal_value(const struct cwi_signal *signal)
{
  return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE);
}

/* Turns of spinning before a waiter yields its core. Crowded: processes outnumber the cores. */
void cwi_set_spin(unsigned passes, bool crowded);

/* Give the core away once, and learn whether somebody wanted it. */
void cwi_yield(void);

/* For calls that look once and return without what they looked for: a thread that makes them again
 * and again, and does nothing else, gives the core away where it is wanted. */
void cwi_yield_after_poll(void);

/* Others want this core, now or as a rule: a thread that waits should sleep. */
bool cwi_core_is_wanted(void);

/* What a waiter calls between naps (MPI progress, dead peers); NULL: nothing. */
typedef void (*cwi_idle_function)(void);
void cwi_set_idle(cwi_idle_function function);

/* What a waiter does on every turn: a process that is host to its node's server serves. NULL:
 * nothing. */
enum cwi_help {
  CWI_HELP_ON,   /* once; the next turn comes at once */
  CWI_HELP_ONCE, /* once; others may run before the next turn */
  CWI_HELP_ENDS  /* no more: the thread naps, and no message wakes it */
};
typedef void (*cwi_help_function)(enum cwi_help what);
void cwi_set_help(cwi_help_function function);

/* How a waiter naps that messages for its process may wake: at most so long; false: none would, it
 * has not napped. NULL: none would. */
typedef bool (*cwi_nap_function)(long nanoseconds);
void cwi_set_nap(cwi_nap_function function);
bool cwi_nap_on_messages(long nanoseconds);

/* What this thread does on every turn of a wait in which it does not serve, of locks too, from now
 * on; NULL: nothing. Others may wait for what it alone can collect, with the lock in their hands
 * that it waits for. What it does is not done within itself; it must not wait, nor need a lock that
 * the thread may hold. */
void cwi_wait_with(void (*meanwhile)(void));

/* This thread has served while it waited: it spins for a while again, as the next request may come
 * soon. */
void cwi_wait_was_useful(void);

/* What it serves goes on as long as somebody poll_count: it yields, and does not sleep. */
void cwi_wait_yields(void);

/* Let a process that is host serve once. */
void cwi_serve_meanwhile(void);

/* A lock word in shared memory, held for microseconds: 0 free, 1 held. A thread that finds it
 * held spins, then yields. Nobody is woken, so that unlocking is a plain store. */
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
