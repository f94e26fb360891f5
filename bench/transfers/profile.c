/* Measures what profiling costs. Puts and gets 8 bytes to and from the next process of the node, in
 * worlds without and with CW_PROFILE in turn. Prints nanoseconds for each, the best of all turns.
 *
 *   profile [TURNS]    (default 5) */
#include "../program.h"

#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 4096, PARTS = 20, TIMES = 100000 };
enum { PUT, GET, KINDS };

static double measure(int kind, char *remote, int process)
{
  int64_t word = 0;
  double best = 1;
  for (int part = 0; part < PARTS; part++) {
    const double begin = seconds(CLOCK_MONOTONIC);
    for (int i = 0; i < TIMES; i++)
      must(kind == PUT ? cw_put(&word, remote, sizeof word, process)
                       : cw_get(&word, remote, sizeof word, process));
    const double each = (seconds(CLOCK_MONOTONIC) - begin) / TIMES;
    best = each < best ? each : best;
  }
  return best;
}

/* Measures one turn in a world of its own, because settings are read when a world starts. */
static void run_round(bool profiled, double *best)
{
  char name[64];
  cw_region region = NULL;
  snprintf(name, sizeof name, "/tmp/cw-bench-profile.%ld", (long)getppid());
  if (profiled)
    setenv("CW_PROFILE", name, 1);
  else
    unsetenv("CW_PROFILE");
  must(cw_init(MPI_COMM_WORLD));
  void **at = calloc((size_t)cw_processes(), sizeof *at);
  const int next = (cw_process() + 1) % cw_processes();
  must(cw_region_create(cw_team_world(), BYTES, &region, at));
  for (int kind = 0; kind < KINDS && cw_process() == 0 && at != NULL; kind++) {
    const double each = measure(kind, at[next], next);
    best[kind] = best[kind] == 0 || each < best[kind] ? each : best[kind];
  }
  free(at);
  must(cw_region_free(cw_team_world(), &region));
  must(cw_finalize());
}

int main(int argc, char **argv)
{
  static const char *const kinds[KINDS] = {"put", "get"};
  double off[KINDS] = {0}, on[KINDS] = {0};
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  for (int i = 0; i < rounds; i++) {
    run_round(false, off);
    run_round(true, on);
  }
  if (rank == 0) {
    printf("| 8 bytes | without, ns | with CW_PROFILE, ns | more, ns |\n|---|--:|--:|--:|\n");
    for (int kind = 0; kind < KINDS; kind++)
      printf("| %s | %.1f | %.1f | %.1f |\n", kinds[kind], 1e9 * off[kind], 1e9 * on[kind],
             1e9 * (on[kind] - off[kind]));
  }
  MPI_Finalize();
  return 0;
}
