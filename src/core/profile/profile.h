/* The data of CW_PROFILE. Each process counts its calls by their place in the program, and the
 * bytes that they move by object and target process. For CW_TIMELINE it also keeps the times of the
 * calls. It notifies the program's tools of calls. Nothing here writes files.
 *
 * profile.c              calls in progress: their clock and their counters
 * thread_counters.c      the counters of each thread
 * profiled_objects.c     names of objects
 * heat_map.c             where in an object operations go
 * top_k.c                the elements to which most operations go
 * resource_usage.c       what the process uses of its machine
 * call_classes.c         names of the classes of calls
 * native_call_name.c     names of the program's calls
 * phases.c               phases of the program that are open on a thread
 * phase_calls.c          the public calls that begin and end phases
 * longest_waits.c        the longest waits of each thread
 * memory_time_series.c   memory in the course of the run
 * event_rings.c          the last events of each thread
 * dead_process_events.c  the last events of a process that has died
 * profile_tools.c        the public call that registers tools, and notifying them
 * counter_memory.c       memory for the counters that outlives the process
 * counter_rows.c         rows in that memory; the clock
 * counted_call.h         calls that are one operation each
 * profile_counters.h     the counters, for modules that read them
 *
 * This header has the functions by which calls are counted. A call that another call of Causeway
 * makes is counted, but its time and bytes belong to the outermost call, which the program made. */
#pragma once

#include "base/error.h"
#include "base/operation_counts.h"
#include "profile/heat_map.h"

#include <causeway/profile.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of the classes of calls. The first ones are in the order of enum cwi_counted. Each call of
 * CW_CALL_BARRIER and of later classes is clocked. The time of CW_CALL_TASK, a task of the program,
 * is not time in Causeway. */
enum { CWI_CALL_CLASSES = CW_CALL_PROGRAM_PHASE };

/* Returns true if calls of the class do nothing but wait. */
bool cwi_is_wait(cw_call_class call_class);

/* Returns true if calls of the class wait until other processes arrive, and not only until data has
 * moved or a mutex is free. */
bool cwi_awaits_processes(cw_call_class call_class);

struct cwi_profiled_thread;
struct cwi_call_site;
struct cwi_call_object;
struct cwi_call_target;

/* A call in progress, on its caller's stack. */
struct cwi_profiled_call {
  struct cwi_profiled_thread *thread; /* NULL if the call is not counted */
  struct cwi_call_site *site;         /* NULL if another call of Causeway made this one */
  uint64_t began;                     /* time in nanoseconds; 0 if the call is not clocked */
  uint64_t outside;   /* nanoseconds in which functions of the program ran inside the call; for a
                         task, also the nanoseconds in its calls of Causeway */
  uint64_t accounted; /* nanoseconds that have already been added to its site */
  /* For the timeline and for tools: */
  int target;     /* target of all its operations, CW_NO_TARGET or CW_SEVERAL_TARGETS */
  uint64_t bytes; /* bytes of all its operations */
  /* State of the thread, saved while a function of the program runs inside the call. */
  unsigned depth;
  struct cwi_profiled_call *outer, *task;
  struct cwi_call_object *touched;
  struct cwi_call_target *reached;
};

/* Begins a call. `name` is the name of the native call, a string constant, or NULL. It is shown if
 * the symbol of the function that the program called is unknown. */
void cwi_call_enter(struct cwi_profiled_call *call, cw_call_class call_class, const char *name);
void cwi_call_return(struct cwi_profiled_call *call);

static inline void cwi_call_leave(struct cwi_profiled_call *call)
{
  if (CWI_UNLIKELY(call->thread != NULL))
    cwi_call_return(call);
}

/* Begins a call of the class. It is the first statement of a public function. The cleanup attribute
 * ends the call at every return. */
