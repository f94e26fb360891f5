/* What this thread waits for, so that a wait that takes very long can be notified: on which call,
 * and for whom. Costs a few stores for each call that may wait, and a look at the clock for a
 * thread that sleeps. */
#ifndef CWI_WAIT_WAIT_REPORT_H
#define CWI_WAIT_WAIT_REPORT_H

#include "base/error.h"
#include "wait/status_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes for whom or what the call waits: the end of "has waited for 60 seconds for ...". The same
 * text in all processes that wait for the same. */
typedef void (*cwi_awaited_function)(const void *what, char *text, size_t size);

struct cwi_waiting {
  const char *call; /* NULL: this thread is in no call that may wait long */
  cwi_awaited_function awaited;
  const void *what;
  double since; /* of the first look; 0: none yet */
  bool notified;
  bool shown; /* on the status_page */
};
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_waiting cwi_waiting;

/* Begin a call that may wait; returns what its end puts back. The name of an outer call
 * stays: that is the one that the program made. */
static inline struct cwi_waiting cwi_waiting_begin(const char *call, cwi_awaited_function awaited,
                                                   const void *what)
{
  const struct cwi_waiting outer = cwi_waiting;
  cwi_waiting = (struct cwi_waiting){outer.call != NULL ? outer.call : call,
                                     awaited,
                                     what,
                                     outer.since,
                                     outer.notified,
                                     outer.shown};
  return outer;
}

static inline void cwi_waiting_end(const struct cwi_waiting *outer)
{
  if (CWI_UNLIKELY(cwi_waiting.shown && !outer->shown))
    cwi_status_wait_end();
  cwi_waiting = *outer;
}

/* The program's call has ended, which a binding had named. */
static inline void cwi_waiting_leave(void)
{
  if (CWI_UNLIKELY(cwi_waiting.shown))
    cwi_status_wait_end();
  cwi_waiting.shown = false;
  cwi_waiting.call = NULL;
}

/* The call that this thread is in, as its program knows it; "": in none. GA's calls with int
 * indices are done by their twins with 64 behind the name, which the program may not know. */
void cwi_waiting_call(char *name, size_t size);
size_t cwi_waiting_known(const char *call);

/* A waiter calls this now and then: after a moment the status_page shows it; after CW_WAIT_REPORT
 * seconds it says so, once; and after a while it doubts that those still live for whom it waits. */
void cwi_waiting_check(void);

/* The function that says whether a message is new on the node: if several processes wait for the
 * same, one says it. NULL: a message is always new. */
typedef bool (*cwi_is_new_function)(uint64_t message);
void cwi_waiting_set_is_new(cwi_is_new_function function);

/* Returns true if no process of the node has said this message lately, or that is not known. */
bool cwi_waiting_is_new(const char *message);

/* The function that hears for whom or what the calling thread still waits, as the status_page shows
 * it, now and then. NULL: none. */
typedef void (*cwi_wait_observer)(const char *whom);
void cwi_waiting_set_observer(cwi_wait_observer function);

/* The function that every look calls after so many seconds of a wait. It must neither wait nor call
 * MPI. NULL: none. */
typedef void (*cwi_liveness_function)(void);
void cwi_waiting_set_liveness_check(cwi_liveness_function function, double seconds);
#endif
