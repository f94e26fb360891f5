/* Tools are notified of each call of the program once when it begins and once when it ends, on all
 * its threads and in all worlds from the next start on. No profile is written. */
#include "kit/kit.h"

#include <causeway.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, PUTS = 1000, THREADS = 3, THREAD_PUTS = 500, TASKS = 5, DEEPEST = 16 };

static bool ok(cw_error error)
{
  return kit_check(error == CW_OK, "%s", cw_error_message());
}

/* --- Tools ------------------------------------------------------------------------------------ */

/* Notifications that one tool has received. Two tools are registered: the outer one begins first
 * and ends last. */
struct tool_counts {
  long begun[CW_CALL_CLASSES], ended[CW_CALL_CLASSES], bytes[CW_CALL_CLASSES];
  long wrong;
};
static struct tool_counts outer, inner, late, none;

static _Thread_local struct {
  cw_call_class open[DEEPEST];
  int depth, inner_depth;
} nested;

static void count(long *counter, long by)
{
  __atomic_add_fetch(counter, by, __ATOMIC_RELAXED);
}

/* Calls have names; tasks and phases have none. */
static bool has_its_name(const cw_profile_call *call)
{
  static const char *const names[CW_CALL_CLASSES] = {[CW_CALL_PUT] = "cw_put",
                                                     [CW_CALL_BARRIER] = "cw_barrier",
                                                     [CW_CALL_FINALIZE] = "cw_finalize",
                                                     [CW_CALL_TASK_PHASE] = "cw_tasks_process"};
  if (call->call_class == CW_CALL_TASK || call->call_class == CW_CALL_PROGRAM_PHASE)
    return call->call == NULL;
  const char *name = names[call->call_class];
  return call->call != NULL && strncmp(call->call, "cw_", 3) == 0 &&
         (name == NULL || strcmp(call->call, name) == 0);
}

static void begin(const cw_profile_call *call, void *context)
{
  struct tool_counts *tool_counts = context;
  count(&tool_counts->begun[call->call_class], 1);
  count(&tool_counts->wrong, call->target != CW_NO_TARGET || call->bytes != 0);
  count(&tool_counts->wrong, !has_its_name(call));
  if (tool_counts != &outer) {
    count(&tool_counts->wrong, tool_counts == &inner && ++nested.inner_depth != nested.depth);
    return;
  }
  count(&tool_counts->wrong, nested.depth == DEEPEST || nested.depth != nested.inner_depth);
  nested.open[nested.depth++ % DEEPEST] = call->call_class;
  count(&tool_counts->wrong, cw_process() < 0);
  count(&tool_counts->wrong,
        cw_profile_begin("a tool's") != CW_MISUSE || cw_profile_end() != CW_MISUSE);
}

static void end(const cw_profile_call *call, void *context)
{
  struct tool_counts *tool_counts = context;
  count(&tool_counts->ended[call->call_class], 1);
  count(&tool_counts->bytes[call->call_class], (long)call->bytes);
  if (call->call_class == CW_CALL_PUT) {
    count(&tool_counts->wrong, call->target != (cw_process() + 1) % cw_processes());
    count(&tool_counts->wrong, call->name == NULL || strncmp(call->name, "region, ", 8) != 0);
  }
  if (tool_counts != &outer) {
    nested.inner_depth -= tool_counts == &inner;
    return;
  }
  nested.depth--;
  count(&tool_counts->wrong,
        nested.depth < 0 || nested.open[nested.depth % DEEPEST] != call->call_class);
  count(&tool_counts->wrong, nested.depth != nested.inner_depth);
}

/* --- A world ---------------------------------------------------------------------------------- */

static void **addresses;

/* Returns NULL if all went well. */
static void *put_some(void *given)
{
  const int next = (cw_process() + 1) % cw_processes();
  const int64_t word = 1;
  int64_t *to = (int64_t *)addresses[next] + 16 + *(int *)given;
  bool all = cw_profile_begin("thread") == CW_OK;
  for (int i = 0; i < THREAD_PUTS; i++)
    all = cw_put(&word, to, sizeof word, next) == CW_OK && all;
  return all && cw_profile_end() == CW_OK ? NULL : given;
}

static void use_threads(void)
{
  pthread_t threads[THREADS];
  static int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    kit_check(pthread_create(&threads[i], NULL, put_some, &numbers[i]) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; i++) {
    void *failed = NULL;
    kit_check(pthread_join(threads[i], &failed) == 0 && failed == NULL, "the puts of a thread");
  }
}

