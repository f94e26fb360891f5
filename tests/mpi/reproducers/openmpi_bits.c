/* Open MPI 5.0 on one node: MPI_Fetch_and_op with MPI_BAND, MPI_BOR or MPI_BXOR of 64-bit integers
 * of another process changes nothing, or makes the number 0. */
#include "reproducer.h"

#include <stdint.h>

/* Applies the operation to `first` at the target and `second` here. */
static int is_wrong(MPI_Op operation, int64_t first, int64_t second, int64_t wanted)
{
  static int64_t memory[8];
  int64_t old = 0;
  int there = 0;
  MPI_Win window = MPI_WIN_NULL;
  memory[0] = first;
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  if (my_rank() == 0) {
    CHECK(MPI_Fetch_and_op(&second, &old, MPI_INT64_T, 1, 0, operation, window));
    CHECK(MPI_Win_flush(1, window));
  }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_sync(window));
  if (my_rank() == 1)
    there = memory[0] != wanted;
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return there;
}

int main(int argc, char **argv)
{
  CHECK(MPI_Init(&argc, &argv));
  const int there = is_wrong(MPI_BAND, 0x5c, 0x36, 0x5c & 0x36) |
                    is_wrong(MPI_BOR, 0x5c, 0x36, 0x5c | 0x36) |
                    is_wrong(MPI_BXOR, 0x5c, 0x36, 0x5c ^ 0x36);
  return finish(there, "openmpi_bits");
}
