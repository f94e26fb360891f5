/* The counters of the profile, for modules and programs that read them. */
#pragma once

#include "base/clock.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "machine/caller.h"
#include "profile/profile.h"
#include "profile/top_k.h"

/* Entry n of a histogram counts values that are less than 2^n and at least 2^(n-1). */
enum { CWI_POWERS = 48 };

static inline int cwi_power_of(uint64_t value)
{
  const int power = value == 0 ? 0 : 64 - __builtin_clzll(value);
  return power < CWI_POWERS ? power : CWI_POWERS - 1;
}

/* Rows of one kind, each of which begins with a struct cwi_counted_row. The rows lie in counter
 * memory. The table by which their thread finds them does not lie there. */
struct cwi_counted_row {
  struct cwi_counted_row *next;
};
struct cwi_counted_rows {
  struct cwi_hash_map table;
  struct cwi_counted_row *first;
};

/* Calls of one class from one place in the program to one function. Only some of the short calls
 * are clocked, chosen at random; they stand for the others. */
struct cwi_call_site {
  struct cwi_counted_row row;
  uintptr_t address;  /* return address, or the function of a CW_CALL_TASK, or 0 if unknown */
  uintptr_t entry;    /* address in the library function that was called from there, or 0 */
  const char *native; /* name of the native call, or NULL */
  const char *name;   /* result of cwi_call_name, or NULL before that is called */
  cw_call_class call_class;
  uint32_t until;  /* number of calls until the next clocked one */
  uint32_t period; /* mean number of calls from one clocked call to the next */
  uint32_t since;  /* calls since the last clocked one */
  uint64_t calls, bytes;
  uint64_t nanoseconds; /* estimated for all calls */
  uint64_t longest;     /* longest clocked call */
  uint64_t usual;       /* running mean of short calls */
  uint64_t clocked[CWI_POWERS];
};

/* Operations on one target, and the time of calls whose first operation went there. */
struct cwi_call_target {
  struct cwi_counted_row row;
  int process;
  uint64_t operations, bytes, nanoseconds;
  uint64_t updates; /* number of read-modify-writes among the operations */
};

/* Operations on the objects of one name, and the time of calls whose first operation went there. */
struct cwi_call_object {
  struct cwi_counted_row row;
  const char *name; /* NULL if the object has no name */
  uint64_t operations, bytes, nanoseconds;
  const struct cwi_heat_map *heat_map; /* NULL if it has no heat map */
  struct cwi_heat_map_cell *cells;     /* counts by cell; NULL if there was no memory */
  bool undrawn;                        /* true if some operations are in no cell */
};

/* A phase of the program. */
struct cwi_program_phase {
  struct cwi_counted_row row;
  const char *path;                  /* with the names of the phases around it: "step/fock" */
  const char *name;                  /* its own name: "fock" */
  uint64_t number, nanoseconds;      /* how often it has begun; nanoseconds of its completed runs */
  uint64_t inside[CWI_CALL_CLASSES]; /* nanoseconds in calls, estimated from the clocked ones */
};

/* A wait: when it began, in which phase of the program (NULL if in none), and what the thread
 * waited for ("" if that is not known or the wait was short). */
enum { CWI_KEPT_WAITS = 16, CWI_WHOM = 96 };
struct cwi_kept_wait {
  uint64_t began, nanoseconds;
  const struct cwi_call_site *site;
  const char *phase;
  char whom[CWI_WHOM];
};

/* An event of the timeline: a call, a task or a phase of a thread. */
struct cwi_timeline_event {
  uint64_t began, ended; /* on this process's clock */
  /* Name of a call's first object (or NULL) or of a phase, or a task's function. */
  const char *name;
  const struct cwi_call_site *site; /* site of a call; NULL for a phase */
  uint64_t bytes;
  int target;
  int what; /* cw_call_class, or CW_CALL_PROGRAM_PHASE */
};

/* Operations of one kind by one route. */
struct cwi_operations {
  uint64_t count, bytes;
  uint64_t sizes[CWI_POWERS];
};

enum {
  CWI_KNOWN_SITES = 64,
  CWI_KNOWN_BITS = 8,
  CWI_KNOWN_PARTS = 1 << CWI_KNOWN_BITS,
  CWI_OPEN_PHASES = 64
};

