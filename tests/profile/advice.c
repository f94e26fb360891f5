/* Checks each kind of advice: figures that provoke it, and figures that nearly do. Also a call that
 * is in progress when its process dies. */
#include "summary/advice.h"
#include "kit/kit.h"

#include <string.h>
#include <time.h>

enum { PROCESSES = 4 };
static struct cwi_summary summary;
static struct cwi_figures figures;

static struct cwi_process_row *process_row(int process)
{
  return CWI_ROWS(&summary, processes, struct cwi_process_row) + process;
}

/* Makes processes that ran for ten seconds each and were in no call. */
static void begin(int processes)
{
  cwi_summary_free(&summary);
  memset(&summary, 0, sizeof summary);
  for (int i = 0; i < processes; i++) {
    struct cwi_process_row *row = cwi_list_add(&summary, &summary.processes, sizeof *row);
    if (row != NULL)
      *row = (struct cwi_process_row){
          .process = i, .threads = 1, .wall = 10000000000, .time = 10000000000};
  }
}

static void spend(int process, cw_call_class call_class, double seconds)
{
  process_row(process)->calls[call_class] += 100;
  process_row(process)->nanoseconds[call_class] += (uint64_t)(1e9 * seconds);
}

/* Adds operations: `updates` of them are updates of 8 bytes, and the others have `bytes` bytes
 * each. */
static void send_mixed(int origin, int target, uint64_t operations, uint64_t updates,
                       uint64_t bytes)
{
  struct cwi_pair_row *row = cwi_list_add(&summary, &summary.pairs, sizeof *row);
  if (row != NULL)
    *row = (struct cwi_pair_row){
        origin, target, operations, 8 * updates + bytes * (operations - updates), 0, updates};
}

static void send(int origin, int target, uint64_t operations)
{
  send_mixed(origin, target, operations, 0, 8);
}

/* Adds puts of the first process from one call site. */
static void put(uint64_t calls, uint64_t bytes, double seconds)
{
  struct cwi_place_row *row = cwi_summary_place(&summary, "", "", 1, "", CW_CALL_PUT);
  spend(0, CW_CALL_PUT, seconds);
  process_row(0)->calls[CW_CALL_PUT] = calls;
  if (row != NULL)
    row->bytes = bytes;
}

/* Returns the message of this kind, or "" if there is none. */
static const char *message_of(const char *kind)
{
  static struct cwi_advice advice[CWI_ADVICES];
  cwi_summary_sort(&summary);
  cwi_figures_find(&summary, &figures);
  const int count = cwi_advise(&summary, &figures, advice);
  for (int i = 0; i < count; i++)
    if (strcmp(advice[i].kind, kind) == 0)
      return advice[i].message;
  return "";
}

static void check_message(const char *kind, const char *words)
{
  const char *message = message_of(kind);
  kit_check(strstr(message, words) != NULL, "%s says '%s', not '%s'", kind, message, words);
}

static void check_silent(const char *kind, const char *why)
{
  const char *message = message_of(kind);
  kit_check(*message == '\0', "%s: '%s' is said, %s", kind, message, why);
}

/* Makes traffic of which `share` percent goes to process 3. */
static void send_to_one(uint64_t share)
{
  begin(PROCESSES);
  for (int i = 0; i < 3; i++) {
    spend(i, CW_CALL_PATCH, 2);
    send(i, 3, 10 * share);
    send(i, (i + 1) % 3, 1000 - 10 * share);
    send(i, i, 100000); /* its own memory does not count */
  }
}

