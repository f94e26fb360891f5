/* Threads put, get, accumulate, gather, scatter and count at once, on one common array and on
 * arrays of their own. Each thread of each process has columns of the common array to itself, which
 * it compares with a model. Sums to which all threads add are checked at the end. */
#include "kit/native.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ROWS = 37, WIDTH = 5, SUMS = 300, LISTED = 12 };

/* The expected values of a thread's columns: of the common array, or of a whole array. */
struct band {
  cw_array array;
  int64_t first; /* first column */
  long model[ROWS][WIDTH];
};

struct work {
  struct band common, own;
  uint64_t state; /* state of its random numbers */
  long sums[SUMS];
  long counted;
};

static cw_array sums, counter;
static int rounds;

static int draw(struct work *work, int count)
{
  return kit_random(&work->state, count);
}

/* --- Patches of a band ------------------------------------------------------------------------ */

struct patch {
  int64_t lo[2], hi[2];
  int rows, columns, row, column;
};

static struct patch choose(struct work *work, const struct band *band)
{
  struct patch patch = {.row = draw(work, ROWS), .column = draw(work, WIDTH)};
  patch.rows = 1 + draw(work, ROWS - patch.row);
  patch.columns = 1 + draw(work, WIDTH - patch.column);
  patch.lo[0] = patch.row;
  patch.hi[0] = patch.row + patch.rows - 1;
  patch.lo[1] = band->first + patch.column;
  patch.hi[1] = patch.lo[1] + patch.columns - 1;
  return patch;
}

static void put_or_add(struct work *work, struct band *band)
{
  long buffer[ROWS][WIDTH];
  const int64_t ld[1] = {WIDTH};
  const struct patch patch = choose(work, band);
  const bool adds = draw(work, 2) != 0;
  const long scale = 1 + draw(work, 3);
  for (int i = 0; i < patch.rows; i++)
    for (int j = 0; j < patch.columns; j++) {
      long *known = &band->model[patch.row + i][patch.column + j];
      buffer[i][j] = draw(work, 1000);
      *known = adds ? *known + scale * buffer[i][j] : buffer[i][j];
    }
  const cw_patch what = {.operation = adds ? CW_ACCUMULATE : CW_PUT,
                         .lo = patch.lo,
                         .hi = patch.hi,
                         .ld = ld,
                         .buffer = buffer,
                         .scale = adds ? &scale : NULL};
  cw_handle handle = {0};
  if (draw(work, 2)) {
    KIT_OK(cw_array_transfer(band->array, &what));
    return;
  }
  KIT_OK(cw_array_start(band->array, &what, &handle));
  KIT_OK(cw_wait(&handle));
}

static void get_patch(struct work *work, const struct band *band)
{
  long buffer[ROWS * WIDTH];
  const struct patch patch = choose(work, band);
  KIT_OK(cw_array_get(band->array, patch.lo, patch.hi, buffer, NULL));
  for (int i = 0; i < patch.rows; i++)
    kit_check_bytes(&buffer[i * patch.columns], &band->model[patch.row + i][patch.column],
                    (size_t)patch.columns * sizeof(long), "a row");
}

/* Lists elements with no repetition: one in each row. */
static void list_elements(struct work *work, struct band *band, bool writes)
{
  int64_t indices[LISTED][2];
  long values[LISTED], *known[LISTED];
  const int begin = draw(work, ROWS);
  for (int i = 0; i < LISTED; i++) {
    const int row = (begin + i) % ROWS, column = draw(work, WIDTH);
    indices[i][0] = row;
    indices[i][1] = band->first + column;
    known[i] = &band->model[row][column];
    if (writes)
      *known[i] = values[i] = draw(work, 1000);
  }
  if (writes) {
    KIT_OK(cw_array_scatter(band->array, LISTED, &indices[0][0], values));
    return;
  }
  KIT_OK(cw_array_gather(band->array, LISTED, &indices[0][0], values));
  for (int i = 0; i < LISTED; i++)
    kit_check_long(values[i], *known[i], "a gathered element");
}

/* --- Sums of all threads ---------------------------------------------------------------------- */

static void add_to_sums(struct work *work)
{
  long buffer[SUMS];
  const int64_t lo[1] = {draw(work, SUMS)}, hi[1] = {lo[0] + draw(work, (int)(SUMS - lo[0]))};
  for (int64_t i = lo[0]; i <= hi[0]; i++) {
    buffer[i - lo[0]] = draw(work, 100);
    work->sums[i] += buffer[i - lo[0]];
  }
  KIT_OK(cw_array_accumulate(sums, lo, hi, buffer, NULL, NULL));
}

