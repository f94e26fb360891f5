/* The limit where memory is mapped: handwritten loads and stores. */
#include "side.h"

#include "check.h"

#include <stdint.h>
#include <string.h>

/* Keeps the compiler from merging repetitions: it must assume that this reads all memory. */
static inline void assume_read(void)
{
  __asm__ volatile("" ::: "memory");
}

static void nothing(void) {}

static void no_slices(size_t bytes, char **slices)
{
  (void)bytes;
  slices[0] = slices[1] = NULL;
}

static void untouched(char *mine)
{
  (void)mine;
}

static void put8(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    *(uint64_t *)(void *)work->remote = *(const uint64_t *)(const void *)work->local;
}

static void get8(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    *(uint64_t *)(void *)work->local = *(const uint64_t *)(const void *)work->remote;
}

static void fetch_add(const struct bench_work *work, size_t times)
{
  long *counter = (long *)(void *)work->remote, *before = (long *)(void *)work->local;
  for (size_t i = 0; i < times; i++, assume_read())
    *before = __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static void put(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    memcpy(work->remote, work->local, work->bytes);
}

static void get(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    memcpy(work->local, work->remote, work->bytes);
}

static void add(double *restrict y, double a, const double *restrict x, size_t count)
{
  for (size_t i = 0; i < count; i++)
    y[i] += a * x[i];
}

static void acc(const struct bench_work *work, size_t times)
{
  double *y = (double *)(void *)work->remote;
  for (size_t i = 0; i < times; i++, assume_read())
    add(y, work->scale, work->local, work->bytes / sizeof *y);
}

static void put_rows(const struct bench_work *work, size_t times)
{
  const size_t step = BENCH_STRIDE / sizeof(double);
  double *to = (double *)(void *)work->remote;
  if (work->bytes == sizeof(double)) {
    for (size_t i = 0; i < times; i++, assume_read())
      for (size_t row = 0; row < work->rows; row++)
        to[row * step] = work->local[row];
    return;
  }
  const char *from = (const char *)work->local;
  for (size_t i = 0; i < times; i++, assume_read())
    for (size_t row = 0; row < work->rows; row++)
      memcpy(work->remote + row * BENCH_STRIDE, from + row * work->bytes, work->bytes);
}

static void get_rows(const struct bench_work *work, size_t times)
{
  const size_t step = BENCH_STRIDE / sizeof(double);
  const double *from = (const double *)(const void *)work->remote;
  if (work->bytes == sizeof(double)) {
    for (size_t i = 0; i < times; i++, assume_read())
      for (size_t row = 0; row < work->rows; row++)
        work->local[row] = from[row * step];
    return;
  }
  char *to = (char *)work->local;
  for (size_t i = 0; i < times; i++, assume_read())
    for (size_t row = 0; row < work->rows; row++)
      memcpy(to + row * work->bytes, work->remote + row * BENCH_STRIDE, work->bytes);
}

static void acc_rows(const struct bench_work *work, size_t times)
{
  const size_t step = BENCH_STRIDE / sizeof(double), count = work->bytes / sizeof(double);
  double *y = (double *)(void *)work->remote;
  for (size_t i = 0; i < times; i++, assume_read())
    for (size_t row = 0; row < work->rows; row++)
      add(y + row * step, work->scale, work->local + row * count, count);
}

static void barrier(const struct bench_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++, assume_read())
    bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

/* Runs two barriers. The driver replaces this limit by that of Causeway's own barriers. */
static void create_free(const struct bench_work *work, size_t times)
{
  barrier(work, 2 * times);
}

static __attribute__((noinline)) void empty(int process)
{
  __asm__ volatile("" ::"r"(process));
}

static void fence(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    empty(work->process);
}

static void lock(const struct bench_work *work, size_t times)
{
  int *word = (int *)(void *)work->remote;
  for (size_t i = 0; i < times; i++, assume_read()) {
    while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE) != 0)
      ;
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
  }
}

const struct bench_side bench_limit_memory = {
    .start = nothing,
    .stop = nothing,
    .allocate = no_slices,
    .release = untouched,
    .access = untouched,
    .access_end = untouched,
    .loops = {[BENCH_PUT8] = put8,
              [BENCH_GET8] = get8,
              [BENCH_FETCH_ADD] = fetch_add,
              [BENCH_PUT] = put,
              [BENCH_GET] = get,
              [BENCH_ACC] = acc,
              [BENCH_PUT_ROWS] = put_rows,
              [BENCH_GET_ROWS] = get_rows,
              [BENCH_ACC_ROWS] = acc_rows,
              [BENCH_CREATE_FREE] = create_free,
              [BENCH_BARRIER] = barrier,
              [BENCH_FENCE] = fence,
              [BENCH_LOCK] = lock},
};
