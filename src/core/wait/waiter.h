/* Waiting: a thread spins, then yields, then naps. Every loop that waits is made of these parts:
 *
 *   struct cwi_wait wait = {.sleeps = true};
 *   while (!has_arrived())
 *     if (!cwi_wait_pass(&wait))
 *       cwi_nap(NANOSECONDS);
 *
 * Loops differ in what ends a nap: a word in shared memory (cwi_signal_nap, cwi_word_nap), a
 * message (cwi_sleep of mpi/mpi_sleep.h), both (cwi_nap_on_messages), or only the time (cwi_nap).
 * The lengths of the naps are what an idle thread costs; the test server.idle counts the naps. */
#ifndef CWI_WAIT_WAITER_H
#define CWI_WAIT_WAITER_H

#include <stdbool.h>

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

/* Makes one pass of a wait: spins or yields. Returns false when it is time to nap instead, which
 * the caller does. Lets MPI progress, and serves if this process is host to its node's server. */
bool cwi_wait_pass(struct cwi_wait *wait);

/* Like cwi_wait_pass, for a thread on whose behalf another thread of the process polls: it neither
 * serves nor calls MPI. */
bool cwi_wait_passively(struct cwi_wait *wait);

/* Like cwi_wait_pass, but does not serve: serving may need a lock that this thread holds. */
bool cwi_wait_unserved(struct cwi_wait *wait);

/* Polls come(context) until it returns true. Between polls the thread spins and then yields. At
 * last, or soon where the core is wanted, it naps for nap_nanoseconds, and for up to four times as
 * long if nothing comes. If nap_nanoseconds is 0, it yields at last. */
void cwi_wait_until(bool (*condition)(void *context), void *context, long nap_nanoseconds);

/* Sleeps; nothing wakes the thread before the time is over, and it wakes on time. */
void cwi_nap(long nanoseconds);

/* Returns twice the length of a nap, but at most `longest`. */
static inline long cwi_nap_doubled(long nap, long longest)
{
  return 2 * nap < longest ? 2 * nap : longest;
}

/* Returns the length in nanoseconds of a nap of a thread that has waited for `seconds`: this share
 * of them, but at least `shortest` and at most `longest`. */
long cwi_nap_share(double seconds, double share, long shortest, long longest);

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
 * NULL for none. A pointer, because MPI and the node's memory belong to higher modules. */
typedef void (*cwi_idle_function)(void);
void cwi_set_idle(cwi_idle_function function);

/* Sets two functions of a process that is host to its node's server; NULL for none. Pointers,
 * because the server belongs to a higher module and few processes have one. A waiting thread calls
 * `help` in every pass, to serve requests. */
enum cwi_help {
  CWI_HELP_ON,   /* serve once; the next pass follows at once */
  CWI_HELP_ONCE, /* serve once; other threads may run before the next pass */
  CWI_HELP_ENDS  /* stop serving: the thread naps, and no message wakes it */
};
typedef void (*cwi_help_function)(enum cwi_help what);
typedef bool (*cwi_nap_function)(long nanoseconds);
void cwi_set_server(cwi_help_function help, cwi_nap_function nap);

/* Calls `nap`, which naps so that messages for the process wake the thread, for at most
 * `nanoseconds`. Returns false, without a nap, if no message would wake it. */
bool cwi_nap_on_messages(long nanoseconds);

/* cwi_serve_meanwhile serves once if this process is host to its node's server. cwi_serve_end
 * notifies the server's thread, which may stand back while this thread serves, that it naps now. */
void cwi_serve_meanwhile(void);
void cwi_serve_end(void);

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
#endif
