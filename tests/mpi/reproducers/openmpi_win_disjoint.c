/* Open MPI 4.1: two disjoint communicators on one machine make windows at the same time. On 4
 * processes. If one call fails, the other processes hang, so the job must be aborted. */
#include "reproducer.h"

/* This is a race, which mostly occurs within a second, but a loaded machine has done 5000 rounds
 * in 1.5 s without it. So the search uses all its time with Open MPI, and less with other MPIs,
 * which have never shown it. If processes share processors, one round may take several time slices,
 * that is, 20 ms or more. */
enum { ROUNDS_BETWEEN_POLLS = 50 };
#ifdef OPEN_MPI
enum { SECONDS = 20 };
#else
enum { SECONDS = 2 };
#endif

/* Returns whether process 0 of `half` has used up its time. Collective. */
static int time_is_up(double start, MPI_Comm half)
{
  int up = MPI_Wtime() - start > SECONDS;
  CHECK(MPI_Bcast(&up, 1, MPI_INT, 0, half));
  return up;
}

int main(int argc, char **argv)
{
  static double memory[64];
  CHECK(MPI_Init(&argc, &argv));
  MPI_Comm half = MPI_COMM_NULL;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, my_rank() % 2, my_rank(), &half));
  CHECK(MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN));
  const double start = MPI_Wtime();
  for (int round = 0;; round++) {
    if (round % ROUNDS_BETWEEN_POLLS == 0 && time_is_up(start, half))
      break;
    MPI_Win window = MPI_WIN_NULL;
    if (MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, half, &window) != MPI_SUCCESS) {
      print_verdict("openmpi_win_disjoint", "has it");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    CHECK(MPI_Win_free(&window));
  }
  return finish_race(0, "openmpi_win_disjoint");
}
