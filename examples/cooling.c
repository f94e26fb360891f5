/* A rod that cools, in an array whose contents survive the failure of processes. The array is
 * committed every few steps. When a process fails, the others return to the last commit, on a
 * smaller team, and continue. The number of the step is an element of the array, so it belongs to
 * the committed contents. The result is the same with and without failures.
 *
 *   cooling [PROCESS STEP]   for a trial, PROCESS fails in STEP */
#include <causeway.h>

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { POINTS = 1000, STEPS = 400, EVERY = 25 };

/* The team that computes, and its array: the points, then the number of the step. */
struct work {
  cw_team team;
  cw_array rod;
};
static const int64_t step_index = POINTS;

static double next_point(const double *point)
{
  return point[0] + 0.25 * (point[-1] - 2 * point[0] + point[1]);
}

/* Computes one step of my points. All members have read before one of them writes. */
static cw_error step(const struct work *work)
{
  double old[POINTS + 2] = {0}, new[POINTS];
  int64_t lo = 0, hi = 0;
  CW_TRY(cw_array_part(work->rod, cw_team_rank(work->team), &lo, &hi));
  hi = hi < POINTS ? hi : POINTS - 1;
  const int64_t first = lo > 0 ? lo - 1 : 0, last = hi < POINTS - 1 ? hi + 1 : hi;
  if (lo <= hi)
    CW_TRY(cw_array_get(work->rod, &first, &last, &old[first - lo + 1], NULL));
  CW_TRY(cw_array_sync(work->rod));
  for (int64_t i = 0; i <= hi - lo; i++)
    new[i] = next_point(&old[i + 1]);
  if (lo <= hi)
    CW_TRY(cw_array_put(work->rod, &lo, &hi, new, NULL));
  return cw_array_sync(work->rod);
}

static cw_error commit(const struct work *work, int number)
{
  const double as_element = number;
  if (cw_team_rank(work->team) == 0)
    CW_TRY(cw_array_put(work->rod, &step_index, &step_index, &as_element, NULL));
  return cw_array_commit(work->rod);
}

/* Computes the steps after the one that the array has. */
static cw_error cool(const struct work *work, int victim, int fatal_step)
{
  double begun = 0;
  CW_TRY(cw_array_get(work->rod, &step_index, &step_index, &begun, NULL));
  for (int number = (int)begun + 1; number <= STEPS; number++) {
    CW_TRY(step(work));
    if (cw_process() == victim && number == fatal_step)
      kill(getpid(), SIGKILL);
    if (number % EVERY == 0)
      CW_TRY(commit(work, number));
  }
  return CW_OK;
}

/* Makes an array with the committed contents of the old one, and protects it. */
static cw_error renew(cw_array old, struct work *work)
{
  cw_team survivors = NULL;
  CW_TRY(cw_team_shrink(work->team, &survivors));
  work->team = survivors;
  CW_TRY(cw_array_recover(old, work->team, &work->rod));
  CW_TRY(cw_array_protect(work->rod, 1));
  return cw_array_commit(work->rod);
}

/* Replaces the team and its array after a failure. If a process fails meanwhile, begins again: the
 * old array stays until the new one has been committed. */
static void repair(struct work *work)
{
  struct work fresh = {work->team, NULL};
  cw_error error = CW_FAILED;
  while ((error = CW_MAY_FAIL(renew(work->rod, &fresh))) == CW_FAILED)
    if (fresh.rod != NULL)
      CW_MUST(cw_array_destroy(&fresh.rod));
  CW_MUST(error);
  CW_MUST(cw_array_destroy(&work->rod));
  *work = fresh;
}

/* Returns true if the array has the result of a serial computation. */
static bool is_right(cw_array rod)
{
  static double points[POINTS], expected[POINTS + 2], before[POINTS + 2];
  const int64_t lo = 0, hi = POINTS - 1;
  bool right = true;
  CW_MUST(cw_array_get(rod, &lo, &hi, points, NULL));
  for (int i = 1; i <= POINTS; i++)
    expected[i] = 100;
  for (int number = 0; number < STEPS; number++) {
    for (int i = 0; i < POINTS + 2; i++)
      before[i] = expected[i];
    for (int i = 1; i <= POINTS; i++)
      expected[i] = next_point(&before[i]);
  }
  for (int i = 0; i < POINTS; i++)
    right = right && points[i] == expected[i + 1];
  return right;
}

static struct work begin(void)
{
  const int64_t extents[1] = {POINTS + 1}, last = POINTS - 1, first = 0;
  const double hot = 100, zero = 0;
  const cw_array_options options = {
      .name = "rod", .type = CW_DOUBLE, .dimensions = 1, .extents = extents};
  struct work work = {cw_team_world(), NULL};
  CW_MUST(cw_array_create(work.team, &options, &work.rod));
  CW_MUST(cw_array_fill(work.rod, NULL, NULL, &zero));
  CW_MUST(cw_array_fill(work.rod, &first, &last, &hot));
  CW_MUST(cw_array_protect(work.rod, 1));
  CW_MUST(cw_array_commit(work.rod));
  return work;
}

int main(int argc, char **argv)
{
  const int victim = argc > 2 ? atoi(argv[1]) : -1, fatal_step = argc > 2 ? atoi(argv[2]) : -1;
  int threads = 0;
  size_t failed = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  struct work work = begin();
  cw_error error = CW_FAILED;
  while ((error = CW_MAY_FAIL(cool(&work, victim, fatal_step))) == CW_FAILED)
    repair(&work);
  CW_MUST(error);
  const bool right = is_right(work.rod);
  CW_MUST(cw_team_failed(cw_team_world(), 0, NULL, &failed));
  if (cw_team_rank(work.team) == 0)
    printf("%d of %d processes have finished; the result is %s\n", cw_team_size(work.team),
           cw_processes(), right ? "right" : "WRONG");
  CW_MUST(cw_array_destroy(&work.rod));
  CW_MUST(cw_finalize());
  if (failed > 0)
    cw_failure_end(right ? 0 : 1); /* MPI_Finalize would wait for the failed processes */
  MPI_Finalize();
  return right ? 0 : 1;
}
