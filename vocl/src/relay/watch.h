/* Events that the main thread of a proxy sleeps on: descriptors (the listening socket, clients,
 * signals), the bells of channels, and wake-ups by other threads. A separate thread watches the
 * descriptors, because Linux cannot sleep on descriptors and words of memory at once. */
#pragma once

#include "wait/lock.h"

#include <stdbool.h>
#include <stddef.h>

enum { VOCL_WATCH_BELLS = 120 }; /* upper bound */

/* Starts the watcher thread. Returns false on failure. */
bool vocl_watch_start(void);
void vocl_watch_stop(void);

/* Watches a descriptor. vocl_watch_next returns `owner` when it is readable or its peer has
 * gone. */
bool vocl_watch_add(int descriptor, void *owner);
void vocl_watch_remove(int descriptor);

/* Stores the owner of the next ready descriptor in *owner. Returns false after the last one; the
 * next call begins a new round. Descriptors may be added and removed between calls. */
bool vocl_watch_next(void **owner);

/* Wakes the proxy's main thread. Callable from any thread. */
void vocl_watch_wake(void);

/* A bell, and its value before the sleeper checked the condition. */
struct vocl_watch_bell {
  struct cwi_signal *signal;
  uint32_t value;
};

/* Returns the value of the proxy's own bell, for vocl_watch_wake and descriptors. Call it before
 * checking the conditions. */
uint32_t vocl_watch_value(void);

/* Sleeps until the value of one of the bells has changed, or the value of the proxy's own bell is
 * no longer `value`, or the time is over. */
void vocl_watch_sleep(uint32_t value, const struct vocl_watch_bell *bells, size_t count,
                      long nanoseconds);
