/* The limit where no memory is mapped: MPI's one-sided operations on one window, with datatypes
 * that exist before the clock starts. Rows of accumulates are issued one by one with one
 * completion, because Open MPI 4.1's accumulate is wrong for derived datatypes
 * (open-mpi/ompi#6275). */
#include "side.h"

#include "check.h"

#include <stdlib.h>

static MPI_Win window = MPI_WIN_NULL;
static char *window_base; /* start of the target's slice, where displacements are zero */
static char *my_memory;
static double *scaled; /* buffer for scaled source data of accumulates: MPI does not scale */

static const long one = 1;
static const int held = 1, is_free = 0;

static MPI_Aint at(const struct bench_work *work)
{
  return (MPI_Aint)(work->remote - window_base);
}

static void start(void) {}

static void stop(void) {}

static void allocate(size_t bytes, char **slices)
{
  bench_check(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &my_memory), "MPI_Alloc_mem");
  bench_check(MPI_Win_create(my_memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window),
              "MPI_Win_create");
  bench_check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
  /* Both processes use their own slice's address for both slices: only differences reach MPI. */
  slices[0] = slices[1] = window_base = my_memory;
  scaled = malloc(bytes);
  if (scaled == NULL)
    bench_fail("no memory for %zu bytes", bytes);
}

static void release(char *mine)
{
  bench_check(MPI_Win_unlock_all(window), "MPI_Win_unlock_all");
  bench_check(MPI_Win_free(&window), "MPI_Win_free");
  bench_check(MPI_Free_mem(mine), "MPI_Free_mem");
  free(scaled);
}

static void synchronise(char *mine)
{
  (void)mine;
  bench_check(MPI_Win_sync(window), "MPI_Win_sync");
}

static void flush(const struct bench_work *work)
{
  bench_check(MPI_Win_flush(work->process, window), "MPI_Win_flush");
}

/* Completes the operation of one iteration: at the target if work->fence is set, otherwise locally.
 * */
static void complete(const struct bench_work *work)
{
  if (work->fence)
    flush(work);
  else
    bench_check(MPI_Win_flush_local(work->process, window), "MPI_Win_flush_local");
}

static void put(const struct bench_work *work, size_t times)
{
  const int bytes = (int)work->bytes;
  for (size_t i = 0; i < times; i++) {
    bench_check(
        MPI_Put(work->local, bytes, MPI_BYTE, work->process, at(work), bytes, MPI_BYTE, window),
        "MPI_Put");
    complete(work);
  }
  flush(work);
}

static void get(const struct bench_work *work, size_t times)
{
  const int bytes = (int)work->bytes;
  for (size_t i = 0; i < times; i++) {
    bench_check(
        MPI_Get(work->local, bytes, MPI_BYTE, work->process, at(work), bytes, MPI_BYTE, window),
        "MPI_Get");
    flush(work);
  }
}

static void fetch_add(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    bench_check(
        MPI_Fetch_and_op(&one, work->local, MPI_LONG, work->process, at(work), MPI_SUM, window),
        "MPI_Fetch_and_op");
    flush(work);
  }
}

static const double *scale(const struct bench_work *work, size_t count)
{
  if (work->scale == 1)
    return work->local;
  for (size_t i = 0; i < count; i++)
    scaled[i] = work->scale * work->local[i];
  return scaled;
}

/* Accumulates rows of `run` doubles. */
static void acc_runs(const struct bench_work *work, size_t run, size_t rows, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    const double *from = scale(work, run * rows);
    for (size_t row = 0; row < rows; row++)
      bench_check(MPI_Accumulate(from + row * run, (int)run, MPI_DOUBLE, work->process,
                                 at(work) + (MPI_Aint)row * BENCH_STRIDE, (int)run, MPI_DOUBLE,
                                 MPI_SUM, window),
                  "MPI_Accumulate");
    complete(work);
  }
  flush(work);
}

static void acc(const struct bench_work *work, size_t times)
{
  acc_runs(work, work->bytes / sizeof(double), 1, times);
}

static void acc_rows(const struct bench_work *work, size_t times)
{
  acc_runs(work, work->bytes / sizeof(double), work->rows, times);
}

static MPI_Datatype rows_of(const struct bench_work *work)
{
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  bench_check(
      MPI_Type_create_hvector((int)work->rows, (int)work->bytes, BENCH_STRIDE, MPI_BYTE, &rows),
      "MPI_Type_create_hvector");
  bench_check(MPI_Type_commit(&rows), "MPI_Type_commit");
  return rows;
}

static void put_rows(const struct bench_work *work, size_t times)
{
  MPI_Datatype rows = rows_of(work);
  for (size_t i = 0; i < times; i++) {
    bench_check(MPI_Put(work->local, (int)(work->rows * work->bytes), MPI_BYTE, work->process,
                        at(work), 1, rows, window),
                "MPI_Put");
    complete(work);
  }
  flush(work);
  bench_check(MPI_Type_free(&rows), "MPI_Type_free");
}

static void get_rows(const struct bench_work *work, size_t times)
{
  MPI_Datatype rows = rows_of(work);
  for (size_t i = 0; i < times; i++) {
    bench_check(MPI_Get(work->local, (int)(work->rows * work->bytes), MPI_BYTE, work->process,
                        at(work), 1, rows, window),
                "MPI_Get");
    flush(work);
  }
  bench_check(MPI_Type_free(&rows), "MPI_Type_free");
}

static void barrier(const struct bench_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

static void create_free(const struct bench_work *work, size_t times)
{
  barrier(work, 2 * times);
}

static void fence(const struct bench_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++)
    flush(work);
}

static void lock(const struct bench_work *work, size_t times)
{
  int before = 0;
  for (size_t i = 0; i < times; i++) {
    do {
      bench_check(
          MPI_Compare_and_swap(&held, &is_free, &before, MPI_INT, work->process, at(work), window),
          "MPI_Compare_and_swap");
      flush(work);
    } while (before != is_free);
    bench_check(
        MPI_Fetch_and_op(&is_free, &before, MPI_INT, work->process, at(work), MPI_REPLACE, window),
        "MPI_Fetch_and_op");
    flush(work);
  }
}

const struct bench_side bench_limit_mpi = {
    .start = start,
    .stop = stop,
    .allocate = allocate,
    .release = release,
    .access = synchronise,
    .access_end = synchronise,
    .loops = {[BENCH_PUT8] = put,
              [BENCH_GET8] = get,
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