/* The counters of a thread. When a thread ends, the next new one continues with its counters. */
struct cwi_profiled_thread {
  unsigned depth; /* number of nested calls of Causeway */
  struct cwi_profiled_call *outermost;
  struct cwi_profiled_call *task;  /* innermost function of the program that runs inside a call */
  struct cwi_call_object *touched; /* first object in the outermost call */
  struct cwi_call_target *reached; /* first target in the outermost call */
  struct cwi_call_site *known_sites[CWI_KNOWN_SITES];
  /* Results of the previous operation. They fit most operations. */
  struct cwi_call_site *last_site;
  struct cwi_call_target *last_target;
  struct cwi_known_part *last_part; /* points into known_parts */
  struct cwi_known_part {
    struct cwi_profiled_part part;
    int process;
    uint64_t ended; /* value of cwi_profile_state.names_changed when the part was looked up */
    struct cwi_call_object *object;
    cwi_place_finder *find; /* NULL if the object has no layout */
    const void *owner;
    /* For a region with a heat map: the heat map, its cells, and the number of bytes in the slices
     * before this one. Otherwise the pointers are NULL. */
    const struct cwi_heat_map *region_heat_map;
    struct cwi_heat_map_cell *region_cells;
    int64_t before;
  } known_parts[CWI_KNOWN_PARTS];
  struct cwi_operations operations[CWI_COUNTED][CWI_WHERES];
  struct cwi_top_k updated;         /* elements with the most read-modify-writes */
  uint64_t inner[CWI_CALL_CLASSES]; /* calls that another call of Causeway made */
  /* The site of the clocked call in progress. clocked_since is the time at which the call began,
   * plus the time in it that does not count or has already been counted. It is 0 if there is no
   * such call. */
  struct cwi_call_site *clocked_site;
  uint64_t clocked_since;
  struct cwi_counted_rows sites, targets, objects; /* rows: struct cwi_call_site and so on */
  struct cwi_counted_rows phases;                  /* rows: struct cwi_program_phase */
  /* Phases that have not ended, the innermost last. open_phases may exceed CWI_OPEN_PHASES. */
  struct cwi_open_phase {
    struct cwi_program_phase *phase; /* NULL if there was no memory */
    uint64_t began;
  } open[CWI_OPEN_PHASES];
  uint32_t open_phases;
  struct cwi_frames frames;
  /* Start of the first clocked call and end of the last one; 0 if there was none. */
  uint64_t first, last;
  uint64_t
      time; /* sum of last - first over earlier periods and earlier threads with these counters */
  struct cwi_timeline_event *events; /* a ring; NULL if there is none */
  uint64_t event_capacity;           /* entries of the ring */
  uint64_t event_count;              /* number of all events so far */
  bool has_open_phases;              /* true if open phases have been added to the events */
  struct cwi_kept_wait waits[CWI_KEPT_WAITS]; /* the longest ones, in no order */
  uint32_t wait_count;
  uint64_t least_wait;   /* the shortest of them if the list is full, else 0 */
  uint64_t whom_updated; /* time of the last update of `whom` */
  char whom[CWI_WHOM];   /* what the call in progress waits for */
  bool is_oldest;        /* true for the thread that started the world; its time is the wall time */
  bool idle;             /* true if its thread has ended */
  struct cwi_profiled_thread *next;
};

/* The calling thread's counters. cwi_profiled_mine returns NULL if there is no memory. */
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_profiled_thread *cwi_profiled;
struct cwi_profiled_thread *cwi_profiled_begin(void);

static inline struct cwi_profiled_thread *cwi_profiled_mine(void)
{
  return CWI_LIKELY(cwi_profiled != NULL) ? cwi_profiled : cwi_profiled_begin();
}

/* Returns the calling thread's counters, or NULL if there is no memory or no profile is made. */
struct cwi_profiled_thread *cwi_profiled_counting(void);

/* Called in a forked child: its thread drops the counters, which belong to the parent. */
void cwi_profiled_leave_to_parent(void);

/* Returns the row of this key, or a new zeroed one, or NULL if there is no memory. If a row could
 * not be inserted into the table, further rows of the same key are made. So readers add up all rows
 * of one key. */
