/* Compares collective calls with MPI's: the same bytes between the same processes, in turns. The
 * results of each call are compared once, before anything is timed. Prints the medians, and how
 * many times as fast as MPI's call ours is.
 *
 *   collectives [MILLISECONDS [TURNS]]    of one turn (default 10, and 15 turns)
 *
 * mpiexec -n 2 build/mpich/bench/causeway-collectives */
#include "../program.h"
#include "../samples.h"

#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MAX = 99 };

/* Buffers of a call. bytes: length of all that is broadcast or reduced, or of one piece. */
struct data {
  size_t bytes;
  int processes, me;
  char *mine, *all; /* [processes * bytes] */
  size_t *sizes;    /* lengths of the pieces, for calls with a length for each */
  int *counts, *places;
};

struct collective {
  const char *name;
  void (*ours)(const struct data *data);
  void (*mpi)(const struct data *data);
  bool sized; /* depends on a number of bytes */
};

static int doubles(const struct data *data)
{
  return (int)(data->bytes / sizeof(double));
}

static void our_barrier(const struct data *data)
{
  (void)data;
  must(cw_barrier(cw_team_world()));
}

static void mpi_barrier(const struct data *data)
{
  (void)data;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void our_ibarrier(const struct data *data)
{
  (void)data;
  cw_handle handle = {0};
  must(cw_ibarrier(cw_team_world(), &handle));
  must(cw_wait(&handle));
}

static void mpi_ibarrier(const struct data *data)
{
  (void)data;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void our_broadcast(const struct data *data)
{
  must(cw_broadcast(cw_team_world(), 0, data->all, data->bytes));
}

static void mpi_broadcast(const struct data *data)
{
  MPI_Bcast(data->all, (int)data->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void our_allreduce(const struct data *data)
{
  must(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, (size_t)doubles(data), data->all));
}

static void mpi_allreduce(const struct data *data)
{
  MPI_Allreduce(MPI_IN_PLACE, data->all, doubles(data), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void our_iallreduce(const struct data *data)
{
  cw_handle handle = {0};
  must(cw_iallreduce(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, (size_t)doubles(data), data->all,
                     &handle));
  must(cw_wait(&handle));
}

static void mpi_iallreduce(const struct data *data)
{
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, data->all, doubles(data), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void our_scan(const struct data *data)
{
  must(cw_scan(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, (size_t)doubles(data), data->all));
}

static void mpi_scan(const struct data *data)
{
  MPI_Scan(MPI_IN_PLACE, data->all, doubles(data), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void our_gather(const struct data *data)
{
  must(cw_gather(cw_team_world(), 0, data->mine, data->bytes, data->all));
}

static void mpi_gather(const struct data *data)
{
  const int bytes = (int)data->bytes;
  MPI_Gather(data->mine, bytes, MPI_BYTE, data->all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void our_gatherv(const struct data *data)
{
  must(cw_gatherv(cw_team_world(), 0, data->mine, data->bytes, data->all, data->sizes, NULL));
}

static void mpi_gatherv(const struct data *data)
{
  MPI_Gatherv(data->mine, (int)data->bytes, MPI_BYTE, data->all, data->counts, data->places,
              MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void our_allgather(const struct data *data)
{
  must(cw_allgather(cw_team_world(), data->mine, data->bytes, data->all));
}

static void mpi_allgather(const struct data *data)
{
  const int bytes = (int)data->bytes;
  MPI_Allgather(data->mine, bytes, MPI_BYTE, data->all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void our_allgatherv(const struct data *data)
{
  must(cw_allgatherv(cw_team_world(), data->mine, data->bytes, data->all, data->sizes, NULL));
}

static void mpi_allgatherv(const struct data *data)
{
  MPI_Allgatherv(data->mine, (int)data->bytes, MPI_BYTE, data->all, data->counts, data->places,
                 MPI_BYTE, MPI_COMM_WORLD);
}

static void our_scatter(const struct data *data)
{
  must(cw_scatter(cw_team_world(), 0, data->mine, data->bytes, data->all));
}

static void mpi_scatter(const struct data *data)
{
  const int bytes = (int)data->bytes;
  MPI_Scatter(data->mine, bytes, MPI_BYTE, data->all, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void our_scatterv(const struct data *data)
{
  must(cw_scatterv(cw_team_world(), 0, data->mine, data->sizes, NULL, data->all, data->bytes));
}

static void mpi_scatterv(const struct data *data)
{
  MPI_Scatterv(data->mine, data->counts, data->places, MPI_BYTE, data->all, (int)data->bytes,
               MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void our_alltoall(const struct data *data)
{
  must(cw_alltoall(cw_team_world(), data->mine, data->bytes, data->all));
}

static void mpi_alltoall(const struct data *data)
{
  const int bytes = (int)data->bytes;
  MPI_Alltoall(data->mine, bytes, MPI_BYTE, data->all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void our_ialltoall(const struct data *data)
{
  cw_handle handle = {0};
  must(cw_ialltoall(cw_team_world(), data->mine, data->bytes, data->all, &handle));
  must(cw_wait(&handle));
}

static void mpi_ialltoall(const struct data *data)
{
  const int bytes = (int)data->bytes;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(data->mine, bytes, MPI_BYTE, data->all, bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void our_alltoallv(const struct data *data)
{
  must(cw_alltoallv(cw_team_world(), data->mine, data->sizes, NULL, data->all, data->sizes, NULL));
}

static void mpi_alltoallv(const struct data *data)
{
  MPI_Alltoallv(data->mine, data->counts, data->places, MPI_BYTE, data->all, data->counts,
                data->places, MPI_BYTE, MPI_COMM_WORLD);
}

static const struct collective collectives[] = {
    {"barrier", our_barrier, mpi_barrier, false},
    {"ibarrier", our_ibarrier, mpi_ibarrier, false},
    {"broadcast", our_broadcast, mpi_broadcast, true},
    {"allreduce", our_allreduce, mpi_allreduce, true},
    {"iallreduce", our_iallreduce, mpi_iallreduce, true},
    {"scan", our_scan, mpi_scan, true},
    {"gather", our_gather, mpi_gather, true},
    {"gatherv", our_gatherv, mpi_gatherv, true},
    {"allgather", our_allgather, mpi_allgather, true},
    {"allgatherv", our_allgatherv, mpi_allgatherv, true},
    {"scatter", our_scatter, mpi_scatter, true},
    {"scatterv", our_scatterv, mpi_scatterv, true},
    {"alltoall", our_alltoall, mpi_alltoall, true},
    {"alltoallv", our_alltoallv, mpi_alltoallv, true},
    {"ialltoall", our_ialltoall, mpi_ialltoall, true},
};

/* --- Verification ----------------------------------------------------------------------------- */

static void fill(const struct data *data)
{
  const size_t words = (size_t)data->processes * data->bytes / sizeof(double);
  for (size_t i = 0; i < words; i++) {
    const double mine = (double)(data->me + 1) * (double)(i % 100);
    memcpy(data->mine + i * sizeof mine, &mine, sizeof mine);
    memcpy(data->all + i * sizeof mine, &mine, sizeof mine);
  }
}

static void compare(const struct collective *one, const struct data *data)
{
  const size_t bytes = (size_t)data->processes * data->bytes;
  char *ours = malloc(bytes + 1);
  if (ours == NULL) {
    cw_abort("no memory", 1);
    return;
  }
  fill(data);
  one->ours(data);
  memcpy(ours, data->all, bytes);
  fill(data);
  one->mpi(data);
  if (memcmp(ours, data->all, bytes) != 0)
    cw_abort(one->name, 1);
  free(ours);
}

/* --- Times ------------------------------------------------------------------------------------ */

/* Returns the seconds of one call on process 0. */
static double time_round(void (*call)(const struct data *data), const struct data *data,
                         size_t times)
{
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = seconds(CLOCK_MONOTONIC);
  for (size_t i = 0; i < times; i++)
    call(data);
  return (seconds(CLOCK_MONOTONIC) - begin) / (double)times;
}

/* Returns the number of repetitions that fill a turn. */
static size_t repetitions(void (*call)(const struct data *data), const struct data *data,
                          double period)
{
  unsigned long times = 1;
  for (size_t enough = 0; enough == 0;) {
    const double elapsed = time_round(call, data, times) * (double)times;
    enough = enough_times(times, elapsed, period);
    times = enough > 0 ? enough : times * 4;
    unsigned long word[2] = {times, enough};
    MPI_Bcast(word, 2, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    times = word[0];
    enough = word[1];
  }
  return times;
}

static void measure(const struct collective *one, const struct data *data, double period,
                    int rounds)
{
  double ours[ROUNDS_MAX], mpi[ROUNDS_MAX];
  compare(one, data);
  const size_t our_times = repetitions(one->ours, data, period);
  const size_t mpi_times = repetitions(one->mpi, data, period);
  for (int i = 0; i < rounds; i++) {
    ours[i] = time_round(one->ours, data, our_times);
    mpi[i] = time_round(one->mpi, data, mpi_times);
  }
  const double our_median = median_of(ours, (size_t)rounds), its = median_of(mpi, (size_t)rounds);
  if (data->me != 0)
    return;
  if (one->sized)
    printf("| %s | %zu | %.2f | %.2f | %.2f |\n", one->name, data->bytes, 1e6 * our_median,
           1e6 * its, its / our_median);
  else
    printf("| %s | | %.2f | %.2f | %.2f |\n", one->name, 1e6 * our_median, 1e6 * its,
           its / our_median);
  fflush(stdout);
}

static void measure_sizes(const struct collective *one, struct data *data, double period,
                          int rounds)
{
  static const size_t sizes[] = {8, 1 << 10, 1 << 16, 1 << 20};
  for (size_t i = 0; i < (one->sized ? sizeof sizes / sizeof sizes[0] : 1); i++) {
    data->bytes = sizes[i];
    for (int process = 0; process < data->processes; process++) {
      data->sizes[process] = sizes[i];
      data->counts[process] = (int)sizes[i];
      data->places[process] = (int)sizes[i] * process;
    }
    measure(one, data, period, rounds);
  }
}

int main(int argc, char **argv)
{
  const double period = 1e-3 * (argc > 1 ? atof(argv[1]) : 10);
  const int requested = argc > 2 ? atoi(argv[2]) : 15,
            rounds = requested < ROUNDS_MAX ? requested : ROUNDS_MAX;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  const size_t count = (size_t)cw_processes();
  struct data data = {.processes = cw_processes(),
                      .me = cw_process(),
                      .mine = malloc(count << 20),
                      .all = malloc(count << 20),
                      .sizes = calloc(count, sizeof *data.sizes),
                      .counts = calloc(count, sizeof *data.counts),
                      .places = calloc(count, sizeof *data.places)};
  if (data.mine == NULL || data.all == NULL || data.sizes == NULL || data.counts == NULL ||
      data.places == NULL || rounds < 1) {
    cw_abort("collectives: no memory, or no turns", 1);
    exit(1);
  }
  if (data.me == 0)
    printf("| call, %d processes | bytes | Causeway (us) | MPI (us) | MPI / Causeway |\n"
           "|---|---|---|---|---|\n",
           data.processes);
  for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++)
    measure_sizes(&collectives[i], &data, period, rounds);
  must(cw_finalize());
  free(data.mine);
  free(data.all);
  free(data.sizes);
  free(data.counts);
  free(data.places);
  return MPI_Finalize();
}
