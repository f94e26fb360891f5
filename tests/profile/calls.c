/* Checks how the profile clocks calls and adds them up, without a job. */
#include "base/settings.h"
#include "kit/kit.h"
#include "output/atomic_archive.h"
#include "summary/hottest.h"
#include "summary/summary.h"
#include "timeline/timeline_writer.h"

#include <causeway/profile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char memory[8];
static int finds;

/* --- The clock -------------------------------------------------------------------------------- */

enum { NAP = 20000000 };       /* nanoseconds */
static long ahead;             /* nanoseconds that the clock is ahead of the system's */
static int reads, interrupted; /* the process loses its core before this read of the clock */

int clock_gettime(clockid_t clock, struct timespec *now)
{
  enum { SECOND = 1000000000 };
  if (syscall(SYS_clock_gettime, clock, now) != 0)
    return -1;
  if (clock != CLOCK_MONOTONIC)
    return 0;
  if (++reads == interrupted)
    ahead += NAP;
  now->tv_sec += (now->tv_nsec + ahead) / SECOND;
  now->tv_nsec = (now->tv_nsec + ahead) % SECOND;
  return 0;
}

static void nap(void)
{
  ahead += NAP;
}

/* --- Calls and tasks -------------------------------------------------------------------------- */

static bool find_memory(int process, const void *address, struct cwi_profiled_part *part)
{
  *part = (struct cwi_profiled_part){memory, sizeof memory, 7};
  finds++;
  return process >= 0 && address == memory;
}

/* Returns counters that are zero. */
static void begin(void)
{
  cwi_profile_stop();
  cwi_settings.observed = CWI_OBSERVED_BY_PROFILE;
  kit_check(cwi_profile_start(find_memory) == CW_OK, "the profile has not begun");
}

/* Return the nanoseconds of a class, and the bytes of an object, in a summary of this process. */
static uint64_t time_of(cw_call_class call_class)
{
  struct cwi_summary summary = {.incomplete = false};
  cwi_summary_add_mine(&summary, 0, 0);
  const uint64_t time =
      CWI_ROWS(&summary, processes, struct cwi_process_row)->nanoseconds[call_class];
  cwi_summary_free(&summary);
  return time;
}

static uint64_t bytes_of(const char *object)
{
  struct cwi_summary summary = {.incomplete = false};
  cwi_summary_add_mine(&summary, 0, 0);
  const struct cwi_object_row *row = cwi_summary_object(&summary, object);
  const uint64_t bytes = row != NULL ? row->bytes : 0;
  cwi_summary_free(&summary);
  return bytes;
}

/* A program calls one target after the other from one call site: each is clocked about equally
 * often. */
static void check_rounds(size_t targets)
{
  enum { CALLS = 1 << 17, MOST_TARGETS = 64 };
  size_t clocked[MOST_TARGETS] = {0}, all = 0;
  begin();
  for (size_t i = 0; i < CALLS; i++) {
    struct cwi_profiled_call call;
    cwi_call_enter(&call, CW_CALL_PUT, NULL);
    clocked[i % targets] += call.began != 0;
    all += call.began != 0;
    cwi_call_return(&call);
  }
  for (size_t i = 0; i < targets; i++)
    kit_check(4 * targets * clocked[i] >= all,
              "of %zu targets the call to %zu is clocked %zu of %zu times", targets, i, clocked[i],
              all);
}

/* Runs a task of `levels` levels. Each level has a call that sleeps, a sleep of its own and, inside
 * a call of ours, the next level. */
static void run_tasks(int levels)
{
  struct cwi_profiled_call task, call;
  if (levels == 0)
    return;
  cwi_outside_enter(&task, (const void *)"a task");
  cwi_call_enter(&call, CW_CALL_BARRIER, NULL);
  nap();
  run_tasks(levels - 1);
  cwi_call_return(&call);
  nap();
  cwi_outside_return(&task);
}

/* Checks that each nanosecond counts once, whatever runs inside what. The process loses its core
 * before one read of the clock. Returns false if there are fewer reads. */
