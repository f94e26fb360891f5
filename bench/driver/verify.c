#include "verify.h"

#include "cases.h"
#include "check.h"

static const double untouched = -7.5, base = 1000;

static double value(size_t i)
{
  return 1 + (double)(i % 509) / 2;
}

static bool writes(const struct bench_work *work)
{
  return work->operation == BENCH_PUT || work->operation == BENCH_PUT8 ||
         work->operation == BENCH_PUT_ROWS;
}

static bool reads(const struct bench_work *work)
{
  return work->operation == BENCH_GET || work->operation == BENCH_GET8 ||
         work->operation == BENCH_GET_ROWS;
}

static bool adds(const struct bench_work *work)
{
  return work->operation == BENCH_ACC || work->operation == BENCH_ACC_ROWS;
}

/* Returns the number of doubles from the first to the last of the target, plus one that must stay
 * unchanged. */
static size_t extent(const struct bench_work *work)
{
  return ((work->rows - 1) * BENCH_STRIDE + work->bytes) / sizeof(double) + 1;
}

/* Sets *local to the index of the local double that belongs to double i of the slice. Returns false
 * if i lies in a gap. */
static bool local_index(const struct bench_work *work, size_t i, size_t *local)
{
  const size_t step = BENCH_STRIDE / sizeof(double), run = work->bytes / sizeof(double);
  const size_t row = work->rows == 1 ? 0 : i / step, column = i - row * step;
  *local = row * run + column;
  return row < work->rows && column < run;
}

static void prepare_slice(const struct bench_work *work, double *slice)
{
  const size_t count = extent(work);
  if (work->operation == BENCH_FETCH_ADD)
    *(long *)(void *)slice = 41;
  else if (work->operation == BENCH_LOCK)
    *(long *)(void *)slice = 0;
  else
    for (size_t i = 0; i < count; i++) {
      size_t local;
      const double inside = reads(work) ? value(i) : adds(work) ? base : untouched;
      slice[i] = local_index(work, i, &local) ? inside : untouched;
    }
}

static bool slice_is_right(const struct bench_work *work, const double *slice)
{
  if (work->operation == BENCH_FETCH_ADD)
    return *(const long *)(const void *)slice == 42;
  if (!writes(work) && !reads(work) && !adds(work))
    return true;
  const size_t count = extent(work);
  for (size_t i = 0; i < count; i++) {
    size_t local;
    const bool inside = local_index(work, i, &local);
    const double sum = base + work->scale * value(local);
    const double expected = !inside       ? untouched
                            : reads(work) ? value(i)
                            : adds(work)  ? sum
                                          : value(local);
    if (slice[i] != expected)
      return false;
  }
  return true;
}

static void prepare_local(const struct bench_work *work)
{
  const size_t count = bench_bytes(work) / sizeof(double);
  for (size_t i = 0; i < count; i++)
    work->local[i] = reads(work) ? untouched : value(i);
}

static bool local_is_right(const struct bench_work *work)
{
  if (work->operation == BENCH_FETCH_ADD)
    return *(const long *)(const void *)work->local == 41;
  const size_t count = reads(work) ? extent(work) : 0;
  for (size_t i = 0; i < count; i++) {
    size_t local;
    if (local_index(work, i, &local) && work->local[local] != value(i))
      return false;
  }
  return true;
}

static bool verify(const struct bench_side *side, const struct bench_work *timed, char *slice,
                   bool collective)
{
  const struct bench_work done = side->does != NULL ? side->does(timed) : *timed;
  const struct bench_work *work = &done;
  int me = 0;
  bench_check(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
  if (me == work->process) {
    side->access(slice);
    prepare_slice(work, (double *)(void *)slice);
    side->access_end(slice);
  } else {
    prepare_local(work);
  }
  bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  if (collective || side->takes_part || me != work->process)
    side->loops[timed->operation](timed, 1);
  bench_check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  int right = 1;
  if (me == work->process) {
    side->access(slice);
    right = slice_is_right(work, (const double *)(const void *)slice);
    side->access_end(slice);
  } else {
    right = local_is_right(work);
  }
  bench_check(MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD),
              "MPI_Allreduce");
  return right != 0;
}

bool bench_verify(const struct bench_contestant *contestant, const struct bench_work *timed,
                  bool collective)
{
  struct bench_contestant guest = *contestant;
  struct bench_work here = *timed;
  if (guest.visits)
    bench_enter(&guest);
  here.remote = guest.target;
  const bool right = verify(guest.side, &here, guest.mine, collective);
  if (guest.visits)
    bench_leave(&guest);
  return right;
}
