/* Calls in progress and their counters: what CWI_PROFILED and cwi_note do while a profile is made.
 */
#include "base/hash.h"
#include "profile/counted_call.h"
#include "profile/profile_counters.h"

#include <causeway/transfer.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  SHORT_NANOSECONDS = 1000,
  MOST_PERIOD = 64,
  MOST_REPRESENTED = 16000,
  LONG_NANOSECONDS = 100000 /* shortest wait that is kept */
};

static bool counting;
static uint64_t poll_cost; /* nanoseconds between two successive reads of the clock */
static cwi_part_finder *find_part;

static uint64_t least_clock_cost(void)
{
  enum { POLLS = 100 };
  uint64_t least = UINT64_MAX, before = cwi_nanoseconds();
  for (int i = 0; i < POLLS; i++) {
    const uint64_t now = cwi_nanoseconds();
    if (now - before < least)
      least = now - before;
    before = now;
  }
  return least;
}

/* Runs in a forked child, which shares the counter memory with its parent. The child stops
 * counting: neither its calls nor the end of its thread may change the parent's counters. */
static void profile_in_child(void)
{
  counting = false;
  cwi_profile_state.listeners = 0;
  cwi_settings.observed &= ~(long)CWI_OBSERVED_BY_PROFILE;
  cwi_profiled_leave_to_parent();
}

cw_error cwi_profile_start(cwi_part_finder *find)
{
  const bool has_tools = cwi_tools_start();
  static bool knows_children;
  if (!cwi_is_profiled())
    return CW_OK;
  find_part = find;
  poll_cost = least_clock_cost();
  if (!cwi_counter_memory_start() || !cwi_names_start() || cwi_profiled_mine() == NULL)
    return cwi_outside("no memory for the counters of calls");
  if (!knows_children && pthread_atfork(NULL, NULL, profile_in_child) != 0)
    return cwi_outside("no memory for the counters of calls");
  knows_children = true;
  cwi_profiled->is_oldest = true;
  cwi_profiled_time_begin();
  cwi_usage_begin();
  cwi_waits_start();
  cwi_profile_state.listeners = has_tools ? CWI_LISTENER_TOOLS : 0;
  counting = true;
  return CW_OK;
}

void cwi_profile_stop(void)
{
  if (!counting)
    return;
  counting = false;
  cwi_waits_stop();
  if (cwi_profiled != NULL && (cwi_profile_state.listeners & CWI_LISTENER_TOOLS) != 0)
    cwi_phases_end(cwi_profiled);
  cwi_profile_state.listeners = 0;
  cwi_profiled_forget();
  cwi_timeline_stop();
  cwi_names_forget();
  cwi_counter_memory_forget();
}

struct cwi_profiled_thread *cwi_profiled_counting(void)
{
  return counting ? cwi_profiled_mine() : NULL;
}

/* --- Rows of a thread ------------------------------------------------------------------------- */

static __attribute__((noinline)) struct cwi_call_site *find_site(struct cwi_profiled_thread *thread,
                                                                 cw_call_class call_class,
                                                                 struct cwi_caller caller,
                                                                 const char *native)
{
  bool is_new = false;
  const uint64_t key = cwi_hash_add(
      cwi_hash_add(cwi_hash_add(CWI_HASH_EMPTY, caller.place), caller.entry), call_class);
  struct cwi_call_site *site = cwi_counted_row(&thread->sites, key | 1, sizeof *site, &is_new);
  if (site != NULL && is_new) {
    site->address = caller.place;
    site->entry = caller.entry;
    site->native = native;
    site->call_class = call_class;
    site->until = site->period = 1;
  }
  return site;
}

static inline bool site_is(const struct cwi_call_site *site, cw_call_class call_class,
                           struct cwi_caller caller)
{
  return site != NULL && site->address == caller.place && site->entry == caller.entry &&
         site->call_class == call_class;
}

/* Returns the row of a call site, or NULL if there is no memory. First tries the last site and a
 * small table. */
static inline struct cwi_call_site *site_of(struct cwi_profiled_thread *thread,
                                            cw_call_class call_class, struct cwi_caller caller,
                                            const char *native)
{
  if (site_is(thread->last_site, call_class, caller))
    return thread->last_site;
  const uintptr_t mixed = caller.place ^ caller.place >> 6 ^ caller.entry ^ (unsigned)call_class;
  struct cwi_call_site **known = &thread->known_sites[mixed % CWI_KNOWN_SITES];
  if (CWI_UNLIKELY(!site_is(*known, call_class, caller)))
    *known = find_site(thread, call_class, caller, native);
  return thread->last_site = *known;
}

