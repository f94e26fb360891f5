/* The limit where a server answers for the processes of its node: MPI's messages on MPI_COMM_WORLD.
 * Operations that are completed one by one, and gets below 64 KiB, are round trips. All others are
 * a stream of MPI_Send into the receiver's buffer, with one message back. The receiver of an
 * accumulate adds nothing: the limit is that of moving the bytes. */
#include "side.h"

#include "check.h"

static char *my_memory;
static double word; /* contents of messages that carry no data */

enum {
  TAG = 77,
  STREAM_FROM = 65536 /* STREAM_FROM: bytes of a get from which on it is a stream */
};

static void start(void) {}

static void stop(void) {}

static void allocate(size_t bytes, char **slices)
{
  bench_check(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &my_memory), "MPI_Alloc_mem");
  slices[0] = slices[1] = my_memory; /* each process sends and receives its own */
}

static void release(char *mine)
{
  bench_check(MPI_Free_mem(mine), "MPI_Free_mem");
}

static void untouched(char *mine)
{
  (void)mine;
}

static bool am_target(const struct bench_work *work)
{
  int me = 0;
  bench_check(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
  return me == work->process;
}

static void send_to(const void *data, size_t bytes, int process)
{
  bench_check(MPI_Send(data, (int)bytes, MPI_BYTE, process, TAG, MPI_COMM_WORLD), "MPI_Send");
}

static void receive_from(void *data, size_t bytes, int process)
{
  bench_check(MPI_Recv(data, (int)bytes, MPI_BYTE, process, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              "MPI_Recv");
}

/* Sends `out` bytes of `from` and receives `in` bytes into `to`, `times` times. */
static void round_trips(const struct bench_work *work, const void *from, size_t out, void *to,
                        size_t in, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    send_to(from, out, work->process);
    receive_from(to, in, work->process);
  }
}

static void answer(void *to, size_t in, const void *from, size_t out, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    receive_from(to, in, 0);
    send_to(from, out, 0);
  }
}

static void stream_out(const void *from, size_t bytes, int process, size_t times)
{
  for (size_t i = 0; i < times; i++)
    send_to(from, bytes, process);
  receive_from(&word, sizeof word, process);
}

static void stream_in(void *to, size_t bytes, int process, size_t times)
{
  for (size_t i = 0; i < times; i++)
    receive_from(to, bytes, process);
  send_to(&word, sizeof word, process);
}

static void write_to(const struct bench_work *work, size_t times)
{
  const size_t bytes = work->bytes * work->rows;
  if (am_target(work) && work->fence)
    answer(my_memory, bytes, &word, sizeof word, times);
  else if (am_target(work))
    stream_in(my_memory, bytes, 0, times);
  else if (work->fence)
    round_trips(work, work->local, bytes, &word, sizeof word, times);
  else
    stream_out(work->local, bytes, work->process, times);
}

/* Gets data by round trips, because a reader can request the next only when it has the last. */
static void request_data(const struct bench_work *work, size_t times)
{
  const size_t bytes = work->bytes * work->rows;
  if (am_target(work))
    answer(&word, sizeof word, my_memory, bytes, times);
  else
    round_trips(work, &word, sizeof word, work->local, bytes, times);
}

static void read_from(const struct bench_work *work, size_t times)
{
  if (work->bytes * work->rows < STREAM_FROM)
    request_data(work, times);
  else if (am_target(work))
    stream_out(my_memory, work->bytes * work->rows, 0, times);
  else
    stream_in(work->local, work->bytes * work->rows, work->process, times);
}

/* Sends one message to take the lock and one to release it. */
static void lock(const struct bench_work *work, size_t times)
{
  if (am_target(work))
    answer(&word, sizeof word, &word, sizeof word, 2 * times);
  else
    round_trips(work, &word, sizeof word, &word, sizeof word, 2 * times);
}

static void barrier(const struct bench_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

/* Describes the same bytes as one contiguous piece, which is put in place of an accumulate. */
static struct bench_work does(const struct bench_work *work)
{
  static const enum bench_operation moves[BENCH_OPERATIONS] = {
      [BENCH_PUT8] = BENCH_PUT,        [BENCH_GET8] = BENCH_GET,     [BENCH_FETCH_ADD] = BENCH_GET,
      [BENCH_PUT] = BENCH_PUT,         [BENCH_GET] = BENCH_GET,      [BENCH_ACC] = BENCH_PUT,
      [BENCH_PUT_ROWS] = BENCH_PUT,    [BENCH_GET_ROWS] = BENCH_GET, [BENCH_ACC_ROWS] = BENCH_PUT,
      [BENCH_BARRIER] = BENCH_BARRIER, [BENCH_LOCK] = BENCH_LOCK};
  struct bench_work moved = *work;
  moved.operation = moves[work->operation];
  moved.bytes = work->bytes * work->rows;
  moved.rows = 1;
  return moved;
}

const struct bench_side bench_limit_messages = {
    .start = start,
    .stop = stop,
    .allocate = allocate,
    .release = release,
    .access = untouched,
    .access_end = untouched,
    .does = does,
    .takes_part = true,
    .loops = {[BENCH_PUT8] = write_to,
              [BENCH_GET8] = request_data,
              [BENCH_FETCH_ADD] = request_data,
              [BENCH_PUT] = write_to,
              [BENCH_GET] = read_from,
              [BENCH_ACC] = write_to,
              [BENCH_PUT_ROWS] = write_to,
              [BENCH_GET_ROWS] = read_from,
              [BENCH_ACC_ROWS] = write_to,
              [BENCH_BARRIER] = barrier,
              [BENCH_LOCK] = lock},
};