void *cwi_counted_row(struct cwi_counted_rows *rows, uint64_t key, size_t bytes, bool *is_new);

/* Pauses the time of the thread: the time until its next call does not count. */
void cwi_profiled_pause(struct cwi_profiled_thread *thread);

/* Returns the nanoseconds from the thread's first call to its last. `wall` is the time of the
 * process, which is returned for the oldest thread. */
uint64_t cwi_profiled_time_of(const struct cwi_profiled_thread *thread, uint64_t wall);

/* Clears the counters of all threads. */
void cwi_profiled_forget(void);

/* Returns the thread after `thread`, or the first one for NULL. Returns NULL after the last. */
struct cwi_profiled_thread *cwi_profiled_next(struct cwi_profiled_thread *thread);

/* cwi_profiled_time_begin starts the time of the run; cwi_profiled_time returns the nanoseconds
 * since then. */
void cwi_profiled_time_begin(void);
uint64_t cwi_profiled_time(void);

/* Sets the origin of reported times: the time on this process's clock at which process 0 began.
 * Until then it is this process's own start. cwi_profiled_reported_time converts a time to
 * nanoseconds since the origin. */
void cwi_profiled_set_origin(uint64_t origin);
uint64_t cwi_profiled_reported_time(uint64_t clock);

/* Returns the nanoseconds of the clocked call in progress, or 0 if there is none. */
uint64_t cwi_call_under_way(const struct cwi_profiled_thread *thread);

/* Returns the time of a site's calls with an estimate for those since the last clocked one. */
static inline uint64_t cwi_call_site_done(const struct cwi_call_site *site)
{
  return site->nanoseconds + site->since * site->usual;
}

/* Like cwi_call_site_done, but includes a call in progress. */
uint64_t cwi_call_site_time(const struct cwi_profiled_thread *thread,
                            const struct cwi_call_site *site);

#define CWI_EACH_ROW(type, at, rows)                                                               \
  (const type *at = (const void *)__atomic_load_n(&(rows)->first, __ATOMIC_ACQUIRE); at != NULL;   \
   at = (const void *)at->row.next)

/* --- Names of calls: native_call_name.c ------------------------------------------------------- */

/* Writes the name under which programs call the function with that symbol, such as "ARMCI_Put" for
 * "PARMCI_Put", and returns true. Returns false if programs do not call it. */
enum { CWI_CALL_NAME = 64 };
bool cwi_call_name_of_symbol(const char *symbol, char name[CWI_CALL_NAME]);

/* Like cwi_call_name_of_symbol, for the function that contains the address `entry`. Returns false
 * also if the dynamic linker does not know it. */
bool cwi_call_name_of_entry(uintptr_t entry, char name[CWI_CALL_NAME]);

/* Returns the name of the native call of a site, or "" if it has none that programs know. */
const char *cwi_call_native(const struct cwi_call_site *site);

/* Returns the name of the site's call for tools, or NULL if it is not known. It stays valid until
 * the counters are cleared. */
const char *cwi_call_name(struct cwi_call_site *site);

/* --- Objects: profiled_objects.c -------------------------------------------------------------- */

/* Bytes of this process's memory in objects of one name: now, and the maximum so far. */
struct cwi_object_memory {
  const struct cwi_object_memory *next;
  const char *name;
  uint64_t bytes, most;
  struct cwi_heat_map *heat_map; /* NULL if they have none */
};

/* Returns the name after `named`, or the first one for NULL. Returns NULL after the last. */
const struct cwi_object_memory *cwi_named_next(const struct cwi_object_memory *named);

/* Memory in the course of the run: the maximum in each step. A step lasts `step` nanoseconds. */
enum { CWI_TIME_SERIES = 64 };
struct cwi_memory_time_series {
  uint64_t step;
  uint32_t used; /* number of steps */
  uint64_t last_bytes, last_in_use;
  uint64_t held[CWI_TIME_SERIES];   /* bytes of this process's memory in objects */
  uint64_t in_use[CWI_TIME_SERIES]; /* bytes that are allocated on this node */
};
void cwi_time_series_begin(struct cwi_memory_time_series *series);
void cwi_time_series_note(struct cwi_memory_time_series *series, uint64_t time, uint64_t held,
                          uint64_t in_use);