/* Returns the site of an outermost call, or NULL for a call that another call of Causeway makes, or
 * if there is no memory. `stack` is passed to cwi_caller_find. */
static inline struct cwi_call_site *site_of_call(struct cwi_profiled_thread *thread,
                                                 cw_call_class call_class, const char *native,
                                                 const void *stack)
{
  return thread->depth == 0
             ? site_of(thread, call_class, cwi_caller_find(&thread->frames, stack), native)
             : NULL;
}

static struct cwi_call_target *target_of(struct cwi_profiled_thread *thread, int process)
{
  bool is_new = false;
  if (CWI_LIKELY(thread->last_target != NULL && thread->last_target->process == process))
    return thread->last_target;
  struct cwi_call_target *target =
      cwi_counted_row(&thread->targets, (uint64_t)process + 1, sizeof *target, &is_new);
  if (target != NULL)
    target->process = process;
  return thread->last_target = target;
}

/* Allocates the cells of an object that has a heat map. */
static void draw_object(struct cwi_call_object *object, const struct cwi_heat_map *heat_map)
{
  if (object->undrawn || heat_map == NULL)
    return;
  object->heat_map = heat_map;
  object->cells = cwi_counter_memory_spare(cwi_heat_map_count(heat_map) * sizeof *object->cells);
}

/* Looks up the object at (process, remote) and stores the result in *known, even if there is no
 * known object. */
static __attribute__((noinline)) void find_object(struct cwi_profiled_thread *thread,
                                                  struct cwi_known_part *known, int process,
                                                  const void *remote)
{
  bool is_new = false;
  const uint64_t ended = __atomic_load_n(&cwi_profile_state.names_changed, __ATOMIC_ACQUIRE);
  struct cwi_known_part found = {.part = {remote, 0, 0}, .process = process, .ended = ended};
  const bool is = find_part(process, remote, &found.part);
  struct cwi_profiled_object named = {NULL, NULL, NULL, NULL};
  if (is)
    named = cwi_profile_named(found.part.key);
  found.object = cwi_counted_row(&thread->objects, (uint64_t)(uintptr_t)named.name + 1,
                                 sizeof *found.object, &is_new);
  if (found.object != NULL) {
    found.object->name = named.name;
    if (found.object->cells == NULL)
      draw_object(found.object, named.heat_map);
  }
  found.find = named.find;
  found.owner = named.owner;
  if (named.find != NULL && named.heat_map->dimensions == 0 && found.object != NULL &&
      found.object->heat_map != NULL) {
    struct cwi_profile_place place;
    named.find(named.owner, named.heat_map, process, found.part.base, found.part.base, &place);
    found.before = place.along[0].first;
    found.region_heat_map = found.object->heat_map;
    found.region_cells = found.object->cells;
  }
  *known = found;
}

static inline bool part_has(const struct cwi_known_part *known, int process, const void *remote)
{
  return (uintptr_t)remote - (uintptr_t)known->part.base < known->part.bytes &&
         known->process == process &&
         known->ended == __atomic_load_n(&cwi_profile_state.names_changed, __ATOMIC_ACQUIRE);
}

/* Returns the part of an object that contains (process, remote). First tries the part of the
 * previous operation, then a small table, and only then looks up the object. */
static inline struct cwi_known_part *known_part_of(struct cwi_profiled_thread *thread, int process,
                                                   const void *remote)
{
  if (CWI_LIKELY(thread->last_part != NULL && part_has(thread->last_part, process, remote)))
    return thread->last_part;
  const uint64_t page = (uint64_t)(uintptr_t)remote >> 16 ^ (uint64_t)process << 40;
  struct cwi_known_part *known =
      &thread->known_parts[page * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CWI_KNOWN_BITS)];
  if (CWI_UNLIKELY(!part_has(known, process, remote)))
    find_object(thread, known, process, remote);
  return thread->last_part = known;
}

/* --- Calls ------------------------------------------------------------------------------------ */

/* Returns the number of calls until the next clocked one: random, from 1 to 2 * period - 1. With a
 * fixed period, calls that go to all targets in turn would be clocked for only some of them. */
static uint32_t next_clocked(const struct cwi_call_site *site)
{
  const uint64_t hash = site->calls * UINT64_C(0x9e3779b97f4a7c15);
  return 1 + (uint32_t)(hash >> 40) % (2 * site->period - 1);
}

