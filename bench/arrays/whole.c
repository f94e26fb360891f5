/* Compares operations on whole arrays and on patches of libcwga and of Debian's Global Arrays, in
 * turns. Global Arrays runs on the ARMCI that this program is linked with: arrays.sh runs it on
 * ours and on Debian's ARMCI-MPI. Prints the lines that arrays.c prints, without a limit.
 *
 *   causeway-whole-<armci> [rounds [seconds of a turn [only operations with this in their name
 *                          [only this extent]]]] */
#include "whole.h"
#include "../samples.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2, MOST_ROUNDS = 99, MOST_OPERATIONS = 99 };

static const struct whole_side *const sides[SIDES] = {&whole_ours, &whole_peer};
static int me, rounds = 5;
static double seconds = 2e-3;

/* Returns the seconds that process 0 takes, on all processes. */
static double time_round(const struct whole_operation *operation, size_t times)
{
  operation->run();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (size_t i = 0; i < times; i++)
    operation->run();
  double elapsed = MPI_Wtime() - start;
  MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return elapsed;
}

/* Returns the number of operations that fill a turn. */
static size_t calibrate(const struct whole_operation *operation)
{
  size_t enough = 0;
  for (size_t times = 1; enough == 0; times *= 8)
    enough = enough_times(times, time_round(operation, times), seconds);
  return enough;
}

/* Stores the medians in nanoseconds. Each round begins with another side. */
static void measure(size_t number, double *medians)
{
  static double samples[SIDES][MOST_ROUNDS];
  size_t times[SIDES];
  for (int s = 0; s < SIDES; s++)
    times[s] = calibrate(&sides[s]->operations[number]);
  for (int round = 0; round < rounds; round++)
    for (int i = 0; i < SIDES; i++) {
      const int s = (round + i) % SIDES;
      samples[s][round] =
          1e9 * time_round(&sides[s]->operations[number], times[s]) / (double)times[s];
    }
  for (int s = 0; s < SIDES; s++)
    medians[s] = median_of(samples[s], (size_t)rounds);
}

/* Compares the results of both sides. If they differ and the right result is known, `good` says
 * which side has it. */
static void compare(size_t number, bool good[SIDES])
{
  const struct whole_operation *operation = &sides[0]->operations[number];
  double samples[SIDES][WHOLE_SAMPLES] = {{0}};
  bool all = true;
  for (int s = 0; s < SIDES; s++) {
    sides[s]->operations[number].run();
    sides[s]->sample(samples[s]);
  }
  for (int i = 0; i < WHOLE_SAMPLES && strcmp(operation->name, "GA_Randomize") != 0; i++)
    all = all && fabs(samples[0][i] - samples[1][i]) <= 1e-12 * fabs(samples[1][i]);
  for (int s = 0; s < SIDES; s++)
    good[s] = all || (operation->result > 0 &&
                      fabs(samples[s][WHOLE_SAMPLES - 1] - operation->result) <= 0);
}

static void extent(int n, const char *only)
{
  for (int s = 0; s < SIDES; s++)
    sides[s]->make(n);
  bool good[MOST_OPERATIONS][SIDES] = {{false}};
  /* Run every operation once before any of them is repeated as often as its side's speed allows. */
  for (size_t i = 0; sides[0]->operations[i].name != NULL; i++)
    compare(i, good[i]);
  for (size_t i = 0; sides[0]->operations[i].name != NULL; i++) {
    const char *name = sides[0]->operations[i].name;
    double medians[SIDES];
    if (strstr(name, only) == NULL)
      continue;
    measure(i, medians);
    if (me == 0) {
      printf("%s;%d x %d;0;%.2f;%.2f;1%d%d;0;0\n", name, n, n, medians[0], medians[1], good[i][0],
             good[i][1]);
      fflush(stdout);
    }
  }
  for (int s = 0; s < SIDES; s++)
    sides[s]->destroy();
}

int main(int argc, char **argv)
{
  static const int extents[] = {16, 256, 2048};
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  rounds = argc > 1 ? atoi(argv[1]) : rounds;
  seconds = argc > 2 ? atof(argv[2]) : seconds;
  if (rounds < 1 || rounds > MOST_ROUNDS || !(seconds > 0)) {
    fprintf(stderr, "causeway-whole: 1 to %d rounds, turns of some time\n", MOST_ROUNDS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  sides[0]->start();
  /* Two Causeway runtimes share this process: the second needs another address for its zone. */
  setenv("CW_ZONE_ADDRESS", "0x300000000000", 1);
  sides[1]->start();
  for (size_t i = 0; i < sizeof extents / sizeof extents[0]; i++)
    if (argc <= 4 || atoi(argv[4]) == extents[i])
      extent(extents[i], argc > 3 ? argv[3] : "");
  for (int s = SIDES - 1; s >= 0; s--)
    sides[s]->stop();
  return MPI_Finalize();
}
