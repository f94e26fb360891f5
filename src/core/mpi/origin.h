/* Origins: whose operations complete together.
 *
 * An operation belongs to the process (origin 0, the usual case), or to one of its threads alone
 * (views with thread scope). Completion is by (origin, target): each room that keeps what is
 * outstanding keeps it for each origin apart, under that origin's lock, so that threads with
 * origins of their own share neither. */
#ifndef CWI_MPI_ORIGIN_H
#define CWI_MPI_ORIGIN_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The process, and so many threads at a time; further threads share the process's origin. */
enum { CWI_ORIGINS = 1 + 128 };

/* What one origin keeps lies on cache lines of its own. */
#define CWI_OF_ORIGIN __attribute__((aligned(128)))

/* The origin of what this thread does now. 0: the process. */
extern __thread uint32_t cwi_origin __attribute__((tls_model("initial-exec")));

/* Act for an origin from here on; returns the one before, which is set again in the same way. */
static inline uint32_t cwi_origin_enter(uint32_t origin)
{
  const uint32_t before = cwi_origin;
  cwi_origin = origin;
  return before;
}

/* The lock around what the present origin keeps: of the process, its bookkeeping lock. Nests. */
void cwi_origin_lock(void);
void cwi_origin_unlock(void);

/* What threads' origins are for: the bookkeeping of messages. `open` makes it, once; `leave` sends
 * what is open, when a thread ends. Without them every thread acts for the process. */
struct cwi_origin_hooks {
  cw_error (*open)(void);
  void (*leave)(void);
};
void cwi_origins_start(const struct cwi_origin_hooks *hooks);

/* No more threads come or leave; then, what they had has been closed. */
void cwi_origins_leave(void);
void cwi_origins_stop(void);

/* The origin of this thread alone, made at its first question; 0 if there are too many, or nothing
 * to keep apart. It ends with the thread: what is outstanding then completes with the next fence of
 * the process, or of the thread that comes to have this origin. Errors: CW_OUTSIDE (no memory). */
CWI_CHECKED cw_error cwi_origin_mine(uint32_t *origin);

/* Is the present origin this thread's alone? Others act for it, too: they fence it. */
bool cwi_origin_is_mine(void);

/* How many origins there have been, the process's included. */
uint32_t cwi_origins(void);

/* Act for the present origin; if that is the process, for all origins in turn, or for those of
 * threads. The first error counts. */
CWI_CHECKED cw_error cwi_origins_each(cw_error (*act)(int argument), int argument);
CWI_CHECKED cw_error cwi_origins_of_threads(cw_error (*act)(int argument), int argument);
#endif
