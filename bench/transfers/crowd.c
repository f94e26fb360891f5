/* Measures what waiting costs where processes outnumber the cores. Tasks come from a common
 * counter; each gets blocks of other processes, computes, and puts a block elsewhere. A barrier
 * follows each round. GA programs work like this. Prints the CPU time of all processes, their
 * servers included, and the part of it that was computing; the rest is communication and waiting.
 *
 *   crowd [TASKS [ROUNDS [MICROSECONDS]]]    on any number of processes
 *
 * Compare 1 process with several hosts of this machine:
 *   mpiexec -n 1 crowd;  tests/multinode/hosts.sh mpich 2 2 crowd */
#include "../program.h"

#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { BLOCK = 256, BLOCKS = 64, GETS = 6, PUTS = 5 };

/* Uses `microseconds` of this thread's CPU time, independent of other users of the core. */
static void compute(double *block, double microseconds)
{
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + 1e-6 * microseconds;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end)
    for (int i = 0; i < BLOCK; i++)
      block[i] = 0.5 * block[i] + 1;
}

static void run_task(long task, void **blocks, double microseconds)
{
  static double got[BLOCK];
  const int processes = cw_processes();
  for (int i = 0; i < GETS; i++) {
    const int process = (int)((task + i) % processes);
    must(cw_get(got, (double *)blocks[process] + (task + i) % BLOCKS * BLOCK, sizeof got, process));
    compute(got, microseconds);
  }
  for (int i = 0; i < PUTS; i++) {
    const int process = (int)((task + 2 * i + 1) % processes);
    must(cw_put(got, (double *)blocks[process] + (task + i) % BLOCKS * BLOCK, sizeof got, process));
  }
}

static long run_round(long tasks, void **blocks, int64_t *counter, double microseconds)
{
  int64_t task = 0;
  long done = 0;
  must(cw_barrier(cw_team_world()));
  while (must(cw_fetch_add_int64(counter, 1, 0, &task)), task < tasks) {
    run_task(task, blocks, microseconds);
    done++;
  }
  must(cw_barrier(cw_team_world()));
  return done;
}

static double cpu_seconds(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
  const long tasks = argc > 1 ? atol(argv[1]) : 1000, rounds = argc > 2 ? atol(argv[2]) : 5;
  const double microseconds = argc > 3 ? atof(argv[3]) : 50;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  cw_region region = NULL;
  void **blocks = calloc((size_t)cw_processes(), sizeof *blocks);
  must(cw_region_create(cw_team_world(), (BLOCKS * BLOCK + 8) * sizeof(double), &region, blocks));
  int64_t *counters = (int64_t *)((double *)blocks[0] + BLOCKS * BLOCK);
  const MPI_Comm comm = cw_team_comm(cw_team_world());
  double mine[2] = {0}, all[2] = {0};
  MPI_Barrier(comm);
  const double begin = seconds(CLOCK_MONOTONIC), cpu = cpu_seconds();
  for (long round = 0; round < rounds; round++) {
    must(cw_barrier(cw_team_world()));
    if (cw_process() == 0)
      *counters = 0;
    mine[1] +=
        (double)run_round(tasks, blocks, counters, microseconds) * GETS * microseconds * 1e-6;
  }
  mine[0] = cpu_seconds() - cpu;
  const double wall = seconds(CLOCK_MONOTONIC) - begin;
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (cw_process() == 0)
    printf("| processes | nodes | time, s | CPU, s | of which computing, s |\n"
           "|--:|--:|--:|--:|--:|\n| %d | %d | %.2f | %.2f | %.2f |\n",
           cw_processes(), cw_nodes(), wall, all[0], all[1]);
  must(cw_region_free(cw_team_world(), &region));
  must(cw_finalize());
  MPI_Finalize();
  free(blocks);
  return 0;
}
