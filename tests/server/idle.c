/* The cost of threads that wait for nothing. Each polls between short sleeps, and the number of
 * sleeps in a second bounds its processor time. Process 1 is late in each kind of wait; process 0
 * counts the naps of all its threads. On a busy machine there are fewer naps, never more. The naps
 * of an idle server get longer with the time since the last request; afterwards a request is
 * answered. (The proxies of virtual OpenCL: vocl.proxy.idle.) */
#include "kit/native.h"

#include "base/clock.h"
#include "link/link.h"
#include "region/agent.h"
#include "server/server.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SILENT_SECONDS = 2 };

static int64_t *counters[2]; /* of both processes */
static cw_mutexes mutexes;
static cw_tasks pool;

static void wait_asleep(bool late)
{
  if (!late)
    sleep(1);
  kit_barrier();
}

static void wait_in_barrier(bool late)
{
  (void)late;
  KIT_MUST(cw_barrier(cw_team_world()));
}

static void wait_for_notification(bool late)
{
  int64_t value = 0;
  if (late)
    KIT_MUST(cw_notify(counters[0], 1, 0));
  else
    KIT_MUST(cw_notify_wait(counters[0], 1, &value));
}

/* Process 1 holds the mutex. */
static void wait_for_mutex(bool late)
{
  if (!late)
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  KIT_MUST(cw_mutex_unlock(mutexes, 0, 0));
}

static void wait_for_tasks(bool late)
{
  (void)late;
  KIT_MUST(cw_tasks_process(pool));
}

static cw_error serve_nothing(void *body, char *buffer, struct cwi_agent_later *later)
{
  (void)body, (void)buffer, (void)later;
  return CW_OK;
}

static void wait_with_agent(bool late)
{
  KIT_MUST(cwi_agent_open(CWI_AGENT_DEVICE, serve_nothing));
  wait_asleep(late);
}

/* Naps and CPU time of all threads of this process. */
struct cost {
  double seconds, processor, naps;
};

static struct cost cost_now(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (struct cost){cwi_now(),
                       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                       (double)usage.ru_nvcsw};
}

static void check_wait(const char *what, void (*wait)(bool late), double most)
{
  kit_about("%s", what);
  kit_barrier();
  const bool late = kit_me() == 1;
  if (late)
    sleep(1);
  const struct cost before = cost_now();
  wait(late);
  const struct cost after = cost_now();
  const double seconds = after.seconds - before.seconds;
  const double naps = (after.naps - before.naps) / seconds;
  if (!late) {
    printf("| %s | %.0f | %.1f |\n", what, naps,
           100 * (after.processor - before.processor) / seconds);
    kit_check(naps <= most, "%.0f naps a second; at most %.0f are expected", naps, most);
  }
  kit_barrier();
}

/* A thread that waits for messages naps for at least 200 us where nothing else wakes it, one that
 * searches tasks for 100 us, and a server soon after a request for 150 us. */
static void check_waits(void)
{
  enum { AGENT = 20, SERVER = 7000, WAITS = 5000, SEARCHES = 10000 };
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_MUST(cw_tasks_create(cw_team_world(), NULL, &pool));
  if (kit_me() == 1)
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  if (kit_me() == 0)
    printf("| wait of a process with a server | naps a second | %% of a core |\n|---|--:|--:|\n");
  check_wait("asleep", wait_asleep, SERVER);
  check_wait("asleep, with an agent", wait_with_agent, SERVER + AGENT);
  check_wait("barrier", wait_in_barrier, SERVER + WAITS);
  check_wait("notification", wait_for_notification, SERVER + WAITS);
  check_wait("mutex", wait_for_mutex, SERVER + WAITS);
  check_wait("search of tasks", wait_for_tasks, SERVER + SEARCHES);
  KIT_MUST(cw_tasks_free(&pool));
  KIT_MUST(cw_mutexes_free(&mutexes));
}

static void check_silence(void)
{
  static const double MOST_NAPS = 60; /* a second; more would use half a percent of a core */
  struct cwi_server_use before, after;
  kit_barrier();
  sleep(SILENT_SECONDS);
  const double begin = cwi_now();
  kit_check(cwi_server_use_now(&before), "there is no server");
  sleep(1); /* perhaps longer: the server may run when this thread does not */
  kit_check(cwi_server_use_now(&after), "there is no server any more");
  const double naps = (double)(after.sleeps - before.sleeps), seconds = cwi_now() - begin;
  kit_check(naps <= MOST_NAPS * seconds, "the server woke up %.0f times in %.3f seconds", naps,
            seconds);
  kit_barrier();
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "idle");
  kit_make_region(sizeof(int64_t), &region, &at);
  const int other = (kit_me() + 1) % kit_processes();
  counters[0] = at[0], counters[1] = at[1];
  check_waits();
  *counters[kit_me()] = 7 + kit_me();
  check_silence();
  int64_t got = 0;
  KIT_OK(cw_get(&got, counters[other], sizeof got, other));
  kit_check_long(got, 7 + other, "the answer after silence");
  kit_barrier();
  kit_free_region(&region, at);
  return kit_finish_native();
}