static bool check_tasks(int read)
{
  enum { LEVELS = 3 };
  const uint64_t least = (uint64_t)LEVELS * NAP;
  struct cwi_profiled_call phase;
  begin();
  const uint64_t before = cwi_profiled_time();
  reads = 0;
  interrupted = read;
  cwi_call_enter(&phase, CW_CALL_TASK_PHASE, NULL);
  run_tasks(LEVELS);
  cwi_call_return(&phase);
  interrupted = 0;
  const bool was_interrupted = reads >= read;
  const uint64_t wall = cwi_profiled_time() - before;
  const uint64_t tasks = time_of(CW_CALL_TASK), barriers = time_of(CW_CALL_BARRIER),
                 phases = time_of(CW_CALL_TASK_PHASE);
  kit_check(tasks >= least && barriers >= least, "tasks: %llu ns, their barriers: %llu ns",
            (unsigned long long)tasks, (unsigned long long)barriers);
  kit_check(tasks + barriers + phases <= wall,
            "%llu + %llu + %llu ns in calls and tasks, of %llu ns; read %d of the clock",
            (unsigned long long)tasks, (unsigned long long)barriers, (unsigned long long)phases,
            (unsigned long long)wall, read);
  return was_interrupted;
}

static void put(int process)
{
  struct cwi_profiled_call call;
  cwi_call_enter(&call, CW_CALL_PUT, NULL);
  cwi_profile_note(CWI_COUNT_PUT, CWI_PEER, process, memory, sizeof memory);
  cwi_call_return(&call);
}

/* An object has its name from then on, even if its memory was another object's, whose end this
 * process does not know. */
static void check_names(void)
{
  begin();
  put(0);
  cwi_profile_name(7, 100, NULL, "an array");
  put(0);
  put(0);
  kit_check_long((long)bytes_of("other memory"), 8, "bytes of other memory");
  kit_check_long((long)bytes_of("an array"), 16, "bytes of the array");
}

static long memory_of(const char *name)
{
  for (const struct cwi_object_memory *each = cwi_named_next(NULL); each != NULL;
       each = cwi_named_next(each))
    if (strcmp(each->name, name) == 0)
      return (long)(each->most > each->bytes ? each->most : each->bytes);
  return -1;
}

/* Objects of one name have memory together: the most that they had at the same time. An object that
 * is renamed takes its memory with it. */
static void check_memory(void)
{
  begin();
  cwi_profile_name(1, 1000, NULL, "a region");
  cwi_profile_name(1, 1000, NULL, "an array");
  cwi_profile_name(2, 500, NULL, "an array");
  cwi_profile_unname(1);
  cwi_profile_name(3, 900, NULL, "an array");
  cwi_profile_name(4, 50, NULL, "another");
  cwi_profile_unname(4);
  cwi_profile_name(5, 40, NULL, "another");
  kit_check_long(memory_of("a region"), 0, "of what was called otherwise at once");
  kit_check_long(memory_of("an array"), 1500, "of two arrays");
  kit_check_long(memory_of("another"), 50, "of one after the other");
  cwi_profile_unname(6); /* it has no name */
}

/* Many objects have names of their own and none is touched: the counters still have memory. */
static void check_many_names(void)
{
  enum { NAMES = 1 << 18 };
  struct cwi_summary summary = {.incomplete = false};
  begin();
  cwi_profile_name(1, 100, NULL, "the first");
  for (int i = 0; i < NAMES; i++) {
    cwi_profile_name(2, 100, NULL, "%200d", i);
    cwi_profile_unname(2);
  }
  put(0);
  kit_check(!cwi_counter_memory_is_short(), "names have taken the memory of counters");
  kit_check_long(memory_of("other objects"), 100, "of those that are too many");
  kit_check_long(memory_of("the first"), 100, "of one that was named in time");
  cwi_summary_add_mine(&summary, 0, 0);
  kit_check(!summary.incomplete, "the summary is complete");
  cwi_summary_free(&summary);
}

/* Checks a phase of its own for each step. */
static void check_many_phases(void)
{
  enum { STEPS = 1 << 17 };
  long others = -1; /* NOLINT(google-runtime-int) */
  bool all = true;
  struct cwi_summary summary = {.incomplete = false};
  begin();
  for (int i = 0; i < STEPS; i++) {
    char name[32];
    snprintf(name, sizeof name, "step %d", i);
    all = cw_profile_begin(name) == CW_OK && cw_profile_end() == CW_OK && all;
  }
  all = cw_profile_begin("step 7") == CW_OK && cw_profile_end() == CW_OK && all;
  kit_check(all, "phases begin and end: %s", cw_error_message());
  cwi_summary_add_mine(&summary, 0, 0);
  kit_check(summary.phases.count < STEPS / 4, "%zu phases", summary.phases.count);
  const struct cwi_phase_row *row = cwi_summary_phase(&summary, "other phases");
  if (row != NULL)
    others = (long)row->number;
  kit_check_long(others + (long)summary.phases.count, STEPS + 1, "phases and others");
  row = cwi_summary_phase(&summary, "step 7");
  kit_check_long(row != NULL ? (long)row->number : 0, 2, "of one that was there in time");
  cwi_summary_free(&summary);
}

