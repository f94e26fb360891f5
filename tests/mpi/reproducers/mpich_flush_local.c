/* MPICH 4.x: after MPI_Get, MPI_Put to the same target, and MPI_Win_flush_local, the data of the
 * get is sometimes missing. */
#include "reproducer.h"

enum { ROUNDS = 2000, BYTES = 64, WINDOW = 1 << 20 };

static int count_late(MPI_Win window, int peer)
{
  static const char source[8];
  int late = 0;
  for (int round = 0; round < ROUNDS; round++) {
    char got[BYTES] = {0};
    CHECK(MPI_Get(got, BYTES, MPI_BYTE, peer, 0, BYTES, MPI_BYTE, window));
    CHECK(MPI_Put(source, sizeof source, MPI_BYTE, peer, WINDOW / 2, sizeof source, MPI_BYTE,
                  window));
    CHECK(MPI_Win_flush_local(peer, window));
    late += got[0] != 7 || got[BYTES - 1] != 7;
    CHECK(MPI_Win_flush(peer, window));
  }
  return late;
}

int main(int argc, char **argv)
{
  static _Alignas(4096) char memory[WINDOW];
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  memset(memory, 7, WINDOW);
  CHECK(MPI_Win_create(memory, WINDOW, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  const int late = count_late(window, 1 - my_rank());
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(late > 0, "mpich_flush_local");
}
