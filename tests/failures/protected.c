/* Protected arrays in a job of which processes fail: at each call of the library's that protects,
 * commits or recovers, or at any moment. The survivors return to the last commit, check it, and
 * continue to the last one of the program.
 *
 *   protected steps PROCESS STEP [PROCESS STEP]   the process ends itself at its step number STEP,
 *                                                 or at none if STEP is 0. The second one counts its
 *                                                 steps
 *                                                 from the first failure on
 *   protected time PROCESS MICROSECONDS           it ends itself after this time
 *
 * A step is the beginning or the end of a call that is wrapped here. At the end each process prints
 * the number of its steps, and the time that they took. */
#include "kit/distribution.h"
#include "protect/protect.h"
#include "team/survivors.h"
#include "wait/failures.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { COMMITS = 7, MOST_ATTEMPTS = 10 };

/* --- The end of a process --------------------------------------------------------------------- */

static struct victim {
  int process;
  long at, steps;
} victims[2] = {{-1, 0, 0}, {-1, 0, 0}};
static bool armed;
static long steps;
static struct timespec armed_at;

static void take_step(void)
{
  if (!armed)
    return;
  steps++;
  for (int i = 0; i < 2; i++)
    if (victims[i].process == cw_process() && (i == 0 || cwi_failures_count() > 0) &&
        ++victims[i].steps == victims[i].at)
      kill(getpid(), SIGKILL);
}

static void end_by_signal(int signal)
{
  (void)signal;
  kill(getpid(), SIGKILL);
}

#define WRAPPED(function, parameters, arguments)                                                   \
  cw_error __real_##function parameters; /* NOLINT(bugprone-reserved-identifier) */                \
  cw_error __wrap_##function parameters; /* NOLINT(bugprone-reserved-identifier) */                \
  cw_error __wrap_##function parameters  /* NOLINT(bugprone-reserved-identifier) */                \
  {                                                                                                \
    take_step();                                                                                   \
    const cw_error error = __real_##function arguments;                                            \
    take_step();                                                                                   \
    return error;                                                                                  \
  }
WRAPPED(cwi_team_exchange,
        (cw_team team, const struct cwi_entry *mine, bool keyed, bool *alike,
         struct cwi_entry *all),
        (team, mine, keyed, alike, all))
WRAPPED(cwi_team_barrier, (cw_team team), (team))
WRAPPED(cw_put, (const void *local, void *remote, size_t bytes, int process),
        (local, remote, bytes, process))
WRAPPED(cw_get, (void *local, const void *remote, size_t bytes, int process),
        (local, remote, bytes, process))
WRAPPED(cw_fence_all, (void), ())
WRAPPED(cwi_array_transfer, (cw_array array, const cw_patch *patch), (array, patch))
WRAPPED(cwi_survivor_distribution_make,
        (cw_array array, cw_team team, struct cwi_survivor_distribution *made), (array, team, made))
WRAPPED(cwi_array_unprotect, (cw_array array), (array))
WRAPPED(cw_array_destroy, (cw_array * array), (array))
WRAPPED(cw_team_shrink, (cw_team team, cw_team *survivors), (team, survivors))

/* --- The array -------------------------------------------------------------------------------- */

struct work {
  cw_team team;
  cw_array array;
  long known, tried; /* the last commit that returned CW_OK; the last one that was called */
};

static int dimensions, copies;
static int64_t extents[3];
static size_t elements;

static _Noreturn void fail(const char *what, long got, long least, long most)
{
  fprintf(stderr, "protected: FAILED: process %d: %s is %ld; it may be %ld to %ld (CW_TEST_SEED)\n",
          cw_process(), what, got, least, most);
  cw_failure_end(1);
  abort();
}

/* Ends the program unless a call has succeeded or failed because of a process. */
static cw_error judge(const char *call, cw_error error)
{
  if (error != CW_OK && error != CW_FAILED) {
    fprintf(stderr, "protected: FAILED: process %d: %s: %s\n", cw_process(), call,
            cw_error_message());
    cw_failure_end(1);
  }
  return error;
}
#define ATTEMPT(call) CW_TRY(judge(#call, CW_MAY_FAIL(call)))

static long value(long commit, size_t element)
{
  return commit * 1000003 + (long)element;
}

/* Puts my share of the contents of a commit, which are elements of any members. */
static cw_error write_share(const struct work *work, long commit)
{
  const int rank = cw_team_rank(work->team), size = cw_team_size(work->team);
  int64_t lo[3] = {extents[0] * rank / size, 0, 0};
  int64_t hi[3] = {extents[0] * (rank + 1) / size - 1, extents[1] - 1, extents[2] - 1};
  const size_t row = elements / (size_t)extents[0], first = (size_t)lo[0] * row;
  const size_t count = (size_t)(hi[0] - lo[0] + 1) * row;
  if (count == 0)
    return CW_OK;
  long *share = kit_alloc(count, sizeof *share);
  for (size_t i = 0; i < count; i++)
    share[i] = value(commit, first + i);
  const cw_error error = cw_array_put(work->array, lo, hi, share, NULL);
  free(share);
  return error;
}

/* Returns the commit whose contents the array has, and checks all elements. */
static cw_error read_commit(cw_array array, long *commit)
{
  const int64_t lo[3] = {0, 0, 0}, hi[3] = {extents[0] - 1, extents[1] - 1, extents[2] - 1};
  long *all = kit_alloc(elements, sizeof *all);
  const cw_error error = cw_array_get(array, lo, hi, all, NULL);
  *commit = all[0] / 1000003;
  for (size_t i = 0; i < elements && error == CW_OK; i++)
    if (all[i] != value(*commit, i))
      fail("an element", all[i], value(*commit, i), value(*commit, i));
  free(all);
  return error;
}

