/* What the reproducers of MPI bugs share. Each is plain MPI, runs with any MPI on as many processes
 * as its row of src/core/mpi/workaround.c says, and prints its verdict in a line of its own:
 *   NAME: has it
 *   NAME: has it not
 *   NAME: not seen            (a race, which may be there all the same)
 *   NAME: cannot tell: why
 * `cw-info --selftest` goes by that line. Without one the program has crashed, hung, or been
 * refused something that it needs. */
#ifndef REPRODUCER_H
#define REPRODUCER_H

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

static inline void tell(const char *row, const char *verdict)
{
  printf("%s: %s\n", row, verdict);
  fflush(stdout);
}

/* Say the verdict, and end MPI; `there` on any process counts. */
static inline int finish_with(int there, const char *row, const char *otherwise)
{
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  if (my_rank() == 0)
    tell(row, there ? "has it" : otherwise);
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

#endif