static cw_error fence_in_task(const cw_task *task, void *argument)
{
  (void)task, (void)argument;
  return cw_fence_all();
}

static void use_tasks(void)
{
  cw_tasks pool = NULL;
  int fence = 0;
  if (!ok(cw_tasks_create(cw_team_world(), NULL, &pool)))
    return;
  ok(cw_tasks_register(pool, "fence", fence_in_task, NULL, &fence));
  for (int i = 0; i < TASKS; i++)
    ok(cw_tasks_add(pool, fence, &i, sizeof i));
  ok(cw_tasks_process(pool));
  ok(cw_tasks_free(&pool));
}

static void use_world(bool is_first)
{
  cw_region region = NULL;
  const int64_t word = 1;
  ok(cw_init(MPI_COMM_WORLD));
  const int next = (cw_process() + 1) % cw_processes();
  const cw_profile_tool too_late = {begin, end, &late};
  addresses = kit_alloc((size_t)cw_processes(), sizeof *addresses);
  ok(cw_region_create(cw_team_world(), BYTES, &region, addresses));
  if (is_first)
    ok(cw_profile_register(&too_late));
  ok(cw_profile_begin("puts"));
  for (int i = 0; i < PUTS; i++)
    ok(cw_put(&word, addresses[next], sizeof word, next));
  ok(cw_profile_end());
  use_threads();
  use_tasks();
  ok(cw_profile_begin("never ends"));
  ok(cw_barrier(cw_team_world()));
  ok(cw_region_free(cw_team_world(), &region));
  free(addresses);
  ok(cw_finalize());
}

/* --- Notifications that they must have received ----------------------------------------------- */

static void check_class(const struct tool_counts *tool_counts, cw_call_class call_class, long calls)
{
  const char *word = cw_call_class_word(call_class);
  kit_check(tool_counts->begun[call_class] == calls && tool_counts->ended[call_class] == calls,
            "of %ld calls of %s %ld begin and %ld end", calls, word, tool_counts->begun[call_class],
            tool_counts->ended[call_class]);
}

static void check_tool(const struct tool_counts *tool_counts, long worlds)
{
  const long puts = worlds * (PUTS + THREADS * THREAD_PUTS);
  check_class(tool_counts, CW_CALL_PUT, puts);
  kit_check_long(tool_counts->bytes[CW_CALL_PUT], 8 * puts, "bytes of puts");
  check_class(tool_counts, CW_CALL_BARRIER, worlds);
  check_class(tool_counts, CW_CALL_TASK_PHASE, worlds);
  check_class(tool_counts, CW_CALL_MAKE, worlds * 4);
  check_class(tool_counts, CW_CALL_FINALIZE, worlds);
  check_class(tool_counts, CW_CALL_PROGRAM_PHASE, worlds * (2 + THREADS));
  kit_check_long(tool_counts->wrong, 0, "calls that were told wrongly");
  kit_check(tool_counts->begun[CW_CALL_TASK] == tool_counts->ended[CW_CALL_TASK] &&
                tool_counts->begun[CW_CALL_FENCE] == tool_counts->begun[CW_CALL_TASK],
            "%ld tasks, %ld fences in them", tool_counts->begun[CW_CALL_TASK],
            tool_counts->begun[CW_CALL_FENCE]);
}

int main(int argc, char **argv)
{
  const cw_profile_tool tools[] = {{begin, end, &outer}, {begin, end, &inner}};
  const cw_profile_tool more = {NULL, end, &none};
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "tools");
  if (level < MPI_THREAD_MULTIPLE)
    kit_skip("MPI has no MPI_THREAD_MULTIPLE");
  for (int i = 0; i < 2; i++)
    ok(cw_profile_register(&tools[i]));
  use_world(true);
  check_tool(&outer, 1);
  check_tool(&inner, 1);
  kit_check_long(late.begun[CW_CALL_PUT], 0, "puts told to a tool that was registered too late");
  use_world(false);
  check_tool(&outer, 2);
  check_tool(&late, 1);
  for (int i = 3; i < 8; i++)
    ok(cw_profile_register(&more));
  kit_check(cw_profile_register(&more) == CW_MISUSE &&
                strstr(cw_error_message(), "8 tools are registered") != NULL,
            "a ninth tool: %s", cw_error_message());
  return kit_finish();
}