/* The numbers that one thread draws must increase. */
static void count(struct work *work)
{
  static const int64_t index[1] = {0};
  int64_t before = -1;
  KIT_OK(cw_array_read_increment(counter, index, 1, &before));
  kit_check(before >= work->counted, "the counter was %ld, and %ld before", (long)before,
            work->counted - 1);
  work->counted = (long)before + 1;
}

static void *run(void *given)
{
  struct work *work = given;
  for (int round = 0; round < rounds; round++) {
    struct band *band = draw(work, 2) ? &work->common : &work->own;
    switch (draw(work, 6)) {
    case 0:
    case 1:
      put_or_add(work, band);
      break;
    case 2:
      list_elements(work, band, true);
      break;
    case 3:
      list_elements(work, band, false);
      break;
    case 4:
      add_to_sums(work);
      break;
    default:
      get_patch(work, band);
    }
    count(work);
  }
  return NULL;
}

/* --- The arrays ------------------------------------------------------------------------------- */

static cw_array make(int dimensions, int64_t rows, int64_t columns)
{
  const int64_t extents[2] = {rows, columns}, block[2] = {1 + kit_common(7), 1 + kit_common(7)};
  cw_array_options options = {
      .name = "array", .type = CW_LONG, .dimensions = dimensions, .extents = extents};
  options.distribution.layout = (cw_layout)kit_common(4);
  options.distribution.block = options.distribution.layout == CW_BLOCKS ? NULL : block;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

static void clear(cw_array array, int64_t rows, int64_t columns)
{
  const int64_t lo[2] = {0, 0}, hi[2] = {rows - 1, columns - 1};
  void *zeros = kit_alloc((size_t)(rows * columns), sizeof(long));
  if (kit_me() == 0)
    KIT_OK(cw_array_put(array, lo, hi, zeros, NULL));
  free(zeros);
  KIT_OK(cw_array_sync(array));
}

/* A thread's own array has a band for each process. */
static void begin(struct work *work, int number, cw_array common)
{
  *work = (struct work){.state = (uint64_t)kit_own(1 << 30)};
  work->common.array = common;
  work->common.first = (int64_t)(kit_me() * THREADS + number) * WIDTH;
  work->own.array = make(2, ROWS, (int64_t)kit_processes() * WIDTH);
  work->own.first = (int64_t)kit_me() * WIDTH;
  clear(work->own.array, ROWS, (int64_t)kit_processes() * WIDTH);
}

static void check_sums(struct work *work)
{
  static const int64_t first[1] = {0}, last[1] = {SUMS - 1};
  long want[SUMS] = {0}, got[SUMS], counted = 0;
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < SUMS; i++)
      want[i] += work[t].sums[i];
  MPI_Allreduce(MPI_IN_PLACE, want, SUMS, MPI_LONG, MPI_SUM, kit_comm());
  KIT_OK(cw_array_get(sums, first, last, got, NULL));
  kit_check_bytes(got, want, sizeof want, "the sums of all threads");
  KIT_OK(cw_array_get(counter, first, first, &counted, NULL));
  kit_check_long(counted, (long)rounds * THREADS * kit_processes(), "the counter");
}

static void end_band(struct band *band)
{
  long seen[ROWS][WIDTH];
  const int64_t lo[2] = {0, band->first}, hi[2] = {ROWS - 1, band->first + WIDTH - 1};
  KIT_OK(cw_array_get(band->array, lo, hi, seen, NULL));
  kit_check_bytes(seen, band->model, sizeof seen, "a thread's columns");
}

int main(int argc, char **argv)
{
  static struct work work[THREADS];
  pthread_t threads[THREADS];
  rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 300);
  kit_start_native(&argc, &argv, "array_threads");
  kit_need_threads();
  kit_hang_guard();
  const int64_t columns = (int64_t)kit_processes() * THREADS * WIDTH;
  cw_array common = make(2, ROWS, columns);
  sums = make(1, SUMS, 0);
  counter = make(1, 1, 0);
  clear(common, ROWS, columns);
  clear(sums, SUMS, 1);
  clear(counter, 1, 1);
  for (int t = 0; t < THREADS; t++)
    begin(&work[t], t, common);
  for (int t = 0; t < THREADS; t++)
    pthread_create(&threads[t], NULL, run, &work[t]);
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  KIT_OK(cw_array_sync(common));
  check_sums(work);
  for (int t = 0; t < THREADS; t++) {
    end_band(&work[t].common);
    end_band(&work[t].own);
    KIT_OK(cw_array_sync(work[t].own.array));
    KIT_OK(cw_array_destroy(&work[t].own.array));
  }
  KIT_OK(cw_array_sync(common));
  KIT_OK(cw_array_destroy(&common));
  KIT_OK(cw_array_destroy(&sums));
  KIT_OK(cw_array_destroy(&counter));
  return kit_finish_native();
}
