/* Open MPI 4.1 on one node: MPI_Compare_and_swap of 8 bytes, and a sum of doubles, on the same
 * element: one comes between the load and the store of the other, and an update is lost. */
#include "reproducer.h"
enum { UPDATES = 2000 };
/* A race: most rounds of a loaded machine do not show it. Other MPIs have never shown it, and take
 * 0.3 s a round. */
#ifdef OPEN_MPI
enum { MOST_ROUNDS = 600 };
#else
enum { MOST_ROUNDS = 60 };
#endif

static MPI_Win window = MPI_WIN_NULL;

static void add_by_sum(void)
{
  const double one = 1;
  CHECK(MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window));
  CHECK(MPI_Win_flush(0, window));
}

static void add_by_swap(void)
{
  double seen = 0, wanted = 0, found = 0;
  CHECK(MPI_Fetch_and_op(NULL, &found, MPI_DOUBLE, 0, 0, MPI_NO_OP, window));
  CHECK(MPI_Win_flush(0, window));
  do {
    seen = found;
    wanted = seen + 1;
    CHECK(MPI_Compare_and_swap(&wanted, &seen, &found, MPI_LONG, 0, 0, window));
    CHECK(MPI_Win_flush(0, window));
  } while (found != seen);
}

int main(int argc, char **argv)
{
  static double memory[8];
  int there = 0;
  CHECK(MPI_Init(&argc, &argv));
  CHECK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  CHECK(MPI_Win_lock_all(0, window));
  for (int round = 0; round < MOST_ROUNDS && !there; round++) {
    memory[0] = 0;
    CHECK(MPI_Win_sync(window));
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < UPDATES && my_rank() == 1; i++)
      add_by_sum();
    for (int i = 0; i < UPDATES && my_rank() == 2; i++)
      add_by_swap();
    CHECK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(MPI_Win_sync(window));
    there = memory[0] < 2 * UPDATES;
    CHECK(MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD));
  }
  CHECK(MPI_Win_unlock_all(window));
  CHECK(MPI_Win_free(&window));
  return finish_race(there, "openmpi_swap_apart");
}
