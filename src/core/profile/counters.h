/* The counters of the profile, for who reads them. */
#ifndef CWI_PROFILE_COUNTERS_H
#define CWI_PROFILE_COUNTERS_H

#include "base/caller.h"
#include "base/map.h"
#include "profile/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Place n of a histogram counts what is less than 2^n, and not less than 2^(n-1). */
enum { CWI_POWERS = 48 };

static inline int cwi_power_of(uint64_t value)
{
  const int power = value == 0 ? 0 : 64 - __builtin_clzll(value);
  return power < CWI_POWERS ? power : CWI_POWERS - 1;
}

/* Calls of one class from one place. Not each short call is clocked: those that are stand for the
 * others, and are drawn at random. */
struct cwi_call_site {
  uintptr_t address; /* the return address; of CWI_CALL_TASK: the function; 0: not known */
  enum cwi_call_class call_class;
  uint32_t until;  /* the next clocked call: so many calls from here */
  uint32_t period; /* from one to the next */
  uint32_t since;  /* unclocked ones since the last */
  uint64_t calls, bytes;
  uint64_t nanoseconds; /* with those for which the clocked ones stand */
  uint64_t longest;     /* of the clocked ones */
  uint64_t usual;       /* a short call's */
  uint64_t clocked[CWI_POWERS];
};

/* Operations to one target. */
struct cwi_call_target {
  int process;
  uint64_t operations, bytes;
  uint64_t updates; /* of the operations: read-modify-writes */
};

/* What was done to an object: by calls whose first operation went to it, in seconds. */
struct cwi_call_object {
  uint32_t name; /* cwi_profile_object_name */
  uint64_t operations, bytes, nanoseconds;
};

/* Operations of one kind by one route. */
struct cwi_operations {
  uint64_t count, bytes;
  uint64_t sizes[CWI_POWERS];
};

enum { CWI_KNOWN_SITES = 64, CWI_KNOWN_BITS = 8, CWI_KNOWN_PARTS = 1 << CWI_KNOWN_BITS };

/* A thread that has called, or several: one that ends leaves it to another. */
struct cwi_profiled_thread {
  unsigned depth; /* calls of ours in each other */
  struct cwi_profiled_call *outermost;
  struct cwi_profiled_call *task;  /* the program's function that runs in a call of ours */
  struct cwi_call_object *touched; /* the first one in the outermost call */
  struct cwi_call_site *known_sites[CWI_KNOWN_SITES];
  struct cwi_call_target *last_target;
  struct cwi_known_part {
    struct cwi_profiled_part part;
    int process;
    uint64_t ended; /* objects that had ended when it was found, plus 1 */
    struct cwi_call_object *object;
  } known_parts[CWI_KNOWN_PARTS];
  struct cwi_operations operations[CWI_COUNTED][CWI_WHERES];
  uint64_t inner[CWI_CALL_CLASSES];       /* calls that another of ours has made */
  struct cwi_map sites, targets, objects; /* their rows: struct cwi_call_site and so on */
  struct cwi_frames frames;
  /* On the clock: when its first clocked call began, and the last one ended; 0: there was none. */
  uint64_t first, last;
  uint64_t time;  /* nanoseconds between these of those that had it before */
  bool is_oldest; /* the world began on it: its time is all of the wall time */
  bool idle;      /* its thread has ended */
  struct cwi_profiled_thread *next;
};

/* The calling thread's; NULL: there is no memory. */
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_profiled_thread *cwi_profiled;
struct cwi_profiled_thread *cwi_profiled_begin(void);

static inline struct cwi_profiled_thread *cwi_profiled_mine(void)
{
  return CWI_LIKELY(cwi_profiled != NULL) ? cwi_profiled : cwi_profiled_begin();
}

/* Its time so far is over; what follows until its next call is not its time. */
void cwi_profiled_pause(struct cwi_profiled_thread *thread);

/* Nanoseconds in which it was there: from its first call to its last. wall: of the process. */
uint64_t cwi_profiled_time_of(const struct cwi_profiled_thread *thread, uint64_t wall);

/* Forget what all have counted. */
void cwi_profiled_forget(void);

/* All threads that have called since the start: NULL gives the first, NULL comes after the last. */
struct cwi_profiled_thread *cwi_profiled_next(struct cwi_profiled_thread *thread);

/* Nanoseconds since the start. */
uint64_t cwi_profiled_time(void);

/* What an object is called. */
const char *cwi_profile_object_name(uint32_t name);

/* --- Objects: objects.c ----------------------------------------------------------------------- */

/* The name's number of the object with the key; 0: nobody has named it. How many have ended,
 * plus 1.
 */
uint32_t cwi_profile_named(uint64_t key);
extern uint64_t cwi_profiled_ended;
void cwi_profile_names_forget(void);

#ifdef __cplusplus
}
#endif
#endif