#define CWI_PROFILED(call_class) CWI_PROFILED_AS(__func__, call_class)
#define CWI_PROFILED_AS(name, call_class)                                                          \
  __attribute__((cleanup(cwi_call_leave))) struct cwi_profiled_call cwi_this_call;                 \
  cwi_this_call.thread = NULL;                                                                     \
  if (CWI_UNLIKELY(cwi_settings.observed != 0))                                                    \
  cwi_call_enter(&cwi_this_call, (call_class), (name))

/* Returns the site of the call in which this thread is, or NULL if it is in none. */
const struct cwi_call_site *cwi_call_site_now(void);

/* Begin and end work that a library thread does for another thread's call. `site` is the site of
 * that call, or NULL if it is not known. The work counts as a call of its own. The library thread's
 * time between two such calls is not counted. */
void cwi_call_help(struct cwi_profiled_call *call, cw_call_class call_class,
                   const struct cwi_call_site *site);
void cwi_call_helped(struct cwi_profiled_call *call);

/* Begin and end a function of the program that runs inside a call of Causeway: a task. Calls that
 * it makes count as outermost ones. `function` is its address. */
void cwi_outside_enter(struct cwi_profiled_call *call, const void *function);
void cwi_outside_return(struct cwi_profiled_call *call);

/* Counts an operation of `bytes` bytes on a process for CW_STATS and for the profile. `remote` is
 * its address there, or NULL if it concerns no memory. */
void cwi_profile_note(enum cwi_counted what, enum cwi_where where, int process, const void *remote,
                      size_t bytes);

static inline void cwi_note(enum cwi_counted what, enum cwi_where where, int process,
                            const void *remote, size_t bytes)
{
  if (CWI_LIKELY(cwi_is_unobserved()))
    return;
  cwi_count(what, where, bytes);
  if (cwi_is_profiled())
    cwi_profile_note(what, where, process, remote, bytes);
}

/* Like cwi_profile_note for bytes that are not contiguous: they lie somewhere in `span` bytes from
 * `first` on, or in the segments of `vectors`. */
struct cw_vector;
struct cwi_touched {
  const char *first;
  size_t span;
  const struct cw_vector *vectors; /* NULL if there are none */
  size_t vector_count;
};
void cwi_profile_note_touched(enum cwi_counted what, enum cwi_where where, int process,
                              const struct cwi_touched *touched, size_t bytes);

/* Records that the call in progress concerns this address without moving data, as locks do. */
void cwi_profile_touch(int process, const void *remote);

/* The part of an object that contains (process, address), and the key of the object. The function
 * returns false if the address is unknown. */
struct cwi_profiled_part {
  const char *base;
  size_t bytes;
  uint64_t key;
};
typedef bool cwi_part_finder(int process, const void *address, struct cwi_profiled_part *part);

/* Starts counting. Local. */
CWI_CHECKED cw_error cwi_profile_start(cwi_part_finder *find);

/* Stops counting and clears all counters. No other thread may be in a call. Local. */
void cwi_profile_stop(void);

/* cwi_profile_name names the object with this key, which has `bytes` bytes of this process's
 * memory. `layout` describes how the object lies in the memory of its processes; NULL keeps the
 * previous layout. cwi_profile_unname reports that the object was freed. From then on its addresses
 * are looked up again, because another object may lie there. */
void cwi_profile_name(uint64_t key, size_t bytes, const struct cwi_object_layout *layout,
                      const char *format, ...) CWI_PRINTF(4, 5);
void cwi_profile_unname(uint64_t key);

/* Records that the program counts this object's indices from 1 and its dimensions from the last. */
void cwi_profile_count_from_one(uint64_t key);

/* Sets the function that returns the bytes in use on the node, or NULL if that is not known. It is
 * set by a pointer, because the account of memory is in a higher module. */
void cwi_profile_set_in_use(size_t (*in_use)(void));

/* Records the bytes in use on the node after the memory of an object was freed. The object was
 * unnamed before. */
void cwi_profile_memory_freed(void);
