/* Messages about failed calls whose error is not read: unread drop|read|must|fatal, and while
 * Causeway does not run: unread before|"refused"|after. printed.sh checks the output. All processes
 * do the same, except for must and fatal, where only process 0 fails. */
#include <causeway.h>

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void expect(bool holds, const char *what)
{
  wrong += !holds;
  if (!holds)
    fprintf(stderr, "FAILED: %s\n", what);
}

static void *drop_from_thread(void *unused)
{
  expect(cw_fence(-4) == CW_MISUSE, "a fence of another thread is refused");
  return unused;
}

/* Leaves the errors of -1, -2 and -4 unread. */
static void drop(void)
{
  pthread_t thread;
  expect(CW_MAY_FAIL(cw_fence(-10)) == CW_MISUSE, "an expected failure comes back");
  expect(cw_fence(-1) == CW_MISUSE, "the first is refused");
  expect(cw_fence(-2) == CW_MISUSE, "the second is refused");
  expect(CW_MAY_FAIL(cw_fence(-11)) == CW_MISUSE, "an expected failure comes back");
  expect(cw_fence(-3) == CW_MISUSE, "the third is refused");
  expect(strstr(cw_error_message(), "-3") != NULL, "the third is read");
  expect(strstr(cw_error_message(), "-3") != NULL, "the third is read again");
  pthread_create(&thread, NULL, drop_from_thread, NULL);
  pthread_join(thread, NULL);
}

static cw_error passed_on(cw_array *array)
{
  CW_TRY(cw_fence(0));
  CW_TRY(cw_array_destroy(array));
  return CW_OK;
}

static cw_error give_up(cw_error error)
{
  return error;
}

/* Makes calls that return the error of another call, and one that fails in a function of the
 * program. */
static void read_all(void)
{
  const int64_t lo = 0, hi = 7;
  double values[8] = {0};
  cw_array array = NULL, none = NULL;
  CW_MUST(cw_array_create(
      cw_team_world(),
      &(cw_array_options){.type = CW_DOUBLE, .dimensions = 1, .extents = (const int64_t[]){8}},
      &array));
  expect(cw_array_put(array, &lo, &hi, NULL, NULL) == CW_MISUSE, "a put of nothing is refused");
  expect(strstr(cw_error_message(), "cw_array_put: ") != NULL, "it says so");
  expect(cw_array_gather(array, 1, (const int64_t[]){8}, values) == CW_MISUSE, "outside");
  expect(strstr(cw_error_message(), "cw_array_gather: ") != NULL, "it says so");
  expect(passed_on(&none) == CW_MISUSE, "no array is refused");
  expect(strstr(cw_error_message(), "cw_array_destroy: ") != NULL, "it says so");
  CW_MUST(passed_on(&array));
}

/* Makes two failing calls where Causeway does not run: before or after its life, or because a
 * setting is wrong. */
static int without_it(const char *what)
{
  if (strcmp(what, "refused") == 0)
    expect(cw_init(MPI_COMM_WORLD) == CW_MISUSE, "a wrong setting is refused");
  if (strcmp(what, "after") == 0) {
    CW_MUST(cw_init(MPI_COMM_WORLD));
    CW_MUST(cw_finalize());
  }
  expect(cw_fence(-1) == CW_MISUSE, "the first is refused");
  if (strcmp(what, "refused") != 0)
    expect(cw_barrier(NULL) == CW_MISUSE, "the second is refused");
  MPI_Finalize();
  return wrong != 0;
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (strstr("before refused after", what) != NULL)
    return without_it(what);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  if (strcmp(what, "drop") == 0)
    drop();
  else if (strcmp(what, "read") == 0)
    read_all();
  else if (strcmp(what, "must") == 0 && cw_process() == 0)
    CW_MUST(cw_fence(-1));
  else if (strcmp(what, "own") == 0 && cw_process() == 0) {
    expect(cw_fence(-1) == CW_MISUSE, "it is refused"); /* unrelated to the next call */
    CW_MUST(give_up(CW_OUTSIDE));
  } else if (strcmp(what, "passed") == 0 && cw_process() == 0)
    CW_MUST(give_up(cw_fence(-1)));
  else if (strcmp(what, "fatal") == 0 && cw_process() == 0)
    expect(CW_MAY_FAIL(cw_fence(-10)) == CW_MISUSE && cw_fence(-1) == CW_OK, "not reached");
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return wrong != 0;
}
