/* What the proxy's thread sleeps on: descriptors (the door, visitors, signals), the bells of
 * channels, and others of its threads that ring. Descriptors are watched by a thread of their own,
 * since the kernel has no sleep on descriptors and words of memory at once. */
#ifndef CWI_PROXY_WATCH_H
#define CWI_PROXY_WATCH_H

#include "base/lock.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_WATCH_BELLS = 120 }; /* at most */

bool cwi_watch_start(void);
void cwi_watch_stop(void);

/* whose: what cwi_watch_next says when there is something to read, or the other end has gone. */
bool cwi_watch_add(int descriptor, void *whose);
void cwi_watch_remove(int descriptor);

/* Descriptors with news, until false: that begins the next round. Descriptors may be added and
 * removed meanwhile. */
bool cwi_watch_next(void **whose);

/* Wakes the proxy's thread, from any thread. */
void cwi_watch_ring(void);

/* A bell, and its value before the sleeper looked for what it tells of. */
struct cwi_watch_bell {
  struct cwi_signal *signal;
  uint32_t value;
};

/* The same for cwi_watch_ring and descriptors: ask before looking. */
uint32_t cwi_watch_value(void);

/* Sleeps until one of the bells, or ours, has rung since; or so long. */
void cwi_watch_sleep(uint32_t value, const struct cwi_watch_bell *bells, size_t count,
                     long nanoseconds);

#ifdef __cplusplus
}
#endif
#endif