void cwi_time_series_until(struct cwi_memory_time_series *series, uint64_t time);

/* Halves the number of steps by making each twice as long. */
void cwi_time_series_widen(uint64_t *most, uint32_t *used);

/* Copies the time series of this process up to now. Leaves *series as it is if there is none. */
void cwi_profile_time_series(struct cwi_memory_time_series *series);

/* Records the bytes in use on the node if they have changed since they were last recorded. */
void cwi_memory_sample(void);

/* cwi_profile_named returns the object with the key; its name is NULL if it has none. */
struct cwi_profiled_object {
  const char *name;
  const struct cwi_heat_map *heat_map;
  cwi_place_finder *find;
  const void *owner;
};
struct cwi_profiled_object cwi_profile_named(uint64_t key);
bool cwi_names_start(void);
void cwi_names_forget(void);

/* Returns a copy of the text in counter memory, or of `others` if there are too many texts, or NULL
 * if there is no memory. Any thread may call it. */
const char *cwi_profiled_text(const char *text, const char *others);

/* --- The machine: resource_usage.c ------------------------------------------------------------ */

/* Resource usage of all threads of this process since the start. */
struct cwi_usage {
  uint64_t user, system;        /* nanoseconds of processor time, in programs and in the kernel */
  uint64_t faults, disk_faults; /* page faults without and with reading from a disk */
  uint64_t sleeps, preemptions; /* voluntary and involuntary context switches */
  uint64_t waited;      /* nanoseconds in which the first thread was ready and had no core; 0 if the
                           kernel does not provide it */
  uint64_t most_memory; /* largest resident set in bytes; 0 if nothing is known */
};
void cwi_usage_begin(void);
struct cwi_usage cwi_usage_since(void);

/* --- Waits: longest_waits.c ------------------------------------------------------------------- */

/* Start and stop recording what threads wait for. */
void cwi_waits_start(void);
void cwi_waits_stop(void);

/* cwi_wait_describe describes the call from `site`, which began at `began` and took `nanoseconds`
 * so far, as a wait. It returns false if the call was no wait. cwi_wait_keep stores such a wait, in
 * place of the shortest one if the list is full. */
bool cwi_wait_describe(const struct cwi_profiled_thread *thread, const struct cwi_call_site *site,
                       uint64_t began, uint64_t nanoseconds, struct cwi_kept_wait *wait);
void cwi_wait_keep(struct cwi_profiled_thread *thread, const struct cwi_call_site *site,
                   uint64_t began, uint64_t nanoseconds);

/* --- Events: event_rings.c, profile_tools.c --------------------------------------------------- */

enum { CWI_LISTENER_TIMELINE = 1, CWI_LISTENER_TOOLS = 2 };
struct cwi_profile_state {
  uint64_t names_changed; /* number of objects that have been named or freed, plus 1 */
  unsigned listeners;     /* set of CWI_LISTENER_... that receive events */
};
extern struct cwi_profile_state cwi_profile_state;

/* cwi_timeline_start starts keeping events if CW_TIMELINE is set. cwi_timeline_forget drops the
 * events of a thread. It is called for all threads before cwi_timeline_stop, which frees the rings.
 */
void cwi_timeline_start(void);
void cwi_timeline_stop(void);
void cwi_timeline_forget(struct cwi_profiled_thread *thread);

/* cwi_timeline_is_persistent returns true if the crash reporter finds the events. cwi_timeline_seal
 * is called in the crash reporter before the first cwi_timeline_settle. From then on the reporter
 * takes no ring, because it does not know which ones the process has taken. */
bool cwi_timeline_is_persistent(const struct cwi_timeline_event *events);
void cwi_timeline_seal(void);
void cwi_timeline_add(struct cwi_profiled_thread *thread, const struct cwi_timeline_event *event);

/* Returns the number of events in the thread's ring. Older ones were dropped. */
uint64_t cwi_timeline_kept(const struct cwi_profiled_thread *thread);

/* Called in the crash reporter of a process that has died: ends the call and phases in progress
 * now. Drops an event that was being written and events that the reporter cannot see. */
void cwi_timeline_settle(struct cwi_profiled_thread *thread);

