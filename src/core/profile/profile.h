/* What a run did, for CW_PROFILE: each process counts its calls, where they came from, and what
 * they moved, whither, of which object. For CW_TIMELINE it keeps when they were; tools of the
 * program hear of them. Who writes that down, and how, nobody knows here.
 *
 * profile.c   calls: which of ours is under way on a thread, the clock, and their counters
 * thread_counters.c   the counters of each thread
 * profiled_objects.c   what objects are called
 * heat_map.c    where in an object operations go
 * top_k.c    the elements that most of them go to
 * resource_usage.c     what the process takes of its machine
 * call_classes.c   what classes of calls are called
 * native_call_name.c what the calls of the program are called
 * phases.c    phases of the program that are open on a thread
 * phase_calls.c  the public calls that begin and end them
 * longest_waits.c     the longest waits of each thread
 * memory_time_series.c    memory in the course of the run
 * event_rings.c  the last events of each thread
 * dead_process_events.c    those of a process that has died
 * profile_tools.c     the public calls for tools, and telling them
 * counter_memory.c   memory for the counters that outlives the process
 * counter_rows.c   rows in that memory; the clock
 * counted_call.h     calls that are one operation each
 * profile_counters.h  the counters, for who reads them
 *
 * This header has what calls do to be counted. A call that another of ours makes is counted, but
 * the seconds and the bytes are those of the outermost call, the one that the program made. */
#ifndef CWI_PROFILE_PROFILE_H
#define CWI_PROFILE_PROFILE_H

#include "base/error.h"
#include "base/operation_counts.h"
#include "profile/heat_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Classes of calls. */
enum cwi_call_class {
  CWI_CALL_PUT, /* the first ones as in enum cwi_counted */
  CWI_CALL_GET,
  CWI_CALL_ACCUMULATE,
  CWI_CALL_RMW,
  CWI_CALL_LOCK,
  CWI_CALL_FENCE,
  CWI_CALL_PATCH,
  CWI_CALL_ELEMENTS,
  CWI_CALL_WAIT,
  CWI_CALL_FLUSH,
  CWI_CALL_BARRIER, /* from here on each call is clocked */
  CWI_CALL_COLLECTIVE,
  CWI_CALL_ARRAY,
  CWI_CALL_LINEAR,
  CWI_CALL_FILE,
  CWI_CALL_PHASE,
  CWI_CALL_MAKE,
  CWI_CALL_STOP,
  CWI_CALL_TASK, /* of the program: it is not time in Causeway */
  CWI_CALL_CLASSES
};

/* A class of calls as the file and the screens call it. */
const char *cwi_call_class_word(enum cwi_call_class call_class);

/* Does a process wait for others in such calls? */
bool cwi_is_wait(enum cwi_call_class call_class);

/* And until they come, not until data has moved or a mutex is free? */
bool cwi_is_meeting(enum cwi_call_class call_class);

struct cwi_profiled_thread;
struct cwi_call_site;
struct cwi_call_object;
struct cwi_call_target;

enum { CWI_NO_TARGET = -1, CWI_SEVERAL_TARGETS = -2 };

/* A call that is under way, on its caller's stack. */
struct cwi_profiled_call {
  struct cwi_profiled_thread *thread; /* NULL: nobody looks */
  struct cwi_call_site *site;         /* NULL: another of ours has made it */
  uint64_t began;                     /* nanoseconds; 0: without the clock */
  uint64_t outside;   /* nanoseconds in which functions of the program ran inside; of a task: and in
                         which it was in calls of ours */
  uint64_t accounted; /* nanoseconds of its own that its site has already */
  /* For who hears of it. */
  int target;     /* of all its operations; CWI_NO_TARGET, CWI_SEVERAL_TARGETS */
  uint64_t bytes; /* of its operations */
  /* What the thread did before a function of the program ran inside. */
  unsigned depth;
  struct cwi_profiled_call *outer, *task;
  struct cwi_call_object *touched;
  struct cwi_call_target *reached;
};

