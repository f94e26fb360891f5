/* MPICH 4.0.2: a window of MPI_Win_create that begins at an odd multiple of 8 bytes. On one node a
 * put to its first word is written into the word before it, which is outside the window. */
#include "reproducer.h"

int main(int argc, char **argv)
{
  static _Alignas(64) long words[4];
  const long seven = 7;
  int there = 0;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Win_create(&words[1], sizeof words[1], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  if (my_rank() == 0) {
    CHECK(MPI_Put(&seven, 1, MPI_LONG, 1, 0, 1, MPI_LONG, window));
    CHECK(MPI_Win_flush(1, window));
  }
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_sync(window));
  if (my_rank() == 1)
    there = words[0] == 7 && words[1] == 0;
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(there, "mpich_win_unaligned");
}