/* Counts a call that is not clocked. */
static inline void site_pass(struct cwi_call_site *site)
{
  site->calls++;
  site->until--;
  site->since++;
}

/* Adds the time that a clocked call or task has taken so far to its site. This is done when another
 * call begins inside it, because the process may die in that call. */
static void call_event_emit(struct cwi_profiled_call *call, uint64_t now)
{
  if (call == NULL || call->began == 0 || now - call->began < call->outside + call->accounted)
    return;
  const uint64_t since = now - call->began - call->outside - call->accounted;
  call->accounted += since;
  call->site->nanoseconds += since;
  cwi_phases_add(call->thread, call->site->call_class, since);
}

/* Makes `call` the clocked call in progress again. */
static void call_go_on(struct cwi_profiled_call *call)
{
  if (call == NULL || call->began == 0)
    return;
  call->thread->clocked_site = call->site;
  call->thread->clocked_since = call->began + call->outside + call->accounted;
}

static struct cwi_timeline_event call_event(const struct cwi_profiled_call *call)
{
  const cw_call_class call_class = call->site->call_class;
  const struct cwi_call_object *object = call_class != CW_CALL_TASK ? call->thread->touched : NULL;
  return (struct cwi_timeline_event){.began = call->began,
                                     .ended = call->thread->last,
                                     .name = object != NULL ? object->name : NULL,
                                     .site = call->site,
                                     .bytes = call->bytes,
                                     .target = call->target,
                                     .what = (int)call_class};
}

/* Notifies tools that a call begins. This comes before the call's clock starts, so that the time in
 * tools does not count. */
static __attribute__((noinline)) void call_event_begin(struct cwi_profiled_call *call)
{
  call->target = CW_NO_TARGET;
  call->bytes = 0;
  const struct cwi_timeline_event event = call_event(call);
  if ((cwi_profile_state.listeners & CWI_LISTENER_TOOLS) != 0)
    cwi_tools_notify_begin(&event, call->site);
}

/* Reports the end of a call. A call whose site got no memory is not reported. */
static void call_event_end(const struct cwi_profiled_call *call)
{
  if (call->site == NULL)
    return;
  struct cwi_timeline_event event = call_event(call);
  if ((cwi_profile_state.listeners & CWI_LISTENER_TOOLS) != 0)
    cwi_tools_notify_end(&event, call->site);
  if (event.what == CW_CALL_TASK)
    event.name = (const char *)call->site->address; /* NOLINT(performance-no-int-to-ptr) */
  if ((cwi_profile_state.listeners & CWI_LISTENER_TIMELINE) != 0 && call->began != 0)
    cwi_timeline_add(call->thread, &event);
}

static void call_begin(struct cwi_profiled_call *call, struct cwi_call_site *site)
{
  struct cwi_profiled_thread *thread = call->thread;
  struct cwi_profiled_call *around = thread->outermost != NULL ? thread->outermost : thread->task;
  call->site = site;
  call->began = 0;
  call->outside = 0;
  call->accounted = 0;
  thread->outermost = call;
  thread->touched = NULL;
  thread->reached = NULL;
  if (CWI_UNLIKELY(site == NULL))
    return;
  if (CWI_UNLIKELY(cwi_profile_state.listeners != 0))
    call_event_begin(call);
  if (CWI_LIKELY(site->until > 1)) {
    site_pass(site);
    return;
  }
  site->calls++;
  site->until = next_clocked(site); /* a task inside the call may call from this site, too */
  call->began = cwi_nanoseconds();
  call_event_emit(around, call->began);
  thread->clocked_site = site;
  thread->clocked_since = call->began;
  if (thread->first == 0)
    thread->first = call->began;
}

/* Begins a call. `site` is used only if the call is an outermost one. */
static void call_enter(struct cwi_profiled_call *call, struct cwi_profiled_thread *thread,
                       cw_call_class call_class, struct cwi_call_site *site)
{
  call->thread = thread;
  if (thread->depth++ == 0)
    call_begin(call, site);
  else
    thread->inner[call_class]++;
}

/* This is not inlined, because the walk of the stack begins at this function's caller. */
__attribute__((noinline)) void cwi_call_enter(struct cwi_profiled_call *call,
                                              cw_call_class call_class, const char *name)
{
  struct cwi_profiled_thread *thread = counting ? cwi_profiled_mine() : NULL;
  call->thread = NULL;
  if (CWI_LIKELY(thread != NULL))
    call_enter(call, thread, call_class,
               site_of_call(thread, call_class, name, __builtin_dwarf_cfa()));
}