/* --- Commits and recoveries ------------------------------------------------------------------- */

static cw_error advance(struct work *work)
{
  work->tried = work->known + 1;
  ATTEMPT(write_share(work, work->tried));
  ATTEMPT(cw_array_commit(work->array));
  work->known = work->tried;
  return CW_OK;
}

/* Makes an array of the last commit, on the same team or on its survivors, and protects it. */
static cw_error renew(const struct work *old, bool shrink, struct work *fresh)
{
  cw_team survivors = NULL;
  if (shrink) {
    ATTEMPT(cw_team_shrink(fresh->team, &survivors));
    fresh->team = survivors;
  }
  ATTEMPT(cw_array_recover(old->array, fresh->team, &fresh->array));
  ATTEMPT(read_commit(fresh->array, &fresh->known));
  if (fresh->known < old->known || fresh->known > old->tried)
    fail("the recovered commit", fresh->known, old->known, old->tried);
  ATTEMPT(cw_array_protect(fresh->array, copies));
  ATTEMPT(cw_array_commit(fresh->array));
  return CW_OK;
}

/* Replaces the array, in as many attempts as processes fail. */
static void replace(struct work *work, bool shrink)
{
  struct work fresh = {.team = work->team};
  int attempts = 0;
  while (renew(work, shrink, &fresh) != CW_OK) {
    if (fresh.array != NULL)
      judge("cw_array_destroy", cw_array_destroy(&fresh.array));
    shrink = true;
    if (++attempts > MOST_ATTEMPTS)
      fail("number of attempts", attempts, 0, MOST_ATTEMPTS);
  }
  judge("cw_array_destroy", cw_array_destroy(&work->array));
  fresh.tried = fresh.known;
  *work = fresh;
}

/* Returns true if a member of the team knows the first commit to be complete. If not, there is
 * nothing to recover. */
static bool any_commit(const struct work *work)
{
  cw_team survivors = NULL;
  cw_array recovered = NULL;
  cw_error error = CW_FAILED;
  while (error == CW_FAILED &&
         (error = CW_MAY_FAIL(cw_team_shrink(work->team, &survivors))) == CW_OK)
    error = CW_MAY_FAIL(cw_array_recover(work->array, survivors, &recovered));
  if (recovered != NULL)
    judge("cw_array_destroy", cw_array_destroy(&recovered));
  return error == CW_OK;
}

static bool run(struct work *work)
{
  cw_error error = judge("cw_array_protect", CW_MAY_FAIL(cw_array_protect(work->array, copies)));
  if (error == CW_OK)
    error = advance(work);
  if (error != CW_OK && !any_commit(work))
    return false;
  while (work->known < COMMITS) {
    if (error != CW_OK || work->known % 3 == 2)
      replace(work, error != CW_OK);
    error = advance(work);
  }
  return true;
}

static void make(struct work *work)
{
  struct kit_distribution drawn;
  dimensions = 1 + kit_common(3);
  copies = 1 + kit_common(kit_processes());
  elements = 1;
  for (int d = 0; d < 3; d++) {
    extents[d] = d < dimensions ? kit_draw(1, 30) : 1;
    elements *= (size_t)extents[d];
  }
  kit_draw_distribution(dimensions, extents, true, &drawn);
  const cw_array_options options = {.name = "protected",
                                    .type = CW_LONG,
                                    .dimensions = dimensions,
                                    .extents = extents,
                                    .distribution = drawn.what};
  work->team = cw_team_world();
  KIT_MUST(cw_array_create(work->team, &options, &work->array));
}

static void arm(int argc, char **argv)
{
  for (int i = 0; i < 2 && argc > 3 + 2 * i; i++)
    victims[i] = (struct victim){atoi(argv[2 + 2 * i]), atol(argv[3 + 2 * i]), 0};
  if (strcmp(argv[1], "time") == 0) {
    const struct itimerval once = {.it_value = {.tv_usec = victims[0].at}};
    if (victims[0].process == cw_process() && victims[0].at > 0) {
      signal(SIGALRM, end_by_signal);
      setitimer(ITIMER_REAL, &once, NULL);
    }
    victims[0].process = -1;
  }
  clock_gettime(CLOCK_MONOTONIC, &armed_at);
  armed = true;
}

/* Ends the time in which processes fail, and returns its microseconds. */
static long disarm(void)
{
  const struct itimerval never = {.it_value = {.tv_usec = 0}};
  struct timespec now;
  armed = false;
  setitimer(ITIMER_REAL, &never, NULL);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - armed_at.tv_sec) * 1000000 + (now.tv_nsec - armed_at.tv_nsec) / 1000;
}

int main(int argc, char **argv)
{
  struct work work = {.known = 0};
  long last = 0;
  kit_start_native(&argc, &argv, "protected");
  if (argc < 4)
    kit_skip("usage: protected steps|time PROCESS NUMBER [PROCESS STEP]");
  make(&work);
  arm(argc, argv);
  const bool some = run(&work);
  if (some && read_commit(work.array, &last) == CW_OK && last != COMMITS)
    fail("the last commit", last, COMMITS, COMMITS);
  judge("cw_array_destroy", cw_array_destroy(&work.array));
  const long microseconds = disarm();
  printf("process %d: %s, %ld steps, %ld us\n", cw_process(),
         some ? "all commits are right" : "nothing was committed", steps, microseconds);
  /* no process fails from here on: after this all know whether one has failed */
  judge("cw_barrier", CW_MAY_FAIL(cw_barrier(work.team)));
  if (cwi_failures_count() == 0)
    return kit_finish_native();
  judge("cw_finalize", cw_finalize());
  cw_failure_end(0);
}
