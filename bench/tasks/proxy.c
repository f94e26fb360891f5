/* The communication of a Hartree-Fock iteration in four ways (proxy_ways.h), which take turns.
 *
 *   proxy [ROUNDS [MICROSECONDS OF A TASK [TILE [BLOCK [TASKS]]]]]   any number of processes
 *
 * TILE: rows and columns of the tile (64). BLOCK: rows and columns of the blocks of the matrix (1).
 * TASKS: a process has half to all of this number of tasks (32). */
#include "../program.h"
#include "../samples.h"
#include "proxy_ways.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 99 };

static double task_seconds;

static void compute(void)
{
  const double end = seconds(CLOCK_MONOTONIC) + task_seconds;
  while (seconds(CLOCK_MONOTONIC) < end)
    continue;
}

static void print_row(double each, int rounds)
{
  double times[PROXY_WAYS][MOST_ROUNDS] = {{0}}, medians[PROXY_WAYS];
  int64_t tasks = (int64_t)(each * cw_processes());
  tasks = tasks < 1 ? 1 : tasks;
  for (int round = 0; round < rounds; round++)
    for (int way = 0; way < PROXY_WAYS; way++)
      times[way][round] = proxy_run((enum proxy_way)way, tasks);
  for (int way = 0; way < PROXY_WAYS; way++)
    medians[way] = 1e6 * median_of(times[way], (size_t)rounds);
  if (cw_process() != 0)
    return;
  printf("| %g |", each);
  for (int way = 0; way < PROXY_WAYS; way++)
    printf(" %.0f |", medians[way]);
  printf(" %.2f | %.2f | %.2f |\n", medians[ORIG] / medians[ORIG_NBX],
         medians[ORIG_NBX] / medians[RMAB], medians[RMAB] / medians[RMA]);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 11;
  const double most = argc > 5 ? atof(argv[5]) : 32;
  int provided = 0;
  task_seconds = 1e-6 * (argc > 2 ? atof(argv[2]) : 0);
  const struct proxy proxy = {.tile = argc > 3 ? atoi(argv[3]) : 64,
                              .block = argc > 4 ? atoi(argv[4]) : 1,
                              .compute = task_seconds > 0 ? compute : NULL};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (rounds < 1 || rounds > MOST_ROUNDS)
    cw_abort("proxy: 1 to 99 rounds", 1);
  proxy_begin(&proxy);
  if (cw_process() == 0)
    printf("%d processes on %d nodes, tiles of %d x %d, blocks of %d x %d, tasks of %g us; "
           "microseconds:\n\n"
           "| tasks a process | %s | %s | %s | %s | ORIG / ORIG-NBX | ORIG-NBX / RMAB | RMAB / RMA "
           "|\n|--:|--:|--:|--:|--:|--:|--:|--:|\n",
           cw_processes(), cw_nodes(), proxy.tile, proxy.tile, (int)proxy.block, (int)proxy.block,
           1e6 * task_seconds, proxy_names[ORIG], proxy_names[ORIG_NBX], proxy_names[RMA],
           proxy_names[RMAB]);
  for (double each = 0.5; each <= most; each *= 2)
    print_row(each, rounds);
  proxy_end();
  must(cw_finalize());
  return MPI_Finalize();
}