/* Returns the time of a clocked call, plus an estimate of the time of the calls since the last
 * clocked one, for which it stands. Each of those counts as at most 16 microseconds: a process that
 * lost its core in one put has not lost it in all of them. */
static uint64_t stand_for(struct cwi_call_site *site, uint64_t took)
{
  const bool is_short = took < SHORT_NANOSECONDS;
  if (is_short)
    site->usual = site->usual > 0 ? (7 * site->usual + took + 4) / 8 : took;
  const uint64_t others = site->since * (took < MOST_REPRESENTED ? took : MOST_REPRESENTED);
  site->since = 0;
  if (site->call_class >= CW_CALL_BARRIER || !is_short ||
      (cwi_profile_state.listeners & CWI_LISTENER_TIMELINE) != 0)
    site->period = 1;
  else if (site->period < MOST_PERIOD)
    site->period *= 2;
  site->until = next_clocked(site);
  return took + others;
}

/* Ends a clocked call. Returns its nanoseconds and those of the calls for which it stands. */
static uint64_t call_clocked(const struct cwi_profiled_call *call, struct cwi_call_object *touched,
                             struct cwi_call_target *reached)
{
  struct cwi_call_site *site = call->site;
  const uint64_t now = cwi_nanoseconds(), elapsed = now - call->began;
  const uint64_t less = call->outside + poll_cost, took = elapsed > less ? elapsed - less : 0;
  const uint64_t all = stand_for(site, took),
                 rest = all > call->accounted ? all - call->accounted : 0;
  call->thread->clocked_since = 0;
  call->thread->last = now;
  if (CWI_UNLIKELY(call->thread->open_phases > 0))
    cwi_phases_add(call->thread, site->call_class, rest);
  site->nanoseconds += rest;
  site->clocked[cwi_power_of(took)]++;
  if (took > site->longest)
    site->longest = took;
  if (CWI_UNLIKELY(took >= LONG_NANOSECONDS && took > call->thread->least_wait))
    cwi_wait_keep(call->thread, site, call->began, took);
  call->thread->whom_updated = 0; /* `whom` belongs to this call, not to the call around it */
  if (site->call_class >= CW_CALL_BARRIER)
    cwi_memory_sample();
  if (touched != NULL)
    touched->nanoseconds += all;
  if (reached != NULL)
    reached->nanoseconds += all;
  return all;
}

static __attribute__((noinline)) void call_end(const struct cwi_profiled_call *call)
{
  struct cwi_profiled_thread *thread = call->thread;
  if (call->began != 0) {
    const uint64_t all = call_clocked(call, thread->touched, thread->reached);
    if (thread->task != NULL) {
      thread->task->outside += all;
      call_go_on(thread->task);
    }
  }
  if (cwi_profile_state.listeners != 0)
    call_event_end(call);
}

void cwi_call_return(struct cwi_profiled_call *call)
{
  struct cwi_profiled_thread *thread = call->thread;
  if (--thread->depth > 0)
    return;
  if (CWI_UNLIKELY((call->began | cwi_profile_state.listeners) != 0))
    call_end(call);
  thread->outermost = NULL;
}

const struct cwi_call_site *cwi_call_site_now(void)
{
  const struct cwi_profiled_call *call = cwi_profiled != NULL ? cwi_profiled->outermost : NULL;
  return call != NULL ? call->site : NULL;
}

void cwi_call_help(struct cwi_profiled_call *call, cw_call_class call_class,
                   const struct cwi_call_site *site)
{
  const struct cwi_caller caller =
      site != NULL ? (struct cwi_caller){site->address, site->entry} : (struct cwi_caller){0, 0};
  struct cwi_profiled_thread *thread = counting ? cwi_profiled_mine() : NULL;
  call->thread = thread;
  if (thread == NULL)
    return;
  thread->depth++;
  call_begin(call, site_of(thread, call_class, caller, site != NULL ? site->native : NULL));
}

void cwi_call_helped(struct cwi_profiled_call *call)
{
  if (call->thread == NULL)
    return;
  cwi_call_return(call);
  cwi_profiled_pause(call->thread);
}

/* Saves the state of the call around the task and clocks the task as a call of its own. Calls that
 * the task makes count as outermost ones. cwi_outside_return restores the state. */
