/* Helpers that the reproducers of MPI bugs share. Each is plain MPI, runs with any MPI on the
 * number of processes in its row of src/core/mpi/workaround.c, and prints its verdict in one line:
 *   NAME: has it
 *   NAME: has it not
 *   NAME: not seen            (a race, which may exist nevertheless)
 *   NAME: cannot tell: why
 * `cw-info --selftest` reads that line. Without it the program has crashed, hung, or been unable to
 * get a resource. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static inline void check(int code, const char *call)
{
  if (code == MPI_SUCCESS)
    return;
  fprintf(stderr, "%s failed\n", call);
  MPI_Abort(MPI_COMM_WORLD, 2);
}
#define CHECK(call) check((call), #call)

static inline int my_rank(void)
{
  int rank = 0;
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  return rank;
}

static inline void print_verdict(const char *row, const char *verdict)
{
  printf("%s: %s\n", row, verdict);
  fflush(stdout);
}

/* Prints the verdict and ends MPI. The bug is present if `there` is set on any process. */
static inline int finish_with(int there, const char *row, const char *otherwise)
{
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  if (my_rank() == 0)
    print_verdict(row, there ? "has it" : otherwise);
  CHECK(MPI_Finalize());
  return 0;
}

static inline int finish(int there, const char *row)
{
  return finish_with(there, row, "has it not");
}

static inline int finish_race(int there, const char *row)
{
  return finish_with(there, row, "not seen");
}
