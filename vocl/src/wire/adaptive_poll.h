/* Adaptive polling before a sleep, because waking a thread takes 20 to 50 us. A poll is skipped
 * if the previous event came late, or if other threads want the core: the poll would only delay
 * them. */
#pragma once

#include <stdbool.h>

/* State of one thread's waits for one kind of event. Initialise it with {0}; vocl_poll_pass then
 * returns false. */
struct vocl_poll {
  double begun, end; /* start of the wait, and time at which to sleep; `end` is 0 if the thread
                        should sleep at once */
  double late;       /* if the event comes after this time, the poll was not worthwhile */
  unsigned passes;
  bool was_late;
};

/* Begins to wait for an event, polling for up to `seconds`. */
void vocl_poll_begin(struct vocl_poll *poll, double seconds);
/* Pauses for some tenths of a microsecond, or yields the core. Returns false if it is time to
 * sleep. */
bool vocl_poll_pass(struct vocl_poll *poll);
/* Ends the wait, because the event has come. */
void vocl_poll_end(struct vocl_poll *poll);
