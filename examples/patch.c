/* A matrix distributed over all processes by rows: adds to a patch that has several owners, and
 * reads it. */
#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16, COLUMNS = 100, FIRST = 40, WIDTH = 20 }; /* ROWS: rows per process */

/* Returns a strided transfer of the columns FIRST to FIRST + WIDTH - 1 of one process's rows. */
static cw_transfer block(cw_operation operation, double *local, void *slice, int process)
{
  static const size_t rows[] = {ROWS};
  static const ptrdiff_t packed[] = {WIDTH * sizeof(double)};
  static const ptrdiff_t spread[] = {COLUMNS * sizeof(double)};
  return cw_strided(operation, local, packed, (double *)slice + FIRST, spread,
                    WIDTH * sizeof(double), rows, 1, process);
}

int main(int argc, char **argv)
{
  int threads; /* MULTIPLE, because between nodes a server thread also calls MPI */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), processes = cw_processes();
  void **slices = calloc((size_t)processes, sizeof *slices);
  cw_region region = NULL;
  CW_MUST(cw_region_create(cw_team_world(), ROWS * COLUMNS * sizeof(double), &region, slices));
  for (int i = 0; i < ROWS * COLUMNS; i++)
    ((double *)slices[me])[i] = me;
  CW_MUST(cw_barrier(cw_team_world()));

  /* Each process adds 1 to the middle columns of every process. All transfers share one handle, so
   * they overlap. */
  double ones[ROWS * WIDTH];
  for (int i = 0; i < ROWS * WIDTH; i++)
    ones[i] = 1.0;
  cw_handle handle = {0, 0};
  for (int process = 0; process < processes; process++) {
    const cw_transfer add = block(CW_ACCUMULATE, ones, slices[process], process);
    CW_MUST(cw_transfer_start(&add, &handle));
  }
  CW_MUST(cw_wait(&handle));
  CW_MUST(cw_barrier(cw_team_world()));

  int wrong = 0;
  double patch[ROWS * WIDTH];
  for (int process = 0; process < processes; process++) {
    const cw_transfer read = block(CW_GET, patch, slices[process], process);
    CW_MUST(cw_transfer_run(&read));
    for (int i = 0; i < ROWS * WIDTH; i++)
      wrong += patch[i] != process + processes;
  }
  if (me == 0)
    printf("patch of %d x %d elements on %d processes: %d wrong\n", ROWS * processes, WIDTH,
           processes, wrong);
  CW_MUST(cw_region_free(cw_team_world(), &region));
  CW_MUST(cw_finalize());
  MPI_Finalize();
  free(slices);
  return wrong != 0;
}
