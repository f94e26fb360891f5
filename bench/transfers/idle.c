/* Measures how idle time slows answers. Process 0 sleeps for a while and then fetches 8 bytes from
 * process 1, which sleeps outside MPI: its node's server answers. Prints, for each length of the
 * pause, the time of an answer and the CPU time that process 0's own server uses while all
 * processes sleep.
 *
 *   idle [SECONDS]    on two nodes with one process each; SECONDS for each row (default 2)
 *
 * tests/multinode/hosts.sh mpich 2 1 build/mpich/bench/causeway-idle */
#include "../program.h"
#include "../samples.h"

#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 40, LEAST = 10 };

static void pause_for(double length)
{
  const struct timespec pause = {(time_t)length, (long)(1e9 * (length - (double)(time_t)length))};
  nanosleep(&pause, NULL);
}

static void measure_row(double silence, double period, const int64_t *remote)
{
  double answers[SAMPLES], cpu = 0, wall = 0;
  const int fit = (int)(period / silence), count = fit > SAMPLES ? SAMPLES
                                                   : fit < LEAST ? LEAST
                                                                 : fit;
  for (int i = 0; i < count; i++) {
    int64_t got = 0;
    const double cpu_before = seconds(CLOCK_PROCESS_CPUTIME_ID), before = seconds(CLOCK_MONOTONIC);
    pause_for(silence);
    const double begin = seconds(CLOCK_MONOTONIC);
    cpu += seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_before;
    wall += begin - before;
    must(cw_get(&got, remote, sizeof got, 1));
    answers[i] = seconds(CLOCK_MONOTONIC) - begin;
  }
  sort_samples(answers, (size_t)count);
  printf("| %g | %.0f | %.0f | %.1f |\n", 1e3 * silence, 1e6 * answers[count / 2],
         1e6 * answers[count - 1 - count / 10], 100 * cpu / wall);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  static const double silences[] = {1e-5, 1e-4, 1e-3, 1e-2, 5e-2, 2e-1};
  const double period = argc > 1 ? atof(argv[1]) : 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2)
    cw_abort("idle runs on 2 processes", 1);
  cw_region region = NULL;
  void *address[2];
  must(cw_region_create(cw_team_world(), sizeof(int64_t), &region, address));
  const int me = cw_process();
  *(int64_t *)address[me] = 0;
  must(cw_barrier(cw_team_world()));
  if (me == 0) {
    printf(
        "| silence, ms | answer, median, µs | slowest tenth, µs | a silent server, %% of a core |\n"
        "|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof silences / sizeof silences[0]; i++)
      measure_row(silences[i], period, address[1]);
    must(cw_notify(address[1], 1, 1));
  } else {
    while (__atomic_load_n((int64_t *)address[1], __ATOMIC_ACQUIRE) == 0)
      pause_for(0.01);
  }
  must(cw_region_free(cw_team_world(), &region));
  must(cw_finalize());
  return MPI_Finalize();
}