static const struct cwi_program_phase *phase_of(const char *end)
{
  for
    CWI_EACH_ROW(struct cwi_program_phase, phase, &cwi_profiled_mine()->phases)
    {
      const size_t length = strlen(phase->path), tail = strlen(end);
      if (length >= tail && strcmp(phase->path + length - tail, end) == 0)
        return phase;
    }
  return NULL;
}

/* Nested long names are phases of their own. A name that is too long is not cut inside a character.
 */
static void check_phases(void)
{
  enum { DEEP = 60, LENGTH = 200 };
  char name[CW_MAX_PHASE + 100];
  begin();
  for (int i = 0; i < DEEP; i++) {
    memset(name, 'x', LENGTH);
    snprintf(name + LENGTH, sizeof name - LENGTH, "%d", i);
    kit_check(cwi_phase_begin(cwi_profiled_mine(), name) == CW_OK, "phase %d", i);
  }
  for (int i = 0; i < DEEP; i++) {
    snprintf(name, sizeof name, "x%d", i);
    const struct cwi_program_phase *phase = phase_of(name);
    if (kit_check(phase != NULL, "no phase %d", i))
      kit_check_long((long)phase->number, 1, "begins of a phase");
    cwi_phase_end(cwi_profiled_mine());
  }
  memset(name, 'y', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  memcpy(name + CW_MAX_PHASE - 1, "\303\274", 2);
  kit_check(cwi_phase_begin(cwi_profiled_mine(), name) == CW_OK, "a name that is too long");
  cwi_phase_end(cwi_profiled_mine());
  const struct cwi_program_phase *phase = phase_of("yyy");
  kit_check(phase != NULL && strlen(phase->path) == CW_MAX_PHASE - 1, "it is cut elsewhere");
}

/* A process that puts to many processes in turn does not look up the object each time. */
static void check_known(void)
{
  enum { PROCESSES = 64, ROUNDS = 20 };
  begin();
  finds = 0;
  for (int i = 0; i < PROCESSES * ROUNDS; i++)
    put(i % PROCESSES);
  kit_check(finds <= PROCESSES * ROUNDS / 2, "%d of %d puts look for their object", finds,
            PROCESSES * ROUNDS);
}

/* --- The timeline ----------------------------------------------------------------------------- */

enum { CAPACITY = 16 };
static struct cwi_packed_event received[2 * CAPACITY];
static size_t received_count;
static uint64_t received_dropped;

static cw_error receive_process(void *given, const struct cwi_packed_process *process,
                                const char *texts)
{
  (void)given, (void)process, (void)texts;
  return CW_OK;
}

static cw_error receive_thread(void *given, const struct cwi_packed_thread *thread)
{
  (void)given;
  received_dropped += thread->dropped;
  return CW_OK;
}

static cw_error receive_events(void *given, const struct cwi_packed_event *events, size_t count)
{
  (void)given;
  memcpy(received + received_count, events, count * sizeof *events);
  received_count += count;
  return CW_OK;
}

static void send_all(void)
{
  const struct cwi_timeline_receiver receiver = {receive_process, receive_thread, receive_events};
  const struct cwi_timeline_clock clock = {.began = 0};
  struct cwi_timeline_texts texts = {.bytes = NULL};
  received_count = received_dropped = 0;
  cwi_timeline_find_texts(&texts);
  kit_check(cwi_timeline_send(&texts, &clock, &receiver, NULL) == CW_OK, "the events are not told");
  cwi_timeline_free_texts(&texts);
}

static void begin_timeline(void)
{
  begin();
  cwi_settings.timeline = 1;
  cwi_settings.timeline_events = CAPACITY;
  cwi_timeline_start();
}

/* Checks that each event lies inside all events that began before it and have not ended. */
static void check_nested(void)
{
  for (size_t i = 0; i < received_count; i++)
    for (size_t j = 0; j < i; j++)
      kit_check(received[j].began <= received[i].began && (received[j].ended <= received[i].began ||
                                                           received[i].ended <= received[j].ended),
                "event %zu of class %d crosses event %zu of class %d", i, received[i].what, j,
                received[j].what);
}

/* A phase that a task only begins or only ends crosses the task and the call in which it runs. */
static void check_crossing(bool begins_in_task)
{
  struct cwi_profiled_call call, task, put_in_it;
  begin_timeline();
  if (!begins_in_task)
    kit_check(cw_profile_begin("across") == CW_OK, "a phase");
  cwi_call_enter(&call, CW_CALL_TASK_PHASE, NULL);
  cwi_outside_enter(&task, (const void *)"a task");
  kit_check((begins_in_task ? cw_profile_begin("across") : cw_profile_end()) == CW_OK, "a phase");
  cwi_call_enter(&put_in_it, CW_CALL_PUT, NULL);
  cwi_call_return(&put_in_it);
  cwi_outside_return(&task);
  cwi_call_return(&call);
  if (begins_in_task)
    kit_check(cw_profile_end() == CW_OK, "the end of a phase");
  send_all();
  kit_check_long((long)received_count, 4, "events");
  check_nested();
  for (size_t i = 0; i < received_count; i++)
    kit_check(received[i].what == CW_CALL_PROGRAM_PHASE || received[i].ended > received[i].began,
              "a call of no length");
}

/* Checks that the latest events stay. */
static void check_ring(void)
{
  enum { CALLS = 3 * CAPACITY + 5 };
  struct cwi_profiled_call call;
  uint64_t last = 0;
  begin_timeline();
  for (int i = 0; i < CALLS; i++) {
    cwi_call_enter(&call, CW_CALL_BARRIER, NULL);
    last = cwi_nanoseconds();
    cwi_call_return(&call);
  }
  send_all();
  kit_check_long((long)received_count, CAPACITY, "events of a full ring");
  kit_check_long((long)received_dropped, CALLS - CAPACITY, "dropped events");
  kit_check(received[CAPACITY - 1].began <= last && last <= received[CAPACITY - 1].ended,
            "the last event");
  check_nested();
}

/* As in the crash reporter of a process that died with a full ring: operations in progress and an
 * open phase get an end, one event may be incomplete, and a thread without events is listed, too.
 */
static void check_settling(bool is_in_call, int calls)
{
  struct cwi_profiled_call call;
  begin_timeline();
  for (int i = 0; i < calls; i++) {
    cwi_call_enter(&call, CW_CALL_BARRIER, NULL);
    cwi_call_return(&call);
  }
  if (is_in_call) {
    kit_check(cw_profile_begin("open") == CW_OK, "%s", cw_error_message());
    cwi_call_enter(&call, CW_CALL_LOCK, NULL);
  }
  cwi_timeline_seal();
  cwi_timeline_settle(cwi_profiled);
  send_all();
  const long all = calls + (is_in_call ? 2 : 0), kept = is_in_call ? CAPACITY : CAPACITY - 1;
  kit_check_long((long)received_count, all < kept ? all : kept,
                 "events of a process that has died");
  kit_check_long((long)(received_count + received_dropped), all,
                 "events with those that were dropped");
  if (is_in_call) {
    long phases = 0, locks = 0;
    for (size_t i = 0; i < received_count; i++) {
      phases += received[i].what == CW_CALL_PROGRAM_PHASE;
      locks += received[i].what == CW_CALL_LOCK;
    }
    kit_check(phases == 1 && locks == 1, "%ld phases, %ld calls under way", phases, locks);
    cwi_call_return(&call);
    kit_check(cw_profile_end() == CW_OK, "%s", cw_error_message());
  }
  check_nested();
}

/* Checks a clock that was sampled twice: one that began later and is slower by a thousandth. */
static void check_clocks(void)
{
  const uint64_t second = 1000000000, begin_here = 5000 * second, end_here = begin_here + second;
  const struct cwi_clock_sample apart[2] = {{-(int64_t)(7000 * second), begin_here, 100},
                                            {-(int64_t)(7000 * second + second / 1000), end_here,
                                             100}},
                                same[2] = {{40, begin_here, 100}, {-49, end_here, 100}};
  kit_check_long((long)(cwi_clock_aligned(apart, begin_here) - 12000 * second), 0, "the start");
  kit_check_long((long)(cwi_clock_aligned(apart, end_here) - 12001 * second), (long)second / 1000,
                 "the end");
  kit_check_long((long)(cwi_clock_aligned(apart, begin_here + second / 2) - 12000 * second),
                 (long)(second / 2 + second / 2000), "the middle");
  for (uint64_t time = begin_here; time < begin_here + 5000; time++)
    kit_check(cwi_clock_aligned(apart, time) <= cwi_clock_aligned(apart, time + 1),
              "an aligned clock goes back");
  kit_check_long((long)(cwi_clock_aligned(same, begin_here + 77) - begin_here), 77,
                 "a clock that cannot be told from mine");
}

/* Two jobs write the same archive at the same time, and one of them is killed. */
static void check_half_archive(void)
{
  struct cwi_atomic_archive archives[2];
  char unique[2][CWI_UNIQUE_NAME], name[PATH_MAX], file[PATH_MAX + 16], part[2 * PATH_MAX];
  const char *folder = getenv("TMPDIR");
  snprintf(name, sizeof name, "%s/cw-half-XXXXXX", folder != NULL ? folder : "/tmp");
  kit_check(mkdtemp(name) != NULL, "no folder");
  snprintf(file, sizeof file, "%s/a.otf2", name);
  for (int i = 0; i < 2; i++) {
    cwi_unique_name(unique[i]);
    kit_check_long(cwi_atomic_archive_open(&archives[i], file, unique[i]), 0, "an archive begins");
    snprintf(part, sizeof part, "%.*s/a.def", PATH_MAX, archives[i].beside);
    FILE *half = fopen(part, "w");
    kit_check(half != NULL && fclose(half) == 0, "no half of archive %d", i);
  }
  cwi_atomic_archive_drop(&archives[1]);
  snprintf(part, sizeof part, "%.*s/a.def", PATH_MAX, archives[0].beside);
  kit_check(access(part, F_OK) == 0, "the other job's half is gone");
  cwi_atomic_archive_drop_of(file, unique[0]);
  kit_check(rmdir(name) == 0, "something is left");
}

/* Adds a wait of the given nanoseconds and a put of the same duration. */
static void spend(const struct cwi_call_site *site, uint64_t nanoseconds)
{
  cwi_wait_keep(cwi_profiled, site, 1000 * nanoseconds, nanoseconds);
}

/* Checks that the longest waits are kept in any order of arrival, and only calls in which a process
 * waits. */
static void check_waits(void)
{
  enum { WAITS = 1000 };
  const struct cwi_call_site barrier = {.address = 1, .call_class = CW_CALL_BARRIER},
                             get = {.address = 2, .call_class = CW_CALL_GET};
  struct cwi_summary summary = {.incomplete = false};
  struct cwi_profiled_call call;
  begin();
  cwi_profiled_set_origin(0);
  for (uint64_t i = 0; i < WAITS; i++) {
    spend(&barrier, 1 + i * 7919 % WAITS);
    spend(&get, 2 * WAITS);
  }
  kit_check(cw_profile_begin("step") == CW_OK, "%s", cw_error_message());
  spend(&barrier, WAITS + 1);
  cwi_call_enter(&call, CW_CALL_BARRIER, NULL);
  nap();
  cwi_summary_add_waits(&summary, 5);
  cwi_call_return(&call);
  cwi_waits_sort(&summary.waits);
  const struct cwi_wait_row *rows = CWI_ROWS(&summary, waits, struct cwi_wait_row);
  kit_check_long((long)summary.waits.count, CWI_KEPT_WAITS + 1, "waits");
  kit_check(rows[0].is_under_way && rows[0].nanoseconds >= 20000000,
            "the one under way is missing");
  for (size_t i = 1; i < summary.waits.count; i++) {
    kit_check_long((long)rows[i].nanoseconds, WAITS + 2 - (long)i, "a long wait");
    kit_check_long((long)rows[i].began, 1000 * (WAITS + 2 - (long)i), "when it began");
    kit_check_long(rows[i].process, 5, "whose it was");
    kit_check((rows[i].phase == UINT32_MAX) == (i > 1), "phase %u", rows[i].phase);
  }
  kit_check(strcmp(cwi_summary_text(&summary, rows[1].phase), "step") == 0, "in no phase");
  kit_check(cw_profile_end() == CW_OK, "%s", cw_error_message());
  cwi_summary_free(&summary);
}

/* A call of a task waited for another process: the wait counts for that call, not for the task,
 * however long the task computes afterwards. */
static void check_computing(void)
{
  struct cwi_profiled_call task, call;
  begin();
  cwi_outside_enter(&task, (const void *)"a task");
  cwi_call_enter(&call, CW_CALL_GET, NULL);
  snprintf(cwi_profiled->whom, sizeof cwi_profiled->whom, "process 3");
  cwi_profiled->whom_updated = cwi_nanoseconds();
  nap();
  cwi_call_return(&call);
  nap();
  cwi_outside_return(&task);
  kit_check_long((long)cwi_profiled->wait_count, 1, "waits of a task with one");
  kit_check_long((long)cwi_profiled->waits[0].site->call_class, CW_CALL_GET, "what waited");
}

/* --- Elements ----------------------------------------------------------------------------- */

static char mapped[3][8];

/* The first two are one slice, as two processes know it. */
static bool find_mapped(int process, const void *address, struct cwi_profiled_part *part)
{
  for (uint64_t i = 0; i < 3; i++)
    if ((uintptr_t)address - (uintptr_t)mapped[i] < sizeof mapped[i]) {
      *part = (struct cwi_profiled_part){mapped[i], sizeof mapped[i], i < 2 ? 7 : 8};
      return process >= 0;
    }
  return false;
}

/* Counters in slices without a heat map, and in memory of which nothing is known. */
static void check_updated(void)
{
  static const uint64_t want[] = {20, 10, 1};
  static const char *const words[] = {"byte 4", "byte 4", "address 0x"};
  static char elsewhere[8];
  struct cwi_summary summary = {.incomplete = false};
  cwi_profile_stop();
  cwi_settings.observed = CWI_OBSERVED_BY_PROFILE;
  kit_check(cwi_profile_start(find_mapped) == CW_OK, "the profile has not begun");
  for (int i = 0; i < 30; i++)
    cwi_profile_note(CWI_COUNT_RMW, CWI_PEER, 1, &mapped[i % 3][4], 4);
  cwi_profile_note(CWI_COUNT_RMW, CWI_PEER, 1, elsewhere, 4);
  cwi_summary_add_mine(&summary, 0, 0);
  cwi_top_k_sort(&summary.updated);
  kit_check_long((long)summary.updated.used, 3, "counters");
  for (uint64_t i = 0; i < summary.updated.used && i < 3; i++) {
    char text[64];
    cwi_element_text(&summary, &summary.updated.rows[i], text, sizeof text);
    kit_check_long((long)summary.updated.rows[i].count, (long)want[i], words[i]);
    kit_check(strncmp(text, words[i], strlen(words[i])) == 0, "it says '%s', not '%s'", text,
              words[i]);
  }
  cwi_summary_free(&summary);
}

/* Checks memory over time for runs of any length: no maximum is lost, and the last value is exact.
 */
static void check_series(void)
{
  static const uint64_t times[] = {0,        999999,    1000000,    5000000,   63000000,
                                   64000000, 100000000, 1ull << 33, 1ull << 42};
  struct cwi_memory_time_series series;
  cwi_time_series_begin(&series);
  for (uint64_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    uint64_t most = 0, in_use = 0;
    cwi_time_series_note(&series, times[i], 100 + i, 3);
    cwi_time_series_note(&series, times[i], i, 7 - i % 2);
    for (uint32_t at = 0; at < series.used; at++) {
      most = series.held[at] > most ? series.held[at] : most;
      in_use = series.in_use[at] > in_use ? series.in_use[at] : in_use;
    }
    kit_check_long((long)most, (long)(100 + i), "the most");
    kit_check_long((long)in_use, 7, "the most of the node");
    kit_check_long((long)(series.used - 1), (long)(times[i] / series.step), "where it ends");
    kit_check(series.used <= CWI_TIME_SERIES, "%u steps", series.used);
    kit_check_long((long)series.last_bytes, (long)i, "at the end");
  }
  cwi_time_series_begin(&series);
  cwi_time_series_note(&series, 2000000, 50, 0);
  cwi_time_series_note(&series, 5000000, 20, 0);
  cwi_time_series_until(&series, 7500000);
  const uint64_t want[] = {0, 0, 50, 50, 50, 50, 20, 20};
  kit_check_long(series.used, 8, "steps");
  for (int i = 0; i < 8; i++)
    kit_check_long((long)series.held[i], (long)want[i], "a step, with what it began with");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "calls");
  for (size_t targets = 2; targets <= 64; targets *= 2)
    check_rounds(targets);
  check_rounds(3);
  for (int read = 1; check_tasks(read); read++)
    continue;
  check_computing();
  check_names();
  check_memory();
  check_phases();
  check_many_names();
  check_many_phases();
  check_known();
  check_crossing(true);
  check_crossing(false);
  check_ring();
  check_settling(true, 2 * CAPACITY);
  check_settling(false, 2 * CAPACITY);
  check_settling(true, 0);
  check_clocks();
  check_half_archive();
  check_waits();
  check_series();
  check_updated();
  cwi_profile_stop();
  return kit_finish();
}
