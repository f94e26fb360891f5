/* Phases of the program: those that a thread has open, and the time that it spends in calls of each
 * class during them. Phases of one name have separate rows if they are inside different phases. */
#include "base/hash.h"
#include "base/text.h"
#include "profile/profile_counters.h"

#include <causeway/profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of open phases that are stored. */
static uint32_t phases_open(const struct cwi_profiled_thread *thread)
{
  const uint32_t open = __atomic_load_n(&thread->open_phases, __ATOMIC_ACQUIRE);
  return open < CWI_OPEN_PHASES ? open : CWI_OPEN_PHASES;
}

static const char phases_others[] = "other phases";

static const char *phases_path(const struct cwi_program_phase *outer, const char *name)
{
  char *path = NULL;
  const int length =
      asprintf(&path, "%s%s%.*s", outer != NULL ? outer->path : "", outer != NULL ? "/" : "",
               (int)cwi_text_fitting(name, CW_MAX_PHASE), name);
  const char *known = length >= 0 ? cwi_profiled_text(path, phases_others) : NULL;
  if (length >= 0)
    free(path);
  return known;
}

/* Returns the innermost phase that is counted, or NULL. */
static const struct cwi_program_phase *phases_innermost(const struct cwi_profiled_thread *thread)
{
  const struct cwi_program_phase *phase = NULL;
  for (uint32_t i = phases_open(thread); i > 0 && phase == NULL; i--)
    phase = thread->open[i - 1].phase;
  return phase;
}

const char *cwi_phases_path(const struct cwi_profiled_thread *thread)
{
  const struct cwi_program_phase *phase = phases_innermost(thread);
  return phase != NULL ? phase->path : NULL;
}

static uint64_t phases_key(const struct cwi_program_phase *outer, const char *name)
{
  return cwi_hash_word(cwi_hash_add(CWI_HASH_EMPTY, (uintptr_t)outer), name) | 1;
}

/* Returns the row of the phase, or NULL if there is no memory. After MOST phases, as of a program
 * that names each step differently, further ones share one row. */
static struct cwi_program_phase *phases_find(struct cwi_profiled_thread *thread, const char *name)
{
  enum { MOST = 1 << 14 };
  bool is_new = false;
  const struct cwi_program_phase *outer = phases_innermost(thread);
  if (thread->phases.table.count >= MOST &&
      cwi_hash_map_find(&thread->phases.table, phases_key(outer, name)) == NULL) {
    outer = NULL;
    name = phases_others;
  }
  const uint64_t key = phases_key(outer, name);
  struct cwi_program_phase *phase = cwi_counted_row(&thread->phases, key, sizeof *phase, &is_new);
  if (phase != NULL && is_new && (phase->path = phases_path(outer, name)) != NULL) {
    const size_t before = outer != NULL ? strlen(outer->path) + 1 : 0;
    phase->name = phase->path + (before < strlen(phase->path) ? before : 0);
  }
  return phase != NULL && phase->path != NULL ? phase : NULL;
}

static struct cwi_timeline_event phases_event(const struct cwi_open_phase *open, uint64_t ended)
{
  return (struct cwi_timeline_event){.began = open->began,
                                     .ended = ended,
                                     .name = open->phase->name,
                                     .target = CW_NO_TARGET,
                                     .what = CW_CALL_PROGRAM_PHASE};
}

/* Opens a phase. `phase` is NULL if it is not counted. */
static void phases_push(struct cwi_profiled_thread *thread, struct cwi_program_phase *phase)
{
  const uint32_t open = thread->open_phases;
  const struct cwi_open_phase begun = {phase, cwi_nanoseconds()};
  if (open < CWI_OPEN_PHASES)
    thread->open[open] = begun;
  if (phase != NULL) {
    phase->number++;
    if (CWI_UNLIKELY((cwi_profile_state.listeners & CWI_LISTENER_TOOLS) != 0)) {
      const struct cwi_timeline_event event = phases_event(&begun, 0);
      cwi_tools_notify_begin(&event, NULL);
    }
  }
  __atomic_store_n(&thread->open_phases, open + 1, __ATOMIC_RELEASE);
}

cw_error cwi_phase_begin(struct cwi_profiled_thread *thread, const char *name)
{
  const bool is_named = name != NULL && name[0] != '\0';
  const bool is_reported = is_named && thread->open_phases < CWI_OPEN_PHASES;
  struct cwi_program_phase *phase = is_reported ? phases_find(thread, name) : NULL;
  phases_push(thread, phase);
  if (!is_named)
    return cwi_misuse("name is %s", name == NULL ? "NULL" : "empty");
  if (!is_reported)
    return cwi_misuse("%d phases are open on this thread; '%s' is ignored", CWI_OPEN_PHASES, name);
  return phase != NULL ? CW_OK : cwi_outside("no memory for the phase '%s'", name);
}

static void phases_observed(struct cwi_profiled_thread *thread, const struct cwi_open_phase *open,
                            uint64_t ended)
{
  const struct cwi_timeline_event event = phases_event(open, ended);
  if ((cwi_profile_state.listeners & CWI_LISTENER_TIMELINE) != 0)
    cwi_timeline_add(thread, &event);
  if ((cwi_profile_state.listeners & CWI_LISTENER_TOOLS) != 0)
    cwi_tools_notify_end(&event, NULL);
}

void cwi_phase_end(struct cwi_profiled_thread *thread)
{
  const uint32_t last = thread->open_phases - 1;
  const struct cwi_open_phase *open = last < CWI_OPEN_PHASES ? &thread->open[last] : NULL;
  if (open != NULL && open->phase != NULL) {
    const uint64_t now = cwi_nanoseconds();
    open->phase->nanoseconds += now - open->began;
    if (CWI_UNLIKELY(cwi_profile_state.listeners != 0))
      phases_observed(thread, open, now);
  }
  __atomic_store_n(&thread->open_phases, last, __ATOMIC_RELEASE);
}

void cwi_phases_keep_open(struct cwi_profiled_thread *thread)
{
  const uint64_t now = cwi_nanoseconds();
  const bool has_them = thread->has_open_phases;
  thread->has_open_phases = true;
  for (uint32_t i = 0; i < phases_open(thread) && !has_them; i++)
    if (thread->open[i].phase != NULL) {
      const struct cwi_timeline_event event = phases_event(&thread->open[i], now);
      cwi_timeline_add(thread, &event);
    }
}

void cwi_phases_end(struct cwi_profiled_thread *thread)
{
  while (thread->open_phases > 0)
    cwi_phase_end(thread);
}

/* --- Time of calls in phases ------------------------------------------------------------------ */

void cwi_phases_add(struct cwi_profiled_thread *thread, cw_call_class call_class,
                    uint64_t nanoseconds)
{
  for (uint32_t i = 0; i < phases_open(thread); i++)
    if (thread->open[i].phase != NULL)
      thread->open[i].phase->inside[call_class] += nanoseconds;
}

/* Each row is open at most once, because a phase inside a phase of the same name has another row.
 */
uint64_t cwi_phase_open_time(const struct cwi_profiled_thread *thread,
                             const struct cwi_program_phase *phase)
{
  for (uint32_t i = 0; i < phases_open(thread); i++)
    if (thread->open[i].phase == phase)
      return cwi_nanoseconds() - thread->open[i].began;
  return 0;
}
