/* MPICH 4.0.2: MPI_Win_flush_local returns before the data of a get is there, if a put to the same
 * target was issued after the get. Not reported, as far as we know. */
#include "reproducer.h"

enum { TIMES = 200 };

static int misses_data(MPI_Win window, const double *want)
{
  const double other = 5;
  double got = 0;
  CHECK(MPI_Get(&got, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, window));
  CHECK(MPI_Put(&other, 1, MPI_DOUBLE, 1, sizeof(double), 1, MPI_DOUBLE, window));
  CHECK(MPI_Win_flush_local(1, window));
  const int missing = got != *want;
  CHECK(MPI_Win_flush(1, window));
  return missing;
}

int main(int argc, char **argv)
{
  static double memory[64];
  MPI_Win window = MPI_WIN_NULL;
  int there = 0;
  start(&argc, &argv, "MPICH Version:");
  memory[0] = 3;
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < TIMES && my_rank() == 0; i++)
    there = misses_data(window, &memory[0]) || there;
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(there, "mpich_flush_local");
}
