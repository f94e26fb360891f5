/* MPICH 4.0.2, Open MPI 4.1: accumulates with MPI_MIN take unsigned numbers of 32 bits for signed
 * ones. */
#include "reproducer.h"

/* MPI_MIN of 1 and 2^31, between two processes. */
static int unsigned_minimum_is_wrong(void)
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

int main(int argc, char **argv)
{
  CHECK(MPI_Init(&argc, &argv));
  return finish(unsigned_minimum_is_wrong(), "unsigned_extremes");
}
