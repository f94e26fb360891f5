/* What the proxy's thread sleeps on: descriptors (the door, clients, signals), the bells of
 * channels, and others of its threads that ring. Descriptors are watched by a thread of their own,
 * since the kernel has no sleep on descriptors and words of memory at once. */
#ifndef VOCL_RELAY_WATCH_H
#define VOCL_RELAY_WATCH_H

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>

enum { VOCL_WATCH_BELLS = 120 }; /* at most */

bool vocl_watch_start(void);
void vocl_watch_stop(void);

/* whose: what vocl_watch_next says when there is something to read, or the other end has gone. */
bool vocl_watch_add(int descriptor, void *owner);
void vocl_watch_remove(int descriptor);

/* Descriptors with news, until false: that begins the next round. Descriptors may be added and
 * removed meanwhile. */
bool vocl_watch_next(void **owner);

/* Wakes the proxy's thread, from any thread. */
void vocl_watch_wake(void);

/* A bell, and its value before the sleeper looked for what it tells of. */
struct vocl_watch_bell {
  struct cwi_signal *signal;
  uint32_t value;
};

/* The same for vocl_watch_wake and descriptors: ask before looking. */
uint32_t vocl_watch_value(void);

/* Sleeps until one of the bells, or ours, has rung since; or so long. */
void vocl_watch_sleep(uint32_t value, const struct vocl_watch_bell *bells, size_t count,
                      long nanoseconds);
#endif
