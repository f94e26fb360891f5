/* Sleeping until MPI has something for this process.
 *
 * MPI itself only spins. Over sockets the MPI libraries wait on epoll descriptors, and those can be
 * watched from outside without taking anything from MPI. */
#ifndef CWI_MPI_MPI_SLEEP_H
#define CWI_MPI_MPI_SLEEP_H

#include <stdbool.h>
#include <stdint.h>

/* Find MPI's descriptors: at start, once MPI is up. */
void cwi_sleep_start(void);

/* Were there any? */
bool cwi_sleep_has_descriptors(void);

/* Were there any, and do they tell of messages? All sleepers of the process learn that together. */
bool cwi_sleep_is_notified(void);

/* A message for which a thread slept is here: has a descriptor notified of it? */
void cwi_sleep_learn(bool notified);

/* A server's: until one of them tells, at most so long: did one? *woken: it was woken. */
bool cwi_sleep_of_server(long nanoseconds, bool *woken);
void cwi_sleep_wake_server(void);

/* Shortly: until one of them tells, at most so long. */
void cwi_sleep_shortly(long nanoseconds);

/* A wait for something that MPI brings to this process; start with {0}. */
struct cwi_sleep {
  long limit;      /* of the next sleep, in nanoseconds; 0: none yet */
  unsigned alarms; /* in a row: a descriptor notified at once, and it was not what we wait for */
  bool notified, woken; /* the last time: by a descriptor, by another thread */
};

/* Sleep some time; then look again. Unless a word in memory has that value, or receives it
 * meanwhile, from a thread that then wakes those that sleep so. */
void cwi_sleep(struct cwi_sleep *sleep);
void cwi_sleep_unless(struct cwi_sleep *sleep, const uint32_t *word, uint32_t value);
void cwi_sleep_wake(void);

/* What was waited for is there. */
void cwi_sleep_end(const struct cwi_sleep *sleep);
#endif
