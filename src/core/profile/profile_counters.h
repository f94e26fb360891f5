/* The counters of the profile, for who reads them. */
#ifndef CWI_PROFILE_PROFILE_COUNTERS_H
#define CWI_PROFILE_PROFILE_COUNTERS_H

#include "base/clock.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "machine/caller.h"
#include "profile/profile.h"
#include "profile/top_k.h"

/* Place n of a histogram counts what is less than 2^n, and not less than 2^(n-1). */
enum { CWI_POWERS = 48 };

static inline int cwi_power_of(uint64_t value)
{
  const int power = value == 0 ? 0 : 64 - __builtin_clzll(value);
  return power < CWI_POWERS ? power : CWI_POWERS - 1;
}

/* Rows of one kind: each begins with a struct cwi_counted_row. They lie in lasting memory; the
 * table, by which their thread finds them, does not. */
struct cwi_counted_row {
  struct cwi_counted_row *next;
};
struct cwi_counted_rows {
  struct cwi_hash_map table;
  struct cwi_counted_row *first;
};

/* Calls of one class and one function from one place. Not each short call is clocked: those that
 * are stand for the others, and are drawn at random. */
struct cwi_call_site {
  struct cwi_counted_row row;
  uintptr_t address;  /* the return address, the function of a CWI_CALL_TASK, or 0 */
  uintptr_t entry;    /* address in the library function that was called from there, or 0 */
  const char *native; /* name of the native call, or NULL */
  const char *name;   /* result of cwi_call_name, or NULL before that is called */
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

/* Operations to one target; in seconds: calls whose first operation went there. */
struct cwi_call_target {
  struct cwi_counted_row row;
  int process;
  uint64_t operations, bytes, nanoseconds;
  uint64_t updates; /* of the operations: read-modify-writes */
};

/* What was done to an object: by calls whose first operation went to it, in seconds. */
struct cwi_call_object {
  struct cwi_counted_row row;
  const char *name; /* NULL: nobody has named it */
  uint64_t operations, bytes, nanoseconds;
  const struct cwi_heat_map *heat_map; /* NULL: it is not drawn */
  struct cwi_heat_map_cell *cells;     /* of its operations; NULL: there was no memory */
  bool undrawn;                        /* some of them lie in no cell */
};

/* A phase of the program. */
struct cwi_program_phase {
  struct cwi_counted_row row;
  const char *path;                  /* with those around it: "step/fock" */
  const char *name;                  /* its own: "fock" */
  uint64_t number, nanoseconds;      /* begun; of those that have ended */
  uint64_t inside[CWI_CALL_CLASSES]; /* nanoseconds of clocked calls, with what they stand for */
};

/* A wait: when it began on the clock, in which phase of the program (NULL: in none), and for whom;
 * "": that is not known, or it was short. */
enum { CWI_KEPT_WAITS = 16, CWI_WHOM = 96 };
struct cwi_server_ranks_wait {
  uint64_t began, nanoseconds;
  const struct cwi_call_site *site;
  const char *phase;
  char whom[CWI_WHOM];
};

/* What a thread did from one time to another. */
struct cwi_timeline_event {
  uint64_t began, ended; /* on the clock */
  const char *name;      /* of a call: of its first object, or NULL; of a phase: its own; of a task
                            its function */
  const struct cwi_call_site *site; /* of a call; of a phase NULL */
  uint64_t bytes;
  int target;
  int what; /* enum cwi_call_class, or: */
};
enum { CWI_PROGRAM_PHASE = CWI_CALL_CLASSES };

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

/* A thread that has called, or several: one that ends leaves it to another. */
struct cwi_profiled_thread {
  unsigned depth; /* calls of ours in each other */
  struct cwi_profiled_call *outermost;
  struct cwi_profiled_call *task;  /* the program's function that runs in a call of ours */
  struct cwi_call_object *touched; /* the first one in the outermost call */
  struct cwi_call_target *reached; /* the same */
  struct cwi_call_site *known_sites[CWI_KNOWN_SITES];
  /* Most operations are as the one before: what is at hand is not waited for. */
  struct cwi_call_site *last_site;
  struct cwi_call_target *last_target;
  struct cwi_known_part *last_part; /* of known_parts */
  struct cwi_known_part {
    struct cwi_profiled_part part;
    int process;
    uint64_t ended; /* objects that had ended when it was found, plus 1 */
    struct cwi_call_object *object;
    cwi_place_finder *find; /* NULL: nobody knows */
    const void *owner;
    /* Of a region that is drawn, else NULL: how, and bytes of its slices before this one. */
    const struct cwi_heat_map *region_heat_map;
    struct cwi_heat_map_cell *region_cells;
    int64_t before;
  } known_parts[CWI_KNOWN_PARTS];
  struct cwi_operations operations[CWI_COUNTED][CWI_WHERES];
  struct cwi_top_k updated;         /* what most read-modify-writes went to */
  uint64_t inner[CWI_CALL_CLASSES]; /* calls that another of ours has made */
  /* A clocked call that is under way, and when on the clock it would have begun without the
   * program's functions in it; 0: there is none. */
  struct cwi_call_site *clocked_site;
  uint64_t clocked_since;
  struct cwi_counted_rows sites, targets, objects; /* rows: struct cwi_call_site and so on */
  struct cwi_counted_rows phases;                  /* struct cwi_program_phase */
  /* Those that have not ended, the last one last; more may be open than there is room for. */
  struct cwi_open_phase {
    struct cwi_program_phase *phase; /* NULL: there was no memory */
    uint64_t began;
  } open[CWI_OPEN_PHASES];
  uint32_t open_phases;
  struct cwi_frames frames;
  /* On the clock: when its first clocked call began, and the last one ended; 0: there was none. */
  uint64_t first, last;
  uint64_t time;                     /* nanoseconds between these of those that had it before */
  struct cwi_timeline_event *events; /* a ring; NULL: none yet, or no memory */
  uint64_t event_capacity;           /* in it */
  uint64_t event_count;              /* of all that there were */
  bool has_open_phases;              /* among the events, as if they had ended */
  struct cwi_server_ranks_wait waits[CWI_KEPT_WAITS]; /* the longest, in no order */
  uint32_t wait_count;
  uint64_t least_wait;   /* of them, if there is room for no more; else 0 */
  uint64_t whom_updated; /* when on the clock, the last time, */
  char whom[CWI_WHOM];   /* for whom the call waits that was then under way */
  bool is_oldest;        /* the world began on it: its time is all of the wall time */
  bool idle;             /* its thread has ended */
  struct cwi_profiled_thread *next;
};

/* The calling thread's; NULL: there is no memory. */
extern __thread __attribute__((tls_model("initial-exec"))) struct cwi_profiled_thread *cwi_profiled;
struct cwi_profiled_thread *cwi_profiled_begin(void);

static inline struct cwi_profiled_thread *cwi_profiled_mine(void)
{
  return CWI_LIKELY(cwi_profiled != NULL) ? cwi_profiled : cwi_profiled_begin();
}

/* The same while a profile is made; NULL also else. */
struct cwi_profiled_thread *cwi_profiled_counting(void);

/* In a child that this process has forked: its thread has no counters, and leaves none. */
void cwi_profiled_leave_to_parent(void);

/* A row, or a new one, all zeros; NULL: no memory. Rows of one key are added up in the end: one
 * that the table has no room for counts, too. */
void *cwi_counted_row(struct cwi_counted_rows *rows, uint64_t key, size_t bytes, bool *is_new);

/* Its time so far is over; what follows until its next call is not its time. */
void cwi_profiled_pause(struct cwi_profiled_thread *thread);

/* Nanoseconds in which it was there: from its first call to its last. wall: of the process. */
uint64_t cwi_profiled_time_of(const struct cwi_profiled_thread *thread, uint64_t wall);

/* Forget what all have counted. */
void cwi_profiled_forget(void);

/* All threads that have called since the start: NULL gives the first, NULL comes after the last. */
struct cwi_profiled_thread *cwi_profiled_next(struct cwi_profiled_thread *thread);

/* Nanoseconds since the start, which is now. */
void cwi_profiled_time_begin(void);
uint64_t cwi_profiled_time(void);

/* Times are told since then on the clock: when process 0 began, as far as this process knows it. It
 * is this process's own start until that is said. */
void cwi_profiled_set_origin(uint64_t origin);
uint64_t cwi_profiled_reported_time(uint64_t clock);

/* Nanoseconds of the clocked call that is under way; 0: there is none. */
uint64_t cwi_call_under_way(const struct cwi_profiled_thread *thread);

/* What a site's calls took, with those for which no clocked call stands yet. */
static inline uint64_t cwi_call_site_done(const struct cwi_call_site *site)
{
  return site->nanoseconds + site->since * site->usual;
}

/* The same with one that is under way. */
uint64_t cwi_call_site_time(const struct cwi_profiled_thread *thread,
                            const struct cwi_call_site *site);

#define CWI_EACH_ROW(type, at, rows)                                                               \
  (const type *at = (const void *)__atomic_load_n(&(rows)->first, __ATOMIC_ACQUIRE); at != NULL;   \
   at = (const void *)at->row.next)

/* --- Names of calls: native_call_name.c
 * -------------------------------------------------------------- */

/* Writes the name under which programs call the function with that symbol, as "ARMCI_Put" for
 * "PARMCI_Put", and returns true; or returns false, because programs do not call it. */
enum { CWI_CALL_NAME = 64 };
bool cwi_call_name_of_symbol(const char *symbol, char name[CWI_CALL_NAME]);

/* Does the same for the function in which the entry of a call lies, if the dynamic linker knows it.
 */
bool cwi_call_name_of_entry(uintptr_t entry, char name[CWI_CALL_NAME]);

/* Returns the name of the native call of a site, or "" if it has none that programs know. */
const char *cwi_call_native(const struct cwi_call_site *site);

/* Returns the name of the site's call for tools, or NULL if it is not known. It stays until all is
 * forgotten. */
const char *cwi_call_name(struct cwi_call_site *site);

/* --- Objects: profiled_objects.c
 * ----------------------------------------------------------------------- */

/* What objects of one name have of this process's memory: now, and at most at once. */
struct cwi_object_memory {
  const struct cwi_object_memory *next;
  const char *name;
  uint64_t bytes, most;
  struct cwi_heat_map *heat_map; /* NULL: they are not drawn */
};

/* All names; NULL gives the first, NULL comes after the last. */
const struct cwi_object_memory *cwi_named_next(const struct cwi_object_memory *named);

/* Memory in the course of the run: the most in each step of so many nanoseconds since the start. */
enum { CWI_TIME_SERIES = 64 };
struct cwi_memory_time_series {
  uint64_t step;
  uint32_t used; /* steps */
  uint64_t last_bytes, last_in_use;
  uint64_t held[CWI_TIME_SERIES];   /* bytes that objects have of this process's memory */
  uint64_t in_use[CWI_TIME_SERIES]; /* bytes that Causeway has handed out on this node */
};
void cwi_time_series_begin(struct cwi_memory_time_series *series);
void cwi_time_series_note(struct cwi_memory_time_series *series, uint64_t time, uint64_t held,
                          uint64_t in_use);
void cwi_time_series_until(struct cwi_memory_time_series *series, uint64_t time);

/* Steps of a series twice as long: half as many. */
void cwi_time_series_widen(uint64_t *most, uint32_t *used);

/* This process's until now; as it is: there is none. */
void cwi_profile_time_series(struct cwi_memory_time_series *series);

/* Is as much of the node's memory handed out as this process saw last? Else it is noted. */
void cwi_memory_sample(void);

/* The object with the key; of one that nobody has named the name is NULL. How many have ended, plus
 * 1. */
struct cwi_profiled_object {
  const char *name;
  const struct cwi_heat_map *heat_map;
  cwi_place_finder *find;
  const void *owner;
};
struct cwi_profiled_object cwi_profile_named(uint64_t key);
extern uint64_t cwi_profiled_ended;
bool cwi_names_start(void);
void cwi_names_forget(void);

/* The same text in lasting memory, or `others`, where there are too many; NULL: there is no more
 * memory. Any thread. */
const char *cwi_profiled_text(const char *text, const char *others);

/* --- The machine: resource_usage.c
 * --------------------------------------------------------------------- */

/* Of all threads of this process, since the start. */
struct cwi_usage {
  uint64_t user, system;        /* nanoseconds of cores, in programs and in the kernel */
  uint64_t faults, disk_faults; /* pages that the kernel gave, and had to read */
  uint64_t sleeps, preemptions; /* a thread gave its core away, and lost it */
  uint64_t waited; /* nanoseconds in which the first thread was ready and had no core; 0 also where
                      the kernel does not tell */
  uint64_t most_memory; /* resident bytes, at most at once; 0: nothing of this is known */
};
void cwi_usage_begin(void);
struct cwi_usage cwi_usage_since(void);

/* --- Waits: longest_waits.c
 * --------------------------------------------------------------------------- */

/* Hear for whom threads wait, from now on; no longer. */
void cwi_waits_start(void);
void cwi_waits_stop(void);

/* A call of the thread from this site, which began then on the clock, took so long, or takes so
 * long until now: the wait that it was; false: it was none. The same, and keep it among the
 * longest. */
bool cwi_wait_describe(const struct cwi_profiled_thread *thread, const struct cwi_call_site *site,
                       uint64_t began, uint64_t nanoseconds, struct cwi_server_ranks_wait *wait);
void cwi_wait_keep(struct cwi_profiled_thread *thread, const struct cwi_call_site *site,
                   uint64_t began, uint64_t nanoseconds);

/* --- Events: event_rings.c, profile_tools.c
 * ------------------------------------------------------------- */

/* Who hears of events. */
enum { CWI_LISTENER_TIMELINE = 1, CWI_LISTENER_TOOLS = 2 };
extern unsigned cwi_event_listeners;

/* With CW_TIMELINE, from now on; no longer, when those of all threads are forgotten. */
void cwi_timeline_start(void);
void cwi_timeline_stop(void);
void cwi_timeline_forget(struct cwi_profiled_thread *thread);

/* Does a witness find them? In a witness, before the first cwi_timeline_settle: which of the rings
 * its process has taken is not known, so that it takes none. */
bool cwi_timeline_is_persistent(const struct cwi_timeline_event *events);
void cwi_timeline_seal(void);
void cwi_timeline_add(struct cwi_profiled_thread *thread, const struct cwi_timeline_event *event);

/* The thread's ring has so many events, from the beginning; the others were dropped. */
uint64_t cwi_timeline_kept(const struct cwi_profiled_thread *thread);

/* In the witness of a process that has died: what it was in ends now, and what it was writing, or
 * what no other process can see, is dropped. */
void cwi_timeline_settle(struct cwi_profiled_thread *thread);

/* Notifies the registered tools of this run. Returns false if there are none. In the calls below
 * `site` is that of a call or task, else NULL. */
bool cwi_tools_start(void);
/* Is this thread in a tool? */
bool cwi_tools_are_running(void);
void cwi_tools_notify_begin(const struct cwi_timeline_event *event, struct cwi_call_site *site);
void cwi_tools_notify_end(const struct cwi_timeline_event *event, struct cwi_call_site *site);

/* --- Phases of the program: phases.c ---------------------------------------------------------- */

/* What cw_profile_begin and cw_profile_end do; one has begun that has not ended. */
CWI_CHECKED cw_error cwi_phase_begin(struct cwi_profiled_thread *thread, const char *name);
void cwi_phase_end(struct cwi_profiled_thread *thread);

/* A call of this class took so long, in all phases that are open. */
void cwi_phases_add(struct cwi_profiled_thread *thread, enum cwi_call_class call_class,
                    uint64_t nanoseconds);

/* The thread ends, and all that it has begun. */
void cwi_phases_end(struct cwi_profiled_thread *thread);

/* The path of the innermost one that is open; NULL: none is. */
const char *cwi_phases_path(const struct cwi_profiled_thread *thread);

/* The timeline has those that are open, as if they ended now, once. No thread is in a call. */
void cwi_phases_keep_open(struct cwi_profiled_thread *thread);

/* Nanoseconds since a phase has begun that is open; 0: it is not. */
uint64_t cwi_phase_open_time(const struct cwi_profiled_thread *thread,
                             const struct cwi_program_phase *phase);

/* --- Memory that outlives the process: counter_memory.c
 * ---------------------------------------------- */

/* At its beginning, for who reads it from outside. Pointers in it are those of its process, to
 * which `own` is its beginning. Rows and texts grow from there, what stays from its end. */
struct cwi_counter_memory_head {
  size_t bytes;        /* of all of it */
  uint64_t rows, kept; /* taken from the beginning, and from the end; rows may tell of more than
                          there is */
  uint64_t spared;     /* of the rows; the same */
  bool is_short;
  struct cwi_counter_memory_head *own;
  struct cwi_profiled_thread *threads; /* the first */
};

/* Readers have their own compile of these structures: is it the same? */
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

/* false: there is none. It may be told again. */
bool cwi_counter_memory_start(void);

/* Readers find the threads from this one. */
void cwi_counter_memory_show(struct cwi_profiled_thread *first);

/* All zeros, until all is forgotten, or for ever; NULL: there is no more. Any thread. */
void *cwi_counter_memory_take(size_t bytes);
void *cwi_counter_memory_keep(size_t bytes);

/* As cwi_counter_memory_take, of what may be missing: an eighth of the memory is for that. */
void *cwi_counter_memory_spare(size_t bytes);
void cwi_counter_memory_forget(void);

/* Has somebody got none? */
bool cwi_counter_memory_is_short(void);
#endif
