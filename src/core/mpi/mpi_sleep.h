/* Sleeping until MPI has received something for this process.
 *
 * MPI itself only spins. Over sockets the MPI libraries wait on epoll descriptors. Those can be
 * polled from outside without consuming an event of MPI's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Finds MPI's descriptors. Called at start, when MPI is initialized. */
void cwi_sleep_start(void);

/* Returns true if MPI has such descriptors. */
bool cwi_sleep_has_descriptors(void);

/* Returns true if MPI has such descriptors and they have become readable for most recent messages.
 * All sleepers of the process share what they learn. */
bool cwi_sleep_is_notified(void);

/* Records that a message for which a thread slept has arrived, and whether a descriptor notified
 * the thread. */
void cwi_sleep_learn(bool notified);

/* Sleeps in the server's thread, for at most `nanoseconds`. Returns true if a descriptor ended the
 * sleep. Sets *woken to true if cwi_sleep_wake_server ended it, else to false. */
bool cwi_sleep_of_server(long nanoseconds, bool *woken);
void cwi_sleep_wake_server(void);

/* Sleeps until a descriptor is readable, for at most `nanoseconds`. */
void cwi_sleep_shortly(long nanoseconds);

/* State of one wait for something that MPI delivers to this process. Initialize it with {0}. */
struct cwi_sleep {
  long limit; /* limit of the next sleep, in nanoseconds; 0 before the first */
  /* number of consecutive sleeps that a descriptor ended at once, before the awaited message came
   */
  unsigned alarms;
  bool notified, woken; /* how the last sleep ended: by a descriptor, by another thread */
};

/* cwi_sleep sleeps for some time; the caller then polls again. cwi_sleep_unless sleeps only while
 * `word` differs from `value`. A thread that sets the word to `value` calls cwi_sleep_wake, which
 * wakes all threads in cwi_sleep_unless. */
void cwi_sleep(struct cwi_sleep *sleep);
void cwi_sleep_unless(struct cwi_sleep *sleep, const uint32_t *word, uint32_t value);
void cwi_sleep_wake(void);

/* Ends a wait whose message has arrived. Records whether a descriptor notified the thread. */
void cwi_sleep_end(const struct cwi_sleep *sleep);
