/* Waiting: a thread spins, then yields, then naps. Every loop that waits is made of these parts:
 *
 *   struct cwi_wait wait = {.sleeps = true};
 *   while (!has_arrived())
 *     if (!cwi_wait_pass(&wait))
 *       cwi_nap(NANOSECONDS);
 *
 * Loops differ in what ends a nap: a word in shared memory (cwi_signal_nap, cwi_word_nap), a
 * message (cwi_sleep of mpi/mpi_sleep.h), both (cwi_nap_on_messages), or only the time (cwi_nap).
 * The lengths of the naps determine what an idle thread costs; the test server.idle counts the
 * naps. */
#pragma once

#include <stdbool.h>

/* State of one wait. Initialize it with {0}. */
struct cwi_wait {
  unsigned passes;
  unsigned spin;       /* number of passes of spinning, chosen in the first pass */
  unsigned last;       /* number of passes of spinning and yielding */
  unsigned poll_count; /* free for the caller, which may count its polls */
  /* true if the caller naps after its passes; it then makes fewer passes if the core is wanted */
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

/* Makes one pass of a wait: spins or yields. Returns false when the caller should nap. Lets MPI
 * progress, and serves requests if this process is host to its node's server. */
bool cwi_wait_pass(struct cwi_wait *wait);

/* Like cwi_wait_pass, but neither serves nor calls MPI. It is for a thread that waits for another
 * thread of the process, which polls on its behalf. */
bool cwi_wait_passively(struct cwi_wait *wait);

/* Like cwi_wait_pass, but does not serve: serving may need a lock that this thread holds. */
bool cwi_wait_unserved(struct cwi_wait *wait);

/* Calls condition(context) until it returns true. Between the calls the thread spins and then
 * yields. After that, or soon if the core is wanted, it naps for nap_nanoseconds. While the
 * condition stays false, naps get up to four times as long. If nap_nanoseconds is 0, the thread
 * never naps and yields instead. */
void cwi_wait_until(bool (*condition)(void *context), void *context, long nap_nanoseconds);

/* Sleeps for this time. No message and no change of memory wakes the thread earlier, and it does
 * not wake later. */
void cwi_nap(long nanoseconds);

/* Returns twice the length of a nap, but at most `longest`. */
static inline long cwi_nap_doubled(long nap, long longest)
{
  return 2 * nap < longest ? 2 * nap : longest;
}

/* Returns the length of a nap, in nanoseconds, for a thread that has waited for `seconds`. It is
 * `share` times that time, but at least `shortest` and at most `longest`. */
long cwi_nap_share(double seconds, double share, long shortest, long longest);

/* Sets the number of passes of spinning before a waiting thread yields its core, and whether
 * processes outnumber the cores. */
void cwi_set_spin(unsigned passes, bool crowded);

/* Yields the core once, and records whether another thread wanted it. */
void cwi_yield(void);

/* Yields the core if it is wanted and the thread only polls. It is for calls that poll once and
 * have found nothing. A thread that computes for more than some microseconds between two such calls
 * does not yield. */
void cwi_yield_after_poll(void);

/* Returns true if other threads want this core, now or usually. A waiting thread should then nap
 * soon. */
bool cwi_core_is_wanted(void);

/* Sets the function that a waiting thread calls between naps (MPI progress, liveness of peers);
 * NULL for none. It is set by a pointer, because MPI and the node's memory belong to higher
 * modules. */
typedef void (*cwi_idle_function)(void);
void cwi_set_idle(cwi_idle_function function);

/* Sets two functions of a process that is host to its node's server; NULL for none. They are set by
 * pointers, because the server belongs to a higher module and few processes have one. A waiting
 * thread calls `help` in every pass, to serve requests. */
enum cwi_help {
  CWI_HELP_ON,   /* serve once; the next pass follows at once */
  CWI_HELP_ONCE, /* serve once; other threads may run before the next pass */
  CWI_HELP_ENDS  /* stop serving: the thread naps, and no message wakes it */
};
typedef void (*cwi_help_function)(enum cwi_help what);
typedef bool (*cwi_nap_function)(long nanoseconds);
void cwi_set_server(cwi_help_function help, cwi_nap_function nap);

/* Naps for at most `nanoseconds`, by the function `nap` of cwi_set_server. A message for the
 * process wakes the thread. Returns false without a nap if no message would wake it. */
bool cwi_nap_on_messages(long nanoseconds);

/* cwi_serve_meanwhile serves once if this process is host to its node's server. The server's thread
 * may stay idle while this thread serves. cwi_serve_end notifies it that this thread naps now. */
void cwi_serve_meanwhile(void);
void cwi_serve_end(void);

/* Sets a function for this thread, or NULL for none. The thread calls it in every pass of a wait
 * without serving, also of a wait for a lock. It is needed if this thread waits for a lock whose
 * holder waits for something that only this thread can receive. The function is not called
 * recursively. It must not wait, nor take a lock that the thread may hold. */
void cwi_wait_with(void (*meanwhile)(void));

/* Reports that this thread has served while it waited. The thread then spins for a while again,
 * because the next request may come soon. */
void cwi_wait_was_useful(void);

/* Reports that a request that this thread serves progresses only while a thread polls. The thread
 * then yields and does not nap. */
void cwi_wait_yields(void);