static void check_one_target(void)
{
  send_to_one(62);
  check_message("one-target", "62 % of all transfers between processes go to process 3: ");
  struct cwi_object_row *object = cwi_summary_object(&summary, "array 'T2', CW_DOUBLE, 9 x 9");
  if (object != NULL)
    object->bytes = 1000;
  check_message("one-target", "and most bytes are of array 'T2', CW_DOUBLE, 9 x 9: a cyclic");
  for (int i = 0; i < 3; i++)
    send_mixed(i, (i + 1) % 3, 1, 0, 1000000);
  check_message("one-target", "go to process 3: its data could be distributed");
  send_to_one(40);
  check_silent("one-target", "of 40 %");
  send_to_one(62);
  for (int i = 0; i < 3; i++)
    process_row(i)->nanoseconds[CW_CALL_PATCH] /= 10;
  check_silent("one-target", "where transfers take 1.5 % of the time");
  begin(2);
  spend(0, CW_CALL_PUT, 5);
  send(0, 1, 100000);
  check_silent("one-target", "of two processes");
}

/* Makes a counter at process 0 and a distributed array; calls of the class `slow` take the time. */
static void use_counter(cw_call_class slow)
{
  begin(PROCESSES);
  for (int i = 1; i < PROCESSES; i++) {
    spend(i, slow, 2);
    send_mixed(i, 0, 700, 650, 1000);
    for (int to = 1; to < PROCESSES; to++)
      if (to != i)
        send_mixed(i, to, 150, 0, 1000);
  }
  struct cwi_object_row *object = cwi_summary_object(&summary, "array 'T2', CW_DOUBLE, 9 x 9");
  if (object != NULL)
    object->bytes = 1000000;
}

static void check_counter(void)
{
  use_counter(CW_CALL_PATCH);
  check_silent("one-target", "where transfers are spread, and only updates go to one");
  check_silent("hot-counter", "where transfers take the time");
  use_counter(CW_CALL_RMW);
  check_message("hot-counter", "15 % of the time went into read-modify-writes, and 100 % of those "
                               "between processes go to process 0: ");
  check_silent("one-target", "where updates take the time");
}

/* Adds read-modify-writes, of which one element of an array got at least `share` percent. */
static void use_element(uint64_t updates, uint64_t share)
{
  struct cwi_object_row *object = cwi_summary_object(&summary, "array 'nxtval', CW_LONG, 8");
  const int64_t extent = 8;
  struct cwi_heat_map heat_map;
  cwi_heat_map_make(&heat_map, 1, &extent);
  summary.operations[CWI_COUNT_RMW][CWI_PEER].count = updates;
  summary.updated.used = 1;
  summary.updated.rows[0] = (struct cwi_top_k_entry){.key = 1,
                                                     .count = updates * share / 100 + 500,
                                                     .over = 500,
                                                     .place = 2,
                                                     .text = object != NULL ? object->name : 0,
                                                     .process = 3};
  kit_check(cwi_summary_heat_map(&summary, "array 'nxtval', CW_LONG, 8", &heat_map) != NULL,
            "no memory");
}

static void check_element(void)
{
  use_counter(CW_CALL_RMW);
  use_element(10000, 58);
  check_message("hot-element",
                "15 % of the time went into read-modify-writes, and 58 % of these to "
                "element [2] of array 'nxtval', CW_LONG, 8 at process 3: if it is a "
                "counter of tasks, take more of them at a time.");
  check_silent("hot-counter", "where the element is known");
  use_counter(CW_CALL_RMW);
  use_element(10000, 40);
  check_silent("hot-element", "of 40 %");
  check_message("hot-counter", "to process 0: ");
  use_counter(CW_CALL_RMW);
  use_element(1000, 90);
  check_silent("hot-element", "of 900 updates");
  use_counter(CW_CALL_PATCH);
  use_element(10000, 90);
  check_silent("hot-element", "where transfers take the time");
  begin(1);
  spend(0, CW_CALL_RMW, 5);
  use_element(10000, 90);
  check_silent("hot-element", "of one process");
}

