/* A job that is stopped and continued. It must not be aborted, because its servers were stopped as
 * long as their clients. Both processes are stopped for longer than CW_SERVER_TIMEOUT, 3 seconds:
 * first the one that answers. The one that waits is continued first. */
#include "kit/native.h"

#include <mpi.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STOPPED = 4500, LATER = 300, CONTINUES = 500 }; /* milliseconds */

static void pass(long milliseconds)
{
  const struct timespec nap = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&nap, NULL);
}

/* Runs in a child process, which is not stopped. */
static void stop_and_continue(const long *pids)
{
  pass(500);
  kill((pid_t)pids[1], SIGSTOP);
  pass(LATER);
  kill((pid_t)pids[0], SIGSTOP);
  pass(STOPPED);
  kill((pid_t)pids[0], SIGCONT);
  pass(LATER);
  kill((pid_t)pids[1], SIGCONT);
  _exit(0);
}

static long milliseconds_since(const struct timespec *begin)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - begin->tv_sec) * 1000 + (now.tv_nsec - begin->tv_nsec) / 1000000;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "stopped");
  kit_hang_guard();
  const long mine = getpid();
  long pids[2] = {0, 0};
  cw_region region = NULL;
  void **at = NULL;
  int64_t *words = kit_make_region(sizeof *words, &region, &at);
  words[0] = 7 + kit_me();
  KIT_MUST(cw_allgather(cw_team_world(), &mine, sizeof mine, pids));
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (kit_me() == 0) {
    const pid_t child = fork();
    if (child == 0)
      stop_and_continue(pids);
    while (milliseconds_since(&begin) < 500 + STOPPED + 2 * LATER + CONTINUES) {
      int64_t got = 0;
      KIT_OK(cw_get(&got, at[1], sizeof got, 1));
      if (!kit_check_long(got, 8, "word"))
        break;
    }
    waitpid(child, NULL, 0);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_free_region(&region, at);
  return kit_finish_native();
}
