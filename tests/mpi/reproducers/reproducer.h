/* What the reproducers of MPI bugs share. Each is plain MPI, runs on 2 processes, and ends with
 *   0   the bug is still there: the work-around is needed
 *   1   it is not: remove the row of src/core/mpi/workaround.c
 *   77  this is not the MPI library that has the bug */
#ifndef REPRODUCER_H
#define REPRODUCER_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STILL_THERE = 0, FIXED = 1, ANOTHER_MPI = 77 };

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

/* Start MPI, and end at once if it is another library. `mark`: what its version string contains. */
static inline void start(int *argc, char ***argv, const char *mark)
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  CHECK(MPI_Init(argc, argv));
  CHECK(MPI_Get_library_version(version, &length));
  if (strstr(version, mark) != NULL)
    return;
  CHECK(MPI_Finalize());
  exit(ANOTHER_MPI);
}

/* End MPI with the verdict; `there` on any process counts. */
static inline int finish(int there, const char *row)
{
  CHECK(MPI_Allreduce(MPI_IN_PLACE, &there, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  if (my_rank() == 0) {
    if (there)
      printf("%s: the bug is still there\n", row);
    else
      printf("%s: fixed in this MPI: remove the row from src/core/mpi/workaround.c\n", row);
  }
  CHECK(MPI_Finalize());
  return there ? STILL_THERE : FIXED;
}

/* MPI_MIN of 1 and 2^31, between two processes. */
static inline int unsigned_minimum_is_wrong(void)
{
  static unsigned memory[16];
  const unsigned large = 0x80000000U;
  int there = 0;
  MPI_Win window = MPI_WIN_NULL;
  memory[0] = 1;
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank() == 0) {
    CHECK(MPI_Accumulate(&large, 1, MPI_UNSIGNED, 1, 0, 1, MPI_UNSIGNED, MPI_MIN, window));
    CHECK(MPI_Win_flush(1, window));
  }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_sync(window));
  if (my_rank() == 1)
    there = memory[0] != 1;
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return there;
}

#endif
