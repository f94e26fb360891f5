/* MPICH 4.0.1 to 4.0.x: accumulates to memory of MPI_Win_allocate get lost on one node when a
 * process's size is no multiple of 16 bytes. https://github.com/pmodels/mpich/issues/6110 */
#include "reproducer.h"

enum { DOUBLES = 3, TIMES = 2000 };

static int wrong(const double *sums, int processes)
{
  for (int i = 0; i < DOUBLES; i++)
    if (sums[i] != (double)TIMES * processes)
      return 1;
  return 0;
}

int main(int argc, char **argv)
{
  const double ones[DOUBLES] = {1, 1, 1};
  double *sums = NULL;
  int processes = 0;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, &processes));
  CHECK(
      MPI_Win_allocate(DOUBLES * sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &sums, &window));
  CHECK(MPI_Win_lock_all(0, window));
  memset(sums, 0, DOUBLES * sizeof(double));
  CHECK(MPI_Win_sync(window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  for (int target = 0; target < processes; target++)
    for (int i = 0; i < TIMES; i++) {
      CHECK(MPI_Accumulate(ones, DOUBLES, MPI_DOUBLE, target, 0, DOUBLES, MPI_DOUBLE, MPI_SUM,
                           window));
      CHECK(MPI_Win_flush(target, window));
    }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_sync(window));
  const int there = wrong(sums, processes);
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(there, "mpich_win_allocate");
}
