/* Times of the ways between a program and a device's proxy alone, for vocl/bench/vocl_bench.c:
 *
 *   mpiexec -n 2 causeway-vocl-limit ROUNDS
 *
 * Prints seconds, medians of turns: "futex" of a round trip between two processes that sleep until
 * they are woken; "ping-pong" of MPI with 8 bytes; "stream BYTES" of one MPI_Send of BYTES bytes
 * among many in a row. */
#include "../../bench/samples.h"

#include <linux/futex.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 999, FUTEX_TRIPS = 200, TRIPS = 500, TAG = 7 };
enum { SHORTEST = 1 << 10, LONGEST = 256 << 20, ROUND_BYTES = 64 << 20, MOST_TIMES = 4096 };

static int me;
static char *memory;
static uint32_t *words; /* each process sleeps on its own */

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void wake_other(void)
{
  __atomic_fetch_add(&words[1 - me], 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &words[1 - me], FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void sleep_for(uint32_t value)
{
  for (uint32_t seen; (seen = __atomic_load_n(&words[me], __ATOMIC_SEQ_CST)) != value;)
    syscall(SYS_futex, &words[me], FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void futex_round(size_t bytes, size_t times)
{
  static uint32_t trips;
  (void)bytes;
  for (size_t i = 0; i < times; i++) {
    if (me == 0)
      wake_other();
    sleep_for(++trips);
    if (me == 1)
      wake_other();
  }
}

static void send_to_other(size_t bytes)
{
  MPI_Send(memory, (int)bytes, MPI_BYTE, 1 - me, TAG, MPI_COMM_WORLD);
}

static void receive_from_other(size_t bytes)
{
  MPI_Recv(memory, (int)bytes, MPI_BYTE, 1 - me, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void trip_round(size_t bytes, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    if (me == 0)
      send_to_other(bytes);
    receive_from_other(bytes);
    if (me == 1)
      send_to_other(bytes);
  }
}

/* Sends `times` messages of `bytes` bytes. All have arrived when the other process has replied. */
static void stream_round(size_t bytes, size_t times)
{
  for (size_t i = 0; i < times; i++)
    me == 0 ? send_to_other(bytes) : receive_from_other(bytes);
  me == 0 ? receive_from_other(1) : send_to_other(1);
}

static void measure(const char *name, void (*run_round)(size_t bytes, size_t times), size_t bytes,
                    size_t times, int rounds)
{
  static double samples[MOST_ROUNDS];
  for (int round = -1; round < rounds; round++) { /* the first one does not count */
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    run_round(bytes, times);
    samples[round > 0 ? round : 0] = (now() - begin) / (double)times;
  }
  if (me == 0)
    printf("%s %.9f\n", name, median_of(samples, (size_t)rounds));
}

/* Creates a page that both processes share. */
static void share_words(void)
{
  MPI_Win window = MPI_WIN_NULL;
  MPI_Aint bytes = 0;
  int unit = 0;
  void *mine = NULL;
  MPI_Win_allocate_shared(me == 0 ? 4096 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &words);
}

int main(int argc, char **argv)
{
  const int rounds = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  memory = calloc(1, LONGEST);
  if (rounds < 1 || rounds > MOST_ROUNDS || memory == NULL) {
    fprintf(stderr, "usage: mpiexec -n 2 causeway-vocl-limit ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  share_words();
  measure("futex", futex_round, 0, FUTEX_TRIPS, rounds);
  measure("ping-pong", trip_round, 8, TRIPS, rounds);
  for (size_t bytes = SHORTEST; bytes <= LONGEST; bytes *= 4) {
    char name[32];
    const size_t times = ROUND_BYTES / bytes;
    snprintf(name, sizeof name, "stream %zu", bytes);
    measure(name, stream_round, bytes,
            times < 1            ? 1
            : times < MOST_TIMES ? times
                                 : MOST_TIMES,
            rounds);
  }
  free(memory);
  MPI_Finalize();
  return 0;
}
