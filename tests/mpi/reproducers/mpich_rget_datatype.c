/* MPICH 4.x with ch4:ucx: the request of an MPI_Rget with a non-contiguous datatype is complete
 * before the data is there. https://github.com/pmodels/mpich/issues/7896 */
#include "reproducer.h"

enum { DOUBLES = 4096, BLOCK = 2, STRIDE = 4, TIMES = 50 };

/* Gets every other pair of numbers; returns nonzero if they are missing when MPI_Wait returns. */
static int misses_data(MPI_Win window, MPI_Datatype pairs)
{
  static double got[DOUBLES];
  MPI_Request request = MPI_REQUEST_NULL;
  int missing = 0;
  memset(got, 0, sizeof got);
  CHECK(MPI_Rget(got, 1, pairs, 1, 0, 1, pairs, window, &request));
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < DOUBLES; i++)
    missing = missing || (i % STRIDE < BLOCK && got[i] != i + 1);
  CHECK(MPI_Win_flush(1, window));
  return missing;
}

int main(int argc, char **argv)
{
  static double memory[DOUBLES];
  MPI_Win window = MPI_WIN_NULL;
  MPI_Datatype pairs = MPI_DATATYPE_NULL;
  int there = 0;
  CHECK(MPI_Init(&argc, &argv));
  for (int i = 0; i < DOUBLES; i++)
    memory[i] = i + 1;
  CHECK(MPI_Type_vector(DOUBLES / STRIDE, BLOCK, STRIDE, MPI_DOUBLE, &pairs));
  CHECK(MPI_Type_commit(&pairs));
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  for (int i = 0; i < TIMES && my_rank() == 0; i++)
    there = misses_data(window, pairs) || there;
  CHECK(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  CHECK(MPI_Type_free(&pairs));
  return finish(there, "mpich_rget_datatype");
}
