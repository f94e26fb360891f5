/* MPICH 4.x on one node: after a long MPI_Get and MPI_Win_flush_all the data of the get is
 * missing.
 */
#include "reproducer.h"

#include <stdlib.h>

enum { ROUNDS = 20, BYTES = 1 << 22 };

static int count_late(MPI_Win window, int peer, char *got)
{
  int late = 0;
  for (int round = 0; round < ROUNDS; round++) {
    memset(got, 0, BYTES);
    CHECK(MPI_Get(got, BYTES, MPI_BYTE, peer, 0, BYTES, MPI_BYTE, window));
    CHECK(MPI_Win_flush_all(window));
    late += got[0] != 7 || got[BYTES - 1] != 7;
    CHECK(MPI_Win_flush(peer, window));
  }
  return late;
}

int main(int argc, char **argv)
{
  static _Alignas(4096) char memory[BYTES];
  char *got = malloc(BYTES);
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  if (got == NULL)
    MPI_Abort(MPI_COMM_WORLD, 2);
  memset(memory, 7, BYTES);
  CHECK(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  const int late = count_late(window, 1 - my_rank(), got);
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  free(got);
  return finish(late > 0, "mpich_flush_all");
}
