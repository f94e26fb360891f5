/* Measures many blocking updates to one process of another node, as chemistry programs make them:
 * updates per second, bytes per second, and the fraction of the rate of an MPI_Send stream with the
 * same bytes in packet-sized messages. Also measures operations that must not suffer from delayed
 * messages: put and fence, get, and the time until the last of a row of puts arrives while its
 * process computes.
 *
 *   updates [MILLIONS_OF_BYTES [MOST_UPDATES [ROUNDS]]]    two processes on two nodes
 *
 * tests/multinode/hosts.sh mpich 2 1 build/mpich/bench/causeway-updates */
#include "../program.h"
#include "../samples.h"

#include <causeway.h>

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { PACKET = 16384, MOST_ROUNDS = 99, TAG = 7, ROW = 20, LATE = 1000 };

/* --- Counted MPI calls ------------------------------------------------------------------------ */

static unsigned long polls, sends;

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
  return PMPI_Test(request, flag, status);
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
{
  __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
  return PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
  __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
  return PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  __atomic_fetch_add(&sends, 1, __ATOMIC_RELAXED);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  __atomic_fetch_add(&sends, 1, __ATOMIC_RELAXED);
  return PMPI_Send(data, count, type, to, tag, comm);
}

/* --- Measurements ----------------------------------------------------------------------------- */

static cw_region region;
static void *slices[2];
static MPI_Comm comm;
static double from[PACKET];

static bool am_target(void)
{
  return cw_process() == 1;
}