/* name: that of the native call, which stays; NULL if there is none. It is shown where the symbol
 * of the function that the program called is not known. */
void cwi_call_enter(struct cwi_profiled_call *call, enum cwi_call_class call_class,
                    const char *name);
void cwi_call_return(struct cwi_profiled_call *call);

static inline void cwi_call_leave(struct cwi_profiled_call *call)
{
  if (CWI_UNLIKELY(call->thread != NULL))
    cwi_call_return(call);
}

/* First in a public function: until it returns, this thread is in a call of that class. The second
 * form is for what a public function leaves by a jump. */
#define CWI_PROFILED(call_class) CWI_PROFILED_AS(__func__, call_class)
#define CWI_PROFILED_AS(name, call_class)                                                          \
  __attribute__((cleanup(cwi_call_leave))) struct cwi_profiled_call cwi_this_call;                 \
  cwi_this_call.thread = NULL;                                                                     \
  if (CWI_UNLIKELY(cwi_settings.observed != 0))                                                    \
  cwi_call_enter(&cwi_this_call, (call_class), (name))

/* Returns the site of the call in which this thread is, or NULL if it is in none. */
const struct cwi_call_site *cwi_call_site_now(void);

/* Begin and end work that a library thread does for another thread's call from `site`, or NULL if
 * that is not known. It counts as a call of its own; the thread's time between two of them is not
 * counted. */
void cwi_call_help(struct cwi_profiled_call *call, enum cwi_call_class call_class,
                   const struct cwi_call_site *site);
void cwi_call_helped(struct cwi_profiled_call *call);

/* A function of the program runs inside a call of ours: a task. Calls that it makes are outermost
 * ones. function: which one. */
void cwi_outside_enter(struct cwi_profiled_call *call, const void *function);
void cwi_outside_return(struct cwi_profiled_call *call);

/* Count an operation that goes to a process, with bytes: for CW_STATS and for the profile. remote:
 * where; NULL: no memory of its is meant. */
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

/* The same of bytes that lie apart: `span` bytes from `first` on, all of them or some in between;
 * or those of `vectors`. */
struct cw_vector;
struct cwi_touched {
  const char *first;
  size_t span;
  const struct cw_vector *vectors; /* NULL: there are none */
  size_t vector_count;
};
void cwi_profile_note_touched(enum cwi_counted what, enum cwi_where where, int process,
                              const struct cwi_touched *touched, size_t bytes);

/* The call under way is about what lies there, and moves nothing: it locks. */
void cwi_profile_touch(int process, const void *remote);

/* What lies at (process, address): a part of an object, and the object's key; false: not known. */
struct cwi_profiled_part {
  const char *base;
  size_t bytes;
  uint64_t key;
};
typedef bool cwi_part_finder(int process, const void *address, struct cwi_profiled_part *part);

/* Count from now on. Local. */
CWI_CHECKED cw_error cwi_profile_start(cwi_part_finder *find);

/* Count no longer, and forget. No other thread is in a call. Local. */
void cwi_profile_stop(void);

/* The object of this key is called so from now on, and has so many bytes of this process's memory.
 * layout: how it lies in its processes' memory; NULL: as it lay before.
 * Memory of an object ends: what lies at its addresses has to be found anew. */
void cwi_profile_name(uint64_t key, size_t bytes, const struct cwi_object_layout *layout,
                      const char *format, ...) CWI_PRINTF(4, 5);
void cwi_profile_unname(uint64_t key);

/* The program counts its indices from 1, and its dimensions from the last. */
void cwi_profile_count_from_one(uint64_t key);

/* The function that says how many bytes of the node are handed out; NULL: nothing is known of that.
 */
void cwi_profile_set_in_use(size_t (*in_use)(void));

/* Memory of an object that had ended before was given back. */
void cwi_profile_memory_freed(void);
#endif