void cwi_outside_enter(struct cwi_profiled_call *call, const void *function)
{
  struct cwi_profiled_thread *thread = counting ? cwi_profiled_mine() : NULL;
  call->thread = thread;
  if (thread == NULL)
    return;
  call->depth = thread->depth;
  call->outer = thread->outermost;
  call->task = thread->task;
  call->touched = thread->touched;
  call->reached = thread->reached;
  call_begin(call,
             site_of(thread, CW_CALL_TASK, (struct cwi_caller){(uintptr_t)function, 0}, NULL));
  thread->depth = 0;
  thread->outermost = NULL;
  thread->task = call;
}

void cwi_outside_return(struct cwi_profiled_call *call)
{
  struct cwi_profiled_thread *thread = call->thread;
  if (thread == NULL)
    return;
  if (call->began != 0) {
    call_clocked(call, NULL, NULL);
    const uint64_t elapsed = thread->last - call->began;
    if (call->outer != NULL)
      call->outer->outside += elapsed;
    if (call->task != NULL)
      call->task->outside += elapsed;
  }
  if (CWI_UNLIKELY(cwi_profile_state.listeners != 0))
    call_event_end(call);
  thread->depth = call->depth;
  thread->outermost = call->outer;
  thread->task = call->task;
  thread->touched = call->touched;
  thread->reached = call->reached;
  call_go_on(call->outer);
}

uint64_t cwi_call_under_way(const struct cwi_profiled_thread *thread)
{
  const uint64_t now = cwi_nanoseconds(), since = thread->clocked_since;
  return since != 0 && since < now ? now - since : 0;
}

uint64_t cwi_call_site_time(const struct cwi_profiled_thread *thread,
                            const struct cwi_call_site *site)
{
  uint64_t all = cwi_call_site_done(site);
  if (thread->clocked_site == site)
    all += cwi_call_under_way(thread);
  return all;
}

/* --- Operations ------------------------------------------------------------------------------- */

/* Counts the bytes of each segment in the cell in which they lie. A segment outside this part of
 * the object counts at the place `begin`. */
static void draw_segments(const struct cwi_known_part *known, const struct cwi_profile_place *begin,
                          const struct cwi_touched *touched)
{
  struct cwi_call_object *object = known->object;
  unsigned operations = 1;
  for (size_t v = 0; v < touched->vector_count; v++) {
    const cw_vector *vector = &touched->vectors[v];
    for (size_t i = 0; vector->bytes > 0 && i < vector->count; i++) {
      struct cwi_profile_place place = *begin;
      const char *at = vector->remote[i];
      if ((uintptr_t)at - (uintptr_t)known->part.base < known->part.bytes)
        known->find(known->owner, object->heat_map, known->process, at, at + vector->bytes - 1,
                    &place);
      cwi_heat_map_add(object->heat_map, object->cells, &place, operations, vector->bytes,
                       known->process);
      operations = 0;
    }
  }
}

static void note_update(struct cwi_profiled_thread *thread, const struct cwi_known_part *known,
                        int64_t place, bool is_drawn)
{
  const char *name = known->object->name;
  struct cwi_top_k_entry one = {.place = place,
                                .slice = is_drawn ? 0 : known->part.key,
                                .name = name,
                                .process = known->process};
  one.key = cwi_top_k_key(cwi_hash_add(CWI_HASH_EMPTY, (uint64_t)(uintptr_t)name), &one);
  cwi_top_k_add(&thread->updated, &one);
}

/* Finds the place of an operation in its object and counts it there. Most short operations go to
 * regions, and note_object counts those itself. */
static __attribute__((noinline)) void note_place(struct cwi_profiled_thread *thread,
                                                 enum cwi_counted what,
                                                 const struct cwi_known_part *known,
                                                 const struct cwi_touched *touched, size_t bytes)
{
  struct cwi_call_object *object = known->object;
  struct cwi_profile_place place = {.number = known->part.key != 0
                                                  ? touched->first - known->part.base
                                                  : -(int64_t)(uintptr_t)touched->first};
  const bool is_drawn = known->find != NULL && object->heat_map != NULL;
  if (is_drawn)
    known->find(known->owner, object->heat_map, known->process, touched->first,
                touched->first + touched->span - 1, &place);
  if (what == CWI_COUNT_RMW)
    note_update(thread, known, place.number, is_drawn);
  if (!is_drawn || object->cells == NULL) {
    object->undrawn = true;
    return;
  }
  if (CWI_UNLIKELY(touched->vectors != NULL))
    draw_segments(known, &place, touched);
  else
    cwi_heat_map_add(object->heat_map, object->cells, &place, 1, bytes, known->process);
}

