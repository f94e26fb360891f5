/* Measures whether round trips of several threads of one process overlap. Each thread of process 0
 * fetches and adds at process 1, or gets 8 bytes from it; process 1 sleeps outside MPI. In the
 * limit each thread sends 8 bytes by MPI, and process 1 does nothing but send them back. Prints the
 * operations per second of all threads together, and of a single one. The fastest of several turns
 * counts.
 *
 *   threads [MILLISECONDS [TURNS]]    of one turn (default 200), on 2 processes
 *
 * tests/multinode/hosts.sh mpich 2 1 build/mpich/bench/causeway-threads */
#include "../program.h"

#include <causeway.h>

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 8 };
enum operation { FETCH_ADD, GET, MESSAGE, OPERATIONS };
static const char *const names[OPERATIONS] = {"fetch-and-add", "get of 8 bytes", "MPI's ping-pong"};
static MPI_Comm comm;

struct worker {
  pthread_t thread;
  enum operation operation;
  int64_t *remote;
  int number;
  double period;
  long done;
};

static void round_trip(const struct worker *worker)
{
  int64_t value = 0, back = 0;
  if (worker->operation == FETCH_ADD)
    must(cw_fetch_add_int64(worker->remote, 1, 1, &value));
  else if (worker->operation == GET)
    must(cw_get(&value, worker->remote, sizeof value, 1));
  else
    MPI_Sendrecv(&value, sizeof value, MPI_BYTE, 1, worker->number, &back, sizeof back, MPI_BYTE, 1,
                 worker->number, comm, MPI_STATUS_IGNORE);
}

static void *work(void *argument)
{
  struct worker *worker = argument;
  const double end = seconds(CLOCK_MONOTONIC) + worker->period;
  for (worker->done = 0; seconds(CLOCK_MONOTONIC) < end; worker->done++)
    round_trip(worker);
  return NULL;
}

/* Returns the operations per second of `threads` threads together. */
static double rate_of(int threads, enum operation operation, int64_t *remote, double period)
{
  static struct worker workers[THREADS_MAX];
  long done = 0;
  const double begin = seconds(CLOCK_MONOTONIC);
  for (int i = 0; i < threads; i++) {
    workers[i] = (struct worker){
        .operation = operation, .remote = &remote[8 * i], .number = i, .period = period};
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      cw_abort("no thread", 1);
  }
  for (int i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    done += workers[i].done;
  }
  return (double)done / (seconds(CLOCK_MONOTONIC) - begin);
}

static void measure(enum operation operation, int64_t *remote, double period, int rounds)
{
  double one = 0;
  for (int threads = 1; threads <= THREADS_MAX; threads *= 2) {
    double best = 0;
    for (int round = 0; round < rounds; round++) {
      const double rate = rate_of(threads, operation, remote, period);
      best = rate > best ? rate : best;
    }
    one = threads == 1 ? best : one;
    printf("| %s | %d | %.1f | %.2f |\n", names[operation], threads, best / 1000, best / one);
    fflush(stdout);
  }
}

/* Sends back every message until an empty one arrives. */
static void send_back(void)
{
  for (;;) {
    int64_t value = 0;
    int bytes = 0;
    MPI_Status status;
    MPI_Recv(&value, sizeof value, MPI_BYTE, 0, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes == 0)
      return;
    MPI_Send(&value, sizeof value, MPI_BYTE, 0, status.MPI_TAG, comm);
  }
}

static void measure_all(int64_t *remote, double period, int rounds)
{
  printf("| operation | threads | thousands a second | against one thread |\n|---|---|---|---|\n");
  for (enum operation operation = 0; operation < OPERATIONS; operation++) {
    if (operation == MESSAGE)
      must(cw_notify(remote + 8 * THREADS_MAX, 1, 1));
    measure(operation, remote, period, rounds);
  }
  MPI_Send(NULL, 0, MPI_BYTE, 1, 0, comm);
}

int main(int argc, char **argv)
{
  const double period = 1e-3 * (argc > 1 ? atof(argv[1]) : 200);
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  must(cw_init(MPI_COMM_WORLD));
  if (cw_processes() != 2 || provided < MPI_THREAD_MULTIPLE)
    cw_abort("threads runs on 2 processes, with MPI_THREAD_MULTIPLE", 1);
  comm = cw_team_comm(cw_team_world());
  cw_region region = NULL;
  void *address[2];
  const size_t bytes = sizeof(int64_t[8 * THREADS_MAX + 1]);
  must(cw_region_create(cw_team_world(), bytes, &region, address));
  const int me = cw_process();
  int64_t *stop = (int64_t *)address[me] + 8 * THREADS_MAX;
  *stop = 0;
  must(cw_barrier(cw_team_world()));
  if (me == 0) {
    measure_all(address[1], period, rounds);
  } else {
    while (__atomic_load_n(stop, __ATOMIC_ACQUIRE) == 0)
      nanosleep(&(struct timespec){0, 10000000}, NULL);
    send_back();
  }
  must(cw_region_free(cw_team_world(), &region));
  must(cw_finalize());
  return MPI_Finalize();
}