/* Starts notifying the tools that are registered so far. Returns false if there are none. In the
 * functions below, `site` is the site of a call or task, or NULL for a phase. */
bool cwi_tools_start(void);
/* Returns true if this thread is in a tool. */
bool cwi_tools_are_running(void);
void cwi_tools_notify_begin(const struct cwi_timeline_event *event, struct cwi_call_site *site);
void cwi_tools_notify_end(const struct cwi_timeline_event *event, struct cwi_call_site *site);

/* --- Phases of the program: phases.c ---------------------------------------------------------- */

/* Implement cw_profile_begin and cw_profile_end. cwi_phase_end needs an open phase. */
CWI_CHECKED cw_error cwi_phase_begin(struct cwi_profiled_thread *thread, const char *name);
void cwi_phase_end(struct cwi_profiled_thread *thread);

/* Adds the time of a call of this class to all open phases. */
void cwi_phases_add(struct cwi_profiled_thread *thread, cw_call_class call_class,
                    uint64_t nanoseconds);

/* Ends all phases of a thread that ends. */
void cwi_phases_end(struct cwi_profiled_thread *thread);

/* Returns the path of the innermost open phase, or NULL if there is none. */
const char *cwi_phases_path(const struct cwi_profiled_thread *thread);

/* Adds the open phases to the timeline, once, as if they ended now. No thread may be in a call. */
void cwi_phases_keep_open(struct cwi_profiled_thread *thread);

/* Returns the nanoseconds since an open phase began, or 0 if it is not open. */
uint64_t cwi_phase_open_time(const struct cwi_profiled_thread *thread,
                             const struct cwi_program_phase *phase);

/* --- Memory that outlives the process: counter_memory.c --------------------------------------- */

/* The head of the counter memory, for readers outside the process. Pointers in the memory are
 * addresses of the process, in which the memory begins at `own`. Rows and texts grow from the head;
 * what is kept for ever grows from the end. */
struct cwi_counter_memory_head {
  size_t bytes;        /* size of the whole memory */
  uint64_t rows, kept; /* bytes taken from the beginning and from the end; `rows` may exceed the
                          space after a failed request */
  uint64_t spared;     /* bytes of rows taken for optional data; may also exceed its limit */
  bool is_short;
  struct cwi_counter_memory_head *own;
  struct cwi_profiled_thread *threads; /* the first thread */
};

/* Returns a hash of these structures' sizes and offsets. A reader compares it with its own, because
 * it may have been compiled from another version. */
static inline uint64_t cwi_profile_layout(void)
{
  const size_t sizes[] = {sizeof(struct cwi_counter_memory_head),
                          sizeof(struct cwi_profiled_thread),
                          offsetof(struct cwi_profiled_thread, operations),
                          offsetof(struct cwi_profiled_thread, sites),
                          offsetof(struct cwi_profiled_thread, updated),
                          offsetof(struct cwi_profiled_thread, next),
                          sizeof(struct cwi_call_site),
                          offsetof(struct cwi_call_site, calls),
                          sizeof(struct cwi_call_target),
                          sizeof(struct cwi_call_object),
                          CWI_CALL_CLASSES};
  uint64_t layout = CWI_HASH_EMPTY;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    layout = cwi_hash_add(layout, sizes[i]);
  return layout;
}

/* Prepares the memory, or returns false if there is none. May be called again for another run. */
bool cwi_counter_memory_start(void);

/* Publishes the first thread, from which readers find the others. */
void cwi_counter_memory_show(struct cwi_profiled_thread *first);

/* Return zeroed memory, or NULL if there is no more. Memory from cwi_counter_memory_take lasts
 * until cwi_counter_memory_forget, memory from cwi_counter_memory_keep for ever. Any thread may
 * call them. */
void *cwi_counter_memory_take(size_t bytes);
void *cwi_counter_memory_keep(size_t bytes);

/* Like cwi_counter_memory_take, for data that may be left out. All such data gets at most an eighth
 * of the memory. */
void *cwi_counter_memory_spare(size_t bytes);
void cwi_counter_memory_forget(void);

/* Returns true if a request failed for lack of memory. */
bool cwi_counter_memory_is_short(void);