static void check_late_process(void)
{
  begin(PROCESSES);
  for (int i = 0; i < 3; i++)
    spend(i, CW_CALL_BARRIER, 5);
  spend(0, CW_CALL_WAIT, 1);
  check_message("late-process", "40 % of the time processes waited for others, most in barrier; "
                                "process 3 waited least, 0 %");
  begin(PROCESSES);
  for (int i = 0; i < PROCESSES; i++)
    spend(i, CW_CALL_BARRIER, 5);
  check_silent("late-process", "where all wait as long");
  process_row(0)->threads = 8;
  process_row(0)->time *= 8;
  check_silent("late-process", "where one with more threads waits as long");
  begin(PROCESSES);
  spend(0, CW_CALL_BARRIER, 5);
  check_silent("late-process", "of 12 %");
  begin(PROCESSES);
  for (int i = 1; i < PROCESSES; i++)
    spend(i, CW_CALL_FENCE, 5);
  check_silent("late-process", "where they wait for their own puts");
}

static void check_small_transfers(void)
{
  begin(1);
  put(20000, 160000, 3);
  check_message("small-transfers",
                "30 % of the time went into 20000 transfers of 8 bytes on average");
  process_row(0)->nanoseconds[CW_CALL_PUT] /= 2;
  check_silent("small-transfers", "of 15 % of the time");
  begin(1);
  put(20000, 20000 * 1000, 3);
  check_silent("small-transfers", "of 1000 bytes");
  begin(1);
  put(100, 100000000, 3);
  spend(0, CW_CALL_ELEMENTS, 1);
  summary.operations[CWI_COUNT_PUT][CWI_PEER] = (struct cwi_operations){10000100, 180000000, {0}};
  check_silent("small-transfers", "where small ones are those of a scatter");
}

static void check_locks(void)
{
  begin(2);
  spend(0, CW_CALL_LOCK, 5);
  check_message("locks", "25 % of the time went into 100 calls for mutexes");
  check_message("locks", "more mutexes");
  process_row(0)->calls[CW_CALL_LOCK] = 1000000;
  check_message("locks", "atomic without one.");
  process_row(0)->nanoseconds[CW_CALL_LOCK] /= 2;
  check_silent("locks", "of 12 %");
}

/* Makes processes that were ready without a core for `seconds` of their ten seconds. */
static void crowd(double seconds, uint64_t preemptions)
{
  begin(PROCESSES);
  for (int i = 0; i < PROCESSES; i++)
    process_row(i)->usage = (struct cwi_usage){.user = 4000000000,
                                               .system = 500000000,
                                               .preemptions = preemptions,
                                               .waited = (uint64_t)(1e9 * seconds),
                                               .most_memory = 1};
}

static void check_crowded(void)
{
  crowd(5, 1000);
  check_message("crowded",
                "50 % of the time processes were ready to run and had no core: threads were "
                "preempted 4000 times, and processes had a core for 18.0 s of 40.0 s: ");
  crowd(1, 1000);
  check_silent("crowded", "of 10 %");
  crowd(5, 20);
  check_silent("crowded", "where they were late to wake, and lost no core");
  crowd(5, 1000);
  for (int i = 0; i < PROCESSES; i++)
    process_row(i)->usage.most_memory = 0;
  check_silent("crowded", "where nothing is known of cores");
}

/* Checks that advice about the most time comes first, and that at most three are given. */
static void check_order(void)
{
  struct cwi_advice advice[CWI_ADVICES];
  send_to_one(62);
  for (int i = 0; i < 3; i++) {
    put(20000, 160000, 3);
    spend(i, CW_CALL_LOCK, 4);
  }
  cwi_summary_sort(&summary);
  cwi_figures_find(&summary, &figures);
  const int count = cwi_advise(&summary, &figures, advice);
  kit_check_long(count, CWI_ADVICES, "sentences");
  for (int i = 1; i < count; i++)
    kit_check(advice[i].share <= advice[i - 1].share, "%s comes before %s", advice[i - 1].kind,
              advice[i].kind);
}

static uint64_t seen_in(cw_call_class call_class)
{
  begin(0);
  cwi_summary_add_mine(&summary, 0, 0);
  return process_row(0)->nanoseconds[call_class];
}

static bool find_nothing(int process, const void *address, struct cwi_profiled_part *part)
{
  (void)process, (void)address, (void)part;
  return false;
}