static inline __attribute__((always_inline)) void note_object(struct cwi_profiled_thread *thread,
                                                              enum cwi_counted what, int process,
                                                              const struct cwi_touched *touched,
                                                              size_t bytes)
{
  const struct cwi_known_part *known = known_part_of(thread, process, touched->first);
  struct cwi_call_object *object = known->object;
  if (CWI_UNLIKELY(object == NULL))
    return;
  object->operations++;
  object->bytes += bytes;
  if (thread->touched == NULL)
    thread->touched = object;
  if (CWI_LIKELY(known->region_cells != NULL && touched->vectors == NULL &&
                 what != CWI_COUNT_RMW)) {
    const int64_t first = known->before + (touched->first - known->part.base);
    cwi_heat_map_add_bytes(known->region_heat_map, known->region_cells, first,
                           first + (int64_t)touched->span - 1, bytes, process);
  } else {
    note_place(thread, what, known, touched, bytes);
  }
}

static inline __attribute__((always_inline)) void
note_operation(struct cwi_profiled_thread *thread, struct cwi_call_site *site,
               enum cwi_counted what, enum cwi_where where, int process,
               const struct cwi_touched *touched, size_t bytes)
{
  struct cwi_operations *operations = &thread->operations[what][where];
  struct cwi_call_target *target = target_of(thread, process);
  operations->count++;
  operations->bytes += bytes;
  operations->sizes[cwi_power_of(bytes)]++;
  if (CWI_LIKELY(target != NULL)) {
    target->operations++;
    target->bytes += bytes;
    if (CWI_UNLIKELY(what == CWI_COUNT_RMW))
      target->updates++;
    if (thread->reached == NULL)
      thread->reached = target;
  }
  if (CWI_LIKELY(site != NULL))
    site->bytes += bytes;
  note_object(thread, what, process, touched, bytes);
}

static void call_event_note(struct cwi_profiled_call *call, int process, size_t bytes)
{
  call->bytes += bytes;
  if (call->target != process)
    call->target = call->target == CW_NO_TARGET ? process : CW_SEVERAL_TARGETS;
}

void cwi_profile_note_touched(enum cwi_counted what, enum cwi_where where, int process,
                              const struct cwi_touched *touched, size_t bytes)
{
  struct cwi_profiled_thread *thread = counting ? cwi_profiled_mine() : NULL;
  struct cwi_profiled_call call;
  call.thread = NULL;
  if (CWI_UNLIKELY(thread == NULL))
    return;
  if (CWI_UNLIKELY(thread->depth == 0)) /* a public function without CWI_PROFILED */
    cwi_call_enter(&call, (cw_call_class)what, NULL);
  if (CWI_UNLIKELY(cwi_profile_state.listeners != 0))
    call_event_note(thread->outermost, process, bytes);
  note_operation(thread, thread->outermost->site, what, where, process, touched, bytes);
  cwi_call_leave(&call);
}

/* This is not inlined, for the same reason as cwi_call_enter. */
__attribute__((noinline)) void cwi_call_enter_counted(struct cwi_profiled_call *call,
                                                      const char *name, enum cwi_counted what,
                                                      enum cwi_where where, int process,
                                                      const void *remote, size_t bytes)
{
  struct cwi_profiled_thread *thread = counting ? cwi_profiled_mine() : NULL;
  const struct cwi_touched touched = {remote, bytes, NULL, 0};
  call->thread = NULL;
  if (CWI_UNLIKELY(thread == NULL))
    return;
  struct cwi_call_site *site =
      site_of_call(thread, (cw_call_class)what, name, __builtin_dwarf_cfa());
  if (CWI_LIKELY(site != NULL && site->until > 1 && cwi_profile_state.listeners == 0)) {
    site_pass(site);
    note_operation(thread, site, what, where, process, &touched, bytes);
    return;
  }
  call_enter(call, thread, (cw_call_class)what, site);
  cwi_profile_note_touched(what, where, process, &touched, bytes);
}

void cwi_profile_note(enum cwi_counted what, enum cwi_where where, int process, const void *remote,
                      size_t bytes)
{
  const struct cwi_touched touched = {remote, bytes, NULL, 0};
  cwi_profile_note_touched(what, where, process, &touched, bytes);
}

void cwi_profile_touch(int process, const void *remote)
{
  struct cwi_profiled_thread *thread = counting ? cwi_profiled_mine() : NULL;
  if (thread != NULL && thread->depth > 0 && thread->touched == NULL)
    thread->touched = known_part_of(thread, process, remote)->object;
}
