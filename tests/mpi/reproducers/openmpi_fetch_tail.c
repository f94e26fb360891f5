/* Open MPI 4.1 on one node: MPI_Get_accumulate of a little more than a multiple of 4096 bytes
 * fetches zeros after the last full 4096 bytes. */
#include "reproducer.h"

enum { COUNT = 4096 / 8 + 1 };

int main(int argc, char **argv)
{
  static long memory[COUNT], nothing[COUNT], old[COUNT];
  int there = 0;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  for (int i = 0; i < COUNT; i++)
    memory[i] = i + 1;
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank() == 0) {
    CHECK(MPI_Get_accumulate(nothing, COUNT, MPI_LONG, old, COUNT, MPI_LONG, 1, 0, COUNT, MPI_LONG,
                             MPI_BXOR, window));
    CHECK(MPI_Win_flush(1, window));
    for (int i = 0; i < COUNT; i++)
      there = there || old[i] != i + 1;
  }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(there, "openmpi_fetch_tail");
}
