/* Verdicts of programs in which one call of the library fails: see native.c. */
#include "verdict.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int me, peer;
bool continues;
const char *doing = "start";

_Noreturn void fail(const char *what)
{
  char text[1400];
  snprintf(text, sizeof text, "FAILED: %s (%s): %s", doing, what, cw_error_message());
  cw_abort(text, 3);
  _Exit(3);
}

/* Checks that an error has a message that begins with the call, and is not misuse. */
static void check_error(const char *call)
{
  const size_t name = strcspn(call, "(");
  if (strncmp(cw_error_message(), call, name) != 0 || cw_error_message()[name] != ':')
    fail("the sentence does not begin with the call");
}

static void give_up(const char *call, cw_error error)
{
  char text[1400];
  if (error == CW_OK)
    return;
  if (error != CW_OUTSIDE)
    fail("misuse is reported, but the caller did nothing wrong");
  check_error(call);
  snprintf(text, sizeof text, "ended by the program in %s: %s", doing, cw_error_message());
  cw_abort(text, 2);
}

bool again(const char *call, cw_error error)
{
  static int errors;
  if (error == CW_OK)
    return false;
  if (!continues || ++errors > 20 || error != CW_OUTSIDE)
    give_up(call, error);
  check_error(call);
  return true;
}

bool again_together(const char *call, cw_error error, int members)
{
  int mine[2] = {error != CW_OK, error == CW_OK}, all[2] = {mine[0], mine[1]};
  if (continues && members == 2 &&
      MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
    fail("MPI_Allreduce");
  if (all[0] != 0 && all[1] != 0)
    fail("a collective call fails on one member, and not on the other");
  return again(call, error);
}

void expect(bool right, const char *what)
{
  if (!right)
    fail(what);
}

/* After a failed start nothing is running. */
static void start(void)
{
  int64_t seen = 0;
  const cw_error error = cw_init(MPI_COMM_WORLD);
  continues = getenv("CW_TEST_FAULT_GO_ON") != NULL;
  if (!again_together("cw_init(MPI_COMM_WORLD)", error, 2))
    return;
  expect(cw_put(&seen, &seen, 8, 0) == CW_MISUSE, "a put without cw_init is no misuse");
  cw_abort("ended by the program: no memory to start", 2);
}

void faults_start(int *argc, char ***argv)
{
  int level = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS)
    _Exit(4);
  peer = 1 - me;
  start();
}

int faults_finish(void)
{
  doing = "finalize";
  if (getenv("CW_TEST_FAULT_FORGETS") == NULL)
    TOGETHER(2, cw_finalize());
  printf("process %d is well\n", me);
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 4;
}
