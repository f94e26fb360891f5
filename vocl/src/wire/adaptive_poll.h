/* Looking for what should come soon before sleeping, because waking a thread takes 20 to 50 us. A
 * look is left out where the same came late the last time, and where others want the core: there it
 * would only keep them, or a kernel, from running. */
#ifndef VOCL_WIRE_ADAPTIVE_POLL_H
#define VOCL_WIRE_ADAPTIVE_POLL_H

#include <stdbool.h>

/* How one thread waits for things of one kind; begins as {0}, which is no look. */
struct vocl_poll {
  double begun, end; /* since when it is awaited, and when to sleep; 0: at once */
  double late;       /* coming later, it was not worth the look */
  unsigned turns;
  bool was_late;
};

/* Something is awaited now: look for it for so many seconds. */
void vocl_poll_begin(struct vocl_poll *poll, double seconds);
/* Pass some tenths of a microsecond, or give the core away; false: it is time to sleep. */
bool vocl_poll_pass(struct vocl_poll *poll);
/* It has come. */
void vocl_poll_end(struct vocl_poll *poll);
#endif