static uint64_t longest_of(cw_call_class call_class)
{
  uint64_t longest = 0;
  begin(0);
  cwi_summary_add_mine(&summary, 0, 0);
  for (size_t i = 0; i < summary.places.count; i++) {
    const struct cwi_place_row *row = CWI_ROWS(&summary, places, struct cwi_place_row) + i;
    if (row->call_class == (uint32_t)call_class && row->longest > longest)
      longest = row->longest;
  }
  return longest;
}

/* The crash reporter sees the barrier in which the process was, and a task in a phase of tasks. */
static void check_under_way(void)
{
  enum { NAP = 20000000 };
  const struct timespec nap = {.tv_nsec = NAP};
  struct cwi_profiled_call outer, task, inner;
  cwi_settings.observed = CWI_OBSERVED_BY_PROFILE;
  kit_check(cwi_profile_start(find_nothing) == CW_OK, "the profile starts");
  cwi_call_enter(&outer, CW_CALL_BARRIER, NULL);
  nanosleep(&nap, NULL);
  kit_check(seen_in(CW_CALL_BARRIER) >= NAP, "a barrier under way");
  cwi_outside_enter(&task, (const void *)(uintptr_t)&check_under_way);
  nanosleep(&nap, NULL);
  kit_check(seen_in(CW_CALL_TASK) >= NAP, "a task under way");
  kit_check(seen_in(CW_CALL_BARRIER) >= NAP, "the barrier around a task under way");
  cwi_call_enter(&inner, CW_CALL_COLLECTIVE, NULL);
  nanosleep(&nap, NULL);
  kit_check(seen_in(CW_CALL_TASK) >= NAP, "the task around a call under way");
  kit_check(seen_in(CW_CALL_COLLECTIVE) >= NAP, "the call under way in a task");
  kit_check(longest_of(CW_CALL_COLLECTIVE) >= NAP, "the longest call is under way");
  cwi_call_leave(&inner);
  nanosleep(&nap, NULL);
  const uint64_t in_task = seen_in(CW_CALL_TASK);
  kit_check(in_task >= 2 * NAP, "a task under way after its call");
  cwi_outside_return(&task);
  const uint64_t so_far = seen_in(CW_CALL_BARRIER);
  kit_check(so_far >= NAP, "the barrier around it");
  cwi_call_leave(&outer);
  kit_check(seen_in(CW_CALL_TASK) >= in_task, "the task that has ended");
  const uint64_t ended = seen_in(CW_CALL_BARRIER);
  nanosleep(&nap, NULL);
  kit_check(seen_in(CW_CALL_BARRIER) == ended, "a barrier that has ended takes no more");
  cwi_profile_stop();
  cwi_settings.observed = 0;
}

/* Checks the advice about a job that died: some processes called nothing, and of others only pairs
 * are known. */
static void check_deaths(void)
{
  begin(PROCESSES);
  process_row(0)->time = 0;
  for (int i = 1; i < PROCESSES; i++)
    spend(i, CW_CALL_BARRIER, 9);
  cwi_figures_find(&summary, &figures);
  kit_check(figures.in_waiting.mean > 0.89 && figures.in_waiting.least > 0.89,
            "the mean of three processes is %g, the least %g", figures.in_waiting.mean,
            figures.in_waiting.least);
  begin(PROCESSES);
  for (int i = 0; i < PROCESSES; i++) {
    spend(i, CW_CALL_PATCH, 2);
    send(i, (i + 1) % PROCESSES, 100);
    for (int to = PROCESSES; to < 2 * PROCESSES; to++)
      send(i, to, 400);
  }
  send(0, 2, 100);
  check_silent("one-target", "where most goes to processes that are missing");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "advice");
  check_one_target();
  check_counter();
  check_element();
  check_late_process();
  check_small_transfers();
  check_locks();
  check_crowded();
  check_order();
  check_under_way();
  check_deaths();
  cwi_summary_free(&summary);
  return kit_finish();
}
