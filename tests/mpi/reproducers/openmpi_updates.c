/* Open MPI 4.1 on one node: MPI_Fetch_and_op with MPI_LAND of 32-bit integers of another process
 * fetches nothing, and changes something else. */
#include "reproducer.h"

int main(int argc, char **argv)
{
  static int memory[16];
  const int four = 4;
  int old = 0, there = 0;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  memory[0] = 2;
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank() == 0) {
    CHECK(MPI_Fetch_and_op(&four, &old, MPI_INT, 1, 0, MPI_LAND, window));
    CHECK(MPI_Win_flush(1, window));
    there = old != 2;
  }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_sync(window));
  if (my_rank() == 1)
    there = memory[0] != 1; /* 2 and 4, of which neither is 0 */
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(there, "openmpi_updates");
}
