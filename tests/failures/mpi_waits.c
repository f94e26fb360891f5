/* Calls that wait beside a process that dies, but never hang: nonblocking collectives return
 * CW_FAILED; AXPY epochs, which wait for messages of MPI, may also end the job with a message.
 *
 *   mpi_waits collective|axpy wait    the last process dies without making the call, in which the
 *                                     others wait
 *   mpi_waits collective|axpy MOST    it dies within MOST microseconds, while all make many calls
 *
 * Each process prints how it learns of the failure, unless the library has ended the job. */
#include "failures/survivor.h"
#include "kit/kit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool waits;

static bool am_victim(void)
{
  return kit_me() == kit_processes() - 1;
}

/* Ends the process if a call has failed, which must be due to the failed process. */
static void expect_failure(cw_error error, const char *call)
{
  if (error == CW_OK)
    return;
  printf("process %d: %s returns %s: %s\n", kit_me(), call,
         error == CW_FAILED ? "CW_FAILED" : "a wrong error", cw_error_message());
  fflush(stdout);
  cw_failure_end(error != CW_FAILED);
}

#define TRY(call) expect_failure(CW_MAY_FAIL(call), #call)

/* The victim dies here if the others are to wait for it: it may have died before they begin to
 * wait, or later. */
static void die_or_wait(void)
{
  if (waits && am_victim())
    kill(getpid(), SIGKILL);
}

static void run_collectives(void)
{
  enum { MANY = 4 };
  double sums[1000] = {1};
  int all[MANY][64];
  while (true) {
    cw_handle handles[3] = {0};
    die_or_wait();
    TRY(cw_iallreduce(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, 1000, sums, &handles[0]));
    const int mine = kit_me();
    TRY(cw_iallgather(cw_team_world(), &mine, sizeof mine, all, &handles[1]));
    TRY(cw_ibarrier(cw_team_world(), &handles[2]));
    for (int i = 0; i < 3; i++)
      TRY(cw_wait(&handles[i]));
  }
}

static void run_axpy(void)
{
  enum { ROWS = 64 };
  static double ones[ROWS * ROWS];
  const cw_local_matrix local = {.data = ones, .height = ROWS, .width = ROWS};
  cw_array array = NULL;
  const int64_t extents[2] = {ROWS, ROWS};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  TRY(cw_array_create(cw_team_world(), &options, &array));
  for (long epoch = 0;; epoch++) {
    cw_axpy axpy = NULL;
    TRY(cw_axpy_attach(array, CW_ROW_MAJOR, epoch % 4 < 2 ? CW_LOCAL_TO_GLOBAL : CW_GLOBAL_TO_LOCAL,
                       epoch % 2 == 0 ? CW_CONSENSUS : CW_END_OF_MESSAGES, &axpy));
    die_or_wait();
    TRY(cw_axpy_add(axpy, NULL, &local, 0, 0));
    TRY(cw_axpy_detach(&axpy));
  }
}

int main(int argc, char **argv)
{
  survivor_start(&argc, &argv, "mpi_waits");
  waits = strcmp(argv[2], "wait") == 0;
  CW_MUST(cw_init(MPI_COMM_WORLD));
  kit_check(cw_survives(), "the job survives failures");
  CW_MUST(cw_barrier(cw_team_world()));
  if (!waits) {
    survivor_choose(1, DEATH_BY_TIMER, atoi(argv[2]));
    survivor_begin_deaths();
  }
  if (strcmp(argv[1], "axpy") == 0)
    run_axpy();
  else
    run_collectives();
}
