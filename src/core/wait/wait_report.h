/* Describes the wait of a thread, so that a wait that takes very long can be reported with its call
 * and the processes that it waits for. It costs a few stores for each call that may wait, and a
 * read of the clock for a thread that sleeps. */
#pragma once

#include "base/error.h"
#include "wait/status_page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes what the call waits for: the end of "has waited for 60 seconds for ...". Processes that
 * wait for the same thing must write the same text. */
typedef void (*cwi_awaited_function)(const void *what, char *text, size_t size);

struct cwi_waiting {
  const char *call; /* NULL if this thread is in no call that may wait long */
  cwi_awaited_function awaited;
  const void *what;
  double since; /* time of the first poll; 0 before it */
  bool notified;
  bool shown; /* on the status page */
};
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_waiting cwi_waiting;

/* Begins a call that may wait. Returns the state that cwi_waiting_end restores. The name of an
 * outer call stays, because that is the call that the program has made. */
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

/* Ends a call of the program whose name a binding had set. */
static inline void cwi_waiting_leave(void)
{
  if (CWI_UNLIKELY(cwi_waiting.shown))
    cwi_status_wait_end();
  cwi_waiting.shown = false;
  cwi_waiting.call = NULL;
}

/* cwi_waiting_call writes the name of the call that this thread is in, as the program knows it, or
 * "" if it is in none. A program may not know the calls of GA with the suffix 64, because calls
 * with int indices are implemented by them. cwi_waiting_known returns the length of a call's name
 * without that suffix. */
void cwi_waiting_call(char *name, size_t size);
size_t cwi_waiting_known(const char *call);

/* A waiting thread calls this now and then. First the status page shows the wait. After
 * CW_WAIT_REPORT seconds a message reports it once. The liveness check, if one is set, runs when
 * the wait has lasted long enough. */
void cwi_waiting_check(void);

/* The next functions set pointers to functions of higher modules: the node's memory, the profile
 * and the servers.
 *
 * cwi_waiting_set_is_new sets the function that returns true if a message is new on the node. If
 * several processes wait for the same thing, only one of them prints the message. If the function
 * is NULL, every message is new. */
typedef bool (*cwi_is_new_function)(uint64_t message);
void cwi_waiting_set_is_new(cwi_is_new_function function);

/* Returns true if no process of the node has printed this message recently, or if that is not
 * known. */
bool cwi_waiting_is_new(const char *message);

/* Sets the function that is called now and then with the text that the status page shows for the
 * calling thread's wait; NULL for none. The profile sets it. */
typedef void (*cwi_wait_observer)(const char *whom);
void cwi_waiting_set_observer(cwi_wait_observer function);

/* Sets the function that every poll calls when a wait has lasted for `seconds`; NULL for none. The
 * function must neither wait nor call MPI. It is set by a pointer, because the servers, which check
 * other processes, belong to a higher module. */
typedef void (*cwi_liveness_function)(void);
void cwi_waiting_set_liveness_check(cwi_liveness_function function, double seconds);

/* Makes the liveness check now, if one is set. */
void cwi_waiting_want_liveness_check(void);