/* Returns the CPU seconds of all threads of this process. */
static double cpu_seconds(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Returns the seconds of `count` accumulates and a fence. */
static double accumulate(size_t bytes, long count)
{
  const double one = 1;
  must(cw_barrier(cw_team_world()));
  const double begin = MPI_Wtime();
  if (!am_target()) {
    for (long i = 0; i < count; i++)
      must(cw_accumulate(CW_DOUBLE, &one, from, slices[1], bytes, 1));
    must(cw_fence(1));
  }
  const double seconds = MPI_Wtime() - begin;
  must(cw_barrier(cw_team_world()));
  return seconds;
}

static double stream(size_t bytes)
{
  double word = 0;
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (size_t sent = 0; sent < bytes; sent += PACKET)
    if (am_target())
      MPI_Recv(from, PACKET, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
    else
      MPI_Send(from, PACKET, MPI_BYTE, 1, TAG, comm);
  if (am_target())
    MPI_Send(&word, sizeof word, MPI_BYTE, 0, TAG, comm);
  else
    MPI_Recv(&word, sizeof word, MPI_BYTE, 1, TAG, comm, MPI_STATUS_IGNORE);
  return MPI_Wtime() - begin;
}

static void measure_size(size_t bytes, double all, long most, int rounds)
{
  double ours[MOST_ROUNDS], limit[MOST_ROUNDS], ratio[MOST_ROUNDS];
  const long count = all / (double)bytes < (double)most ? (long)(all / (double)bytes) : most;
  double mine[4] = {0}, sum[4] = {0}; /* polls, sends, CPU seconds: ours, the stream's */
  accumulate(bytes, count / 10 + 1);
  stream(all > 4e6 ? (size_t)4e6 : (size_t)all);
  for (int round = 0; round < rounds; round++) {
    const double before[] = {(double)polls, (double)sends, cpu_seconds()};
    ours[round] = (double)count / accumulate(bytes, count);
    const double between = cpu_seconds();
    mine[0] += (double)polls - before[0];
    mine[1] += (double)sends - before[1];
    mine[2] += between - before[2];
    limit[round] = all / stream((size_t)all);
    mine[3] += cpu_seconds() - between;
    ratio[round] = ours[round] * (double)bytes / limit[round];
  }
  MPI_Reduce(mine, sum, 4, MPI_DOUBLE, MPI_SUM, 0, comm);
  const double updates = (double)count * rounds;
  if (!am_target())
    printf("| %6zu | %10.0f | %7.1f | %7.1f | %5.2f | %6.3f | %6.3f | %6.1f | %6.1f |\n", bytes,
           median_of(ours, (size_t)rounds), median_of(ours, (size_t)rounds) * (double)bytes * 1e-6,
           median_of(limit, (size_t)rounds) * 1e-6, median_of(ratio, (size_t)rounds),
           sum[1] / updates, sum[0] / updates, 1e6 * sum[2] / (updates * (double)bytes / PACKET),
           1e6 * sum[3] / (all * rounds / PACKET));
  fflush(stdout);
}

/* Prints the microseconds of put and fence, of get, and of an exchange of MPI messages. */
static void measure_latencies(void)
{
  double times[3][LATE];
  char *there = slices[1], word[8];
  MPI_Barrier(comm);
  for (int i = 0; i < LATE; i++) {
    const double begin = MPI_Wtime();
    if (am_target()) {
      MPI_Recv(word, 8, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
      MPI_Send(word, 8, MPI_BYTE, 0, TAG, comm);
    } else {
      MPI_Send(word, 8, MPI_BYTE, 1, TAG, comm);
      MPI_Recv(word, 8, MPI_BYTE, 1, TAG, comm, MPI_STATUS_IGNORE);
    }
    times[0][i] = MPI_Wtime() - begin;
  }
  MPI_Barrier(comm);
  for (int i = 0; i < LATE && !am_target(); i++) {
    double begin = MPI_Wtime();
    must(cw_put(word, there, 8, 1));
    must(cw_fence(1));
    times[1][i] = MPI_Wtime() - begin;
  }
  for (int i = 0; i < LATE && !am_target(); i++) {
    double begin = MPI_Wtime();
    must(cw_get(word, there, 8, 1));
    times[2][i] = MPI_Wtime() - begin;
  }
  must(cw_barrier(cw_team_world()));
  if (!am_target())
    printf("ping-pong %.1f us, put and fence %.1f, get %.1f\n", 1e6 * median_of(times[0], LATE),
           1e6 * median_of(times[1], LATE), 1e6 * median_of(times[2], LATE));
}

static void compute(double seconds)
{
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end)
    continue;
}

/* Prints the microseconds from the return of the last put of a row to its arrival, while both
 * processes compute. The target polls its own memory between short sleeps and calls no library,
 * which leaves the servers a core. Both read the same system clock; MPI_Wtime need not be common to
 * processes. */
static void measure_arrival(int row)
{
  enum { TRIES = 200 };
  double at[TRIES], left[TRIES];
  const struct timespec nap = {.tv_nsec = 5000};
  const long *flag = slices[1];
  for (int i = 0; i < TRIES; i++) {
    must(cw_barrier(cw_team_world()));
    if (am_target()) {
      const long last = (long)(i + 1) * 1000 + row;
      while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != last)
        nanosleep(&nap, NULL);
      at[i] = seconds(CLOCK_MONOTONIC);
      MPI_Send(&at[i], 1, MPI_DOUBLE, 0, TAG, comm);
    } else {
      compute(3e-3);
      for (long k = 1; k <= row; k++) {
        const long value = (long)(i + 1) * 1000 + k;
        must(cw_put(&value, slices[1], sizeof value, 1));
      }
      left[i] = seconds(CLOCK_MONOTONIC);
      compute(2e-3);
      MPI_Recv(&at[i], 1, MPI_DOUBLE, 1, TAG, comm, MPI_STATUS_IGNORE);
      at[i] -= left[i];
    }
  }
  if (!am_target()) {
    const double middle = median_of(at, TRIES);
    printf(
        "the last of %d puts arrives %.0f us after it returned (a quarter within %.0f, nine in ten "
        "within %.0f)\n",
        row, 1e6 * middle, 1e6 * at[TRIES / 4], 1e6 * at[TRIES * 9 / 10]);
  }
}

int main(int argc, char **argv)
{
  static const size_t sizes[] = {8, 64, 256, 1024, 1304, 2048, 4096, 8192};
  const double all = (argc > 1 ? atof(argv[1]) : 100) * 1e6;
  const long most = argc > 2 ? atol(argv[2]) : 1000000;
  const int rounds = argc > 3 && atoi(argv[3]) < MOST_ROUNDS ? atoi(argv[3]) : 5;
  int provided = 0;
  prctl(PR_SET_TIMERSLACK, 1000UL); /* precise sleeps of some microseconds */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2 || cw_nodes() != 2)
    cw_abort("updates: for two processes on two nodes", 2);
  comm = cw_team_comm(cw_team_world());
  must(cw_region_create(cw_team_world(), sizeof from, &region, slices));
  memset(slices[cw_process()], 0, sizeof from);
  if (!am_target())
    printf("| bytes | updates/s | MB/s | MPI_Send, MB/s | ratio | sends, each | polls, each | CPU "
           "us, 16 KiB "
           "| of MPI_Send |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && rounds > 0; i++)
    measure_size(sizes[i], all, most, rounds);
  measure_latencies();
  measure_arrival(1);
  measure_arrival(ROW);
  must(cw_region_free(cw_team_world(), &region));
  must(cw_finalize());
  MPI_Finalize();
  return 0;
}
