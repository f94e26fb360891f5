/* Distributes tasks by a shared counter: dynamic load balance in a dozen lines. */
#include <causeway.h>

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 1000 };

int main(int argc, char **argv)
{
  int threads; /* MULTIPLE, because between nodes a server thread also calls MPI */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), processes = cw_processes();

  /* Process 0 hosts two integers: the next task and the sum of the results. */
  void **address = calloc((size_t)processes, sizeof *address);
  cw_region region = NULL;
  CW_MUST(cw_region_create(cw_team_world(), me == 0 ? 2 * sizeof(int64_t) : 0, &region, address));
  int64_t *shared = address[0];
  if (me == 0)
    shared[0] = shared[1] = 0;
  CW_MUST(cw_barrier(cw_team_world()));

  int64_t task = 0, mine = 0;
  CW_MUST(cw_fetch_add_int64(&shared[0], 1, 0, &task));
  while (task < TASKS) {
    mine += task * task;
    CW_MUST(cw_fetch_add_int64(&shared[0], 1, 0, &task));
  }
  CW_MUST(cw_fetch_add_int64(&shared[1], mine, 0, NULL));
  CW_MUST(cw_barrier(cw_team_world()));

  int64_t sum = 0;
  CW_MUST(cw_get(&sum, &shared[1], sizeof sum, 0));
  const int64_t expected = (int64_t)(TASKS - 1) * TASKS * (2 * TASKS - 1) / 6;
  if (me == 0)
    printf("%d processes summed the squares of %d tasks: %lld\n", processes, TASKS, (long long)sum);

  CW_MUST(cw_region_free(cw_team_world(), &region));
  CW_MUST(cw_finalize());
  MPI_Finalize();
  free(address);
  return sum == expected ? 0 : 1;
}
