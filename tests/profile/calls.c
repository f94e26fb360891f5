/* Calls as the profile clocks and adds them up, without a job around them. */
#include "profile/counters.h"
#include "kit/kit.h"

#include "base/settings.h"

#include <string.h>
#include <time.h>

static bool find_nothing(int process, const void *address, struct cwi_profiled_part *part)
{
  (void)process, (void)address, (void)part;
  return false;
}

/* Counters of zero. */
static void begin(void)
{
  cwi_profile_stop();
  cwi_settings.watched = CWI_WATCHED_BY_PROFILE;
  kit_check(cwi_profile_start(find_nothing) == CW_OK, "the profile has not begun");
}

/* Of all places. */
static uint64_t seconds_of(enum cwi_call_class call_class)
{
  uint64_t sum = 0;
  const struct cwi_profiled_thread *thread = cwi_profiled_mine();
  for (size_t i = 0; i < thread->sites.capacity; i++) {
    const struct cwi_call_site *site = thread->sites.entries[i].value;
    if (thread->sites.entries[i].key != 0 && site->call_class == call_class)
      sum += site->nanoseconds;
  }
  return sum;
}

/* A program calls one target after the other, from one place: each is clocked about as often. */
static void check_turns(size_t targets)
{
  enum { CALLS = 1 << 17, MOST_TARGETS = 64 };
  size_t clocked[MOST_TARGETS] = {0}, all = 0;
  begin();
  for (size_t i = 0; i < CALLS; i++) {
    struct cwi_profiled_call call;
    cwi_call_enter(&call, CWI_CALL_PUT);
    clocked[i % targets] += call.began != 0;
    all += call.began != 0;
    cwi_call_return(&call);
  }
  for (size_t i = 0; i < targets; i++)
    kit_check(4 * targets * clocked[i] >= all, "of %zu targets the call to %zu is clocked %zu of %zu times",
              targets, i, clocked[i], all);
}

static void nap(void)
{
  const struct timespec time = {0, 20000000};
  nanosleep(&time, NULL);
}

/* A task of this many levels: in each a call that takes a nap, a nap of its own, and in it, in a call
 * of ours, the next one. */
static void run_tasks(int levels)
{
  struct cwi_profiled_call task, call;
  if (levels == 0)
    return;
  cwi_outside_enter(&task, (const void *)"a task");
  cwi_call_enter(&call, CWI_CALL_BARRIER);
  nap();
  run_tasks(levels - 1);
  cwi_call_return(&call);
  nap();
  cwi_outside_return(&task);
}

/* Each nanosecond counts once, whoever runs in whom. */
static void check_tasks(void)
{
  enum { LEVELS = 3 };
  const uint64_t least = (uint64_t)LEVELS * 20000000;
  struct cwi_profiled_call phase;
  begin();
  const uint64_t before = cwi_profiled_time();
  cwi_call_enter(&phase, CWI_CALL_PHASE);
  run_tasks(LEVELS);
  cwi_call_return(&phase);
  const uint64_t wall = cwi_profiled_time() - before;
  const uint64_t tasks = seconds_of(CWI_CALL_TASK), barriers = seconds_of(CWI_CALL_BARRIER),
                 phases = seconds_of(CWI_CALL_PHASE);
  kit_check(tasks >= least && barriers >= least, "tasks: %llu ns, their barriers: %llu ns",
            (unsigned long long)tasks, (unsigned long long)barriers);
  kit_check(tasks + barriers + phases <= wall, "%llu + %llu + %llu ns in calls and tasks, of %llu ns",
            (unsigned long long)tasks, (unsigned long long)barriers, (unsigned long long)phases,
            (unsigned long long)wall);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "calls");
  for (size_t targets = 2; targets <= 64; targets *= 2)
    check_turns(targets);
  check_turns(3);
  check_tasks();
  cwi_profile_stop();
  return kit_finish();
}
