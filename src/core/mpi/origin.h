/* Origins: sets of operations that complete together.
 *
 * An operation belongs to the process (origin 0, the usual case) or to one of its threads alone
 * (views with thread scope). Completion is by (origin, target): each module that tracks outstanding
 * operations does so separately for each origin, under that origin's lock. Threads with their own
 * origins share neither state nor locks. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The process, and up to 128 threads at a time. Further threads share the process's origin. */
enum { CWI_ORIGINS = 1 + 128 };

/* The state of an origin has its own cache lines, so that origins do not share any. */
#define CWI_OF_ORIGIN __attribute__((aligned(128)))

/* The origin for which this thread acts now; 0 is the process. */
extern __thread uint32_t cwi_origin __attribute__((tls_model("initial-exec")));

/* Acts for `origin` from now on. Returns the previous origin, which the caller restores by another
 * call. */
static inline uint32_t cwi_origin_enter(uint32_t origin)
{
  const uint32_t before = cwi_origin;
  cwi_origin = origin;
  return before;
}

/* Lock and unlock the state of the present origin. The lock is recursive. For the process it is the
 * bookkeeping lock. */
void cwi_origin_lock(void);
void cwi_origin_unlock(void);

/* Functions that keep messages for origins. `open` creates the state of an origin, once; `leave`
 * sends its open messages when a thread ends. Without hooks every thread acts for the process. They
 * are set by a pointer, because the server route, which has the messages, is a higher module. */
struct cwi_origin_hooks {
  cw_error (*open)(void);
  void (*leave)(void);
};
void cwi_origins_start(const struct cwi_origin_hooks *hooks);

/* After cwi_origins_leave no further origins are assigned. It waits for ending threads that are
 * returning theirs. cwi_origins_stop frees all origins; the hooks' owner has closed their state by
 * then. */
void cwi_origins_leave(void);
void cwi_origins_stop(void);

/* Sets *origin to the origin of this thread, which is assigned at the first call. Sets it to 0 if
 * all origins are taken or there are no hooks. The origin is returned when the thread ends. Its
 * outstanding operations then complete with the next fence of the process, or of the next thread
 * with this origin. Errors: CW_OUTSIDE (no memory). */
CWI_CHECKED cw_error cwi_origin_mine(uint32_t *origin);

/* Returns true if this thread owns the present origin. Other threads may also act for it, in order
 * to fence it. */
bool cwi_origin_is_mine(void);

/* Returns the number of origins opened so far, including the process's. */
uint32_t cwi_origins(void);

/* cwi_origins_each calls `act` for the present origin and, if that is the process, for those of all
 * threads. cwi_origins_of_threads does the same without the process's own origin. All calls are
 * made; the first error is returned. */
CWI_CHECKED cw_error cwi_origins_each(cw_error (*act)(int argument), int argument);
CWI_CHECKED cw_error cwi_origins_of_threads(cw_error (*act)(int argument), int argument);
