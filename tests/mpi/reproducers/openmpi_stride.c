/* Open MPI 4.1: a vector datatype of single bytes with stride -1 moves wrong bytes. */
#include "reproducer.h"

enum { COUNT = 4, BYTES = 64, MIDDLE = 32 };

static int count_wrong(MPI_Win window, int peer)
{
  char got[COUNT] = {0};
  MPI_Datatype backwards = MPI_DATATYPE_NULL;
  CHECK(MPI_Type_create_hvector(COUNT, 1, -1, MPI_BYTE, &backwards));
  CHECK(MPI_Type_commit(&backwards));
  CHECK(MPI_Get(got, COUNT, MPI_BYTE, peer, MIDDLE, 1, backwards, window));
  CHECK(MPI_Win_flush(peer, window));
  CHECK(MPI_Type_free(&backwards));
  int wrong = 0;
  for (int i = 0; i < COUNT; i++)
    wrong += got[i] != MIDDLE - i;
  return wrong;
}

int main(int argc, char **argv)
{
  static char memory[BYTES];
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Init(&argc, &argv));
  for (int i = 0; i < BYTES; i++)
    memory[i] = (char)i;
  CHECK(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  const int wrong = count_wrong(window, 1 - my_rank());
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish(wrong > 0, "openmpi_stride");
}
