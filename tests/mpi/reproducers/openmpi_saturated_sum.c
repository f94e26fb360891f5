/* Open MPI 4.1: sums of many integers of 8 bits stop at 127 instead of wrapping. */
#include "reproducer.h"

int main(int argc, char **argv)
{
  enum { COUNT = 64 };
  static signed char memory[COUNT];
  signed char hundreds[COUNT];
  int there = 0;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  for (int i = 0; i < COUNT; i++)
    memory[i] = hundreds[i] = 100;
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank() == 0) {
    CHECK(MPI_Accumulate(hundreds, COUNT, MPI_INT8_T, 1, 0, COUNT, MPI_INT8_T, MPI_SUM, window));
    CHECK(MPI_Win_flush(1, window));
  }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_sync(window));
  if (my_rank() == 1)
    there = memory[0] != (signed char)200;
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(there, "openmpi_saturated_sum");
}
