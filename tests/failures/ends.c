/* One process is stopped for a while, dies in cw_init or cw_finalize, or runs out of memory.
 *
 *   ends stop SECONDS        the last process is stopped and continues; the others wait for it
 *   ends before              it dies before cw_init; the job must end
 *   ends init MOST           it dies within MOST microseconds from the call of cw_init; the job
 * must end
 *   ends finalize MOST       it dies within MOST microseconds from the call of cw_finalize
 *   ends memory              it has no memory left, makes calls, and aborts */
#include "failures/survivor.h"
#include "kit/kit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool am_victim(void)
{
  return kit_me() == kit_processes() - 1;
}

static size_t failed_members(void)
{
  size_t failed = 0;
  CW_MUST(cw_team_failed(cw_team_world(), 0, NULL, &failed));
  return failed;
}

/* Stops this process. A child continues it. */
static void stop_for(unsigned seconds)
{
  const pid_t me = getpid(), child = fork();
  if (child < 0)
    abort();
  if (child == 0) {
    sleep(seconds);
    kill(me, SIGCONT);
    _exit(0);
  }
  kill(me, SIGSTOP);
  waitpid(child, NULL, 0);
}

static void run_stop(unsigned seconds)
{
  cw_mutexes mutexes = NULL;
  CW_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  CW_MUST(cw_barrier(cw_team_world()));
  if (am_victim()) {
    CW_MUST(cw_mutex_lock(mutexes, 0, 0));
    stop_for(seconds);
    CW_MUST(cw_mutex_unlock(mutexes, 0, 0));
  } else {
    CW_MUST(cw_mutex_lock(mutexes, 0, 0));
    CW_MUST(cw_mutex_unlock(mutexes, 0, 0));
  }
  size_t failed = 0;
  CW_MUST(cw_team_agree_failed(cw_team_world(), 0, NULL, &failed));
  kit_check_long((long)failed, 0, "failed members");
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_mutexes_free(&mutexes));
  kit_check_long((long)failed_members(), 0, "members known to have failed");
}

/* Uses the memory of this process up. */
static void exhaust(void)
{
  enum { LEFT = 1 << 22 };
  long pages = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  kit_check(file != NULL && fscanf(file, "%ld", &pages) == 1, "/proc/self/statm");
  const rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + LEFT;
  const struct rlimit limit = {most, most};
  kit_check(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
  static void *last;
  for (size_t bytes = LEFT; bytes >= 16; bytes /= 2)
    for (void **block = malloc(bytes); block != NULL; block = malloc(bytes)) {
      *block = last; /* keeps the blocks reachable */
      last = block;
    }
}

/* A call without memory fails on all members, or works. Then the process without memory aborts. */
static void run_memory(void)
{
  cw_team copy = NULL;
  if (am_victim())
    exhaust();
  cw_error error = CW_MAY_FAIL(cw_team_dup(cw_team_world(), &copy));
  kit_check(error == CW_OK || error == CW_OUTSIDE || error == CW_FAILED, "error %d: %s", (int)error,
            cw_error_message());
  if (error == CW_OK)
    CW_MUST(cw_team_free(&copy));
  if (am_victim())
    abort();
  error = CW_MAY_FAIL(cw_barrier(cw_team_world()));
  kit_check(error == CW_FAILED, "error %d: %s", (int)error, cw_error_message());
  CW_MUST(cw_team_shrink(cw_team_world(), &copy));
  kit_check_long(cw_team_size(copy), kit_processes() - 1, "survivors");
  CW_MUST(cw_barrier(copy));
}

int main(int argc, char **argv)
{
  survivor_start(&argc, &argv, "ends");
  const int number = argc > 2 ? atoi(argv[2]) : 1;
  const bool before = strcmp(argv[1], "before") == 0;
  kit_about("%s", argv[1]);
  if (before || strcmp(argv[1], "init") == 0) {
    survivor_choose(1, before ? DEATH_AT_CALL : DEATH_BY_TIMER, number);
    survivor_begin_deaths();
    survivor_call();
  }
  CW_MUST(cw_init(MPI_COMM_WORLD));
  kit_check(cw_survives(), "the job survives failures");
  if (strcmp(argv[1], "stop") == 0)
    run_stop((unsigned)number);
  else if (strcmp(argv[1], "memory") == 0)
    run_memory();
  else if (strcmp(argv[1], "finalize") == 0) {
    survivor_choose(1, DEATH_BY_TIMER, number);
    CW_MUST(cw_barrier(cw_team_world()));
    survivor_begin_deaths();
  }
  survivor_end();
}
