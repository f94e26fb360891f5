/* Several threads, each with attached matrices and AXPY epochs of its own: on an array of its own
 * team, whose elements it all knows, and on one to which all threads add. A thread that waits in an
 * epoch serves those of the other threads.
 *
 * threads ROUNDS */
#include "kit/native.h"

#include <stdlib.h>

enum { THREADS = 3, SIDE = 20, TILE = 7 };

static int rounds;
static cw_array common;
static cw_matrix of_thread[THREADS]; /* of the common array */
static long counted[THREADS];

static cw_array make(cw_team team, int layout)
{
  static const int64_t extents[2] = {SIDE, SIDE}, block[2] = {3, 2};
  const cw_array_options options = {
      .type = CW_LONG,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = (cw_layout)layout, .block = layout == CW_BLOCKS ? NULL : block}};
  const long zero = 0;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(team, &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &zero));
  return array;
}

static void check_all(cw_array array, long want, const char *what)
{
  static const int64_t lo[2] = {0, 0}, hi[2] = {SIDE - 1, SIDE - 1};
  long seen[SIDE * SIDE];
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_get(array, lo, hi, seen, NULL));
  for (int n = 0; n < SIDE * SIDE; n++)
    if (!kit_check_long(seen[n], want, what))
      break;
  KIT_OK(cw_array_sync(array));
}

/* Every process adds its tiles, which together are the whole matrix. Returns the sum of the amounts
 * that the elements have received. */
static long add_tiles(cw_matrix matrix, long number)
{
  long tile[SIDE * SIDE];
  for (int n = 0; n < SIDE * SIDE; n++)
    tile[n] = number;
  for (int i = 0; i < SIDE; i += TILE)
    for (int j = 0; j < SIDE; j += TILE) {
      const cw_local_matrix local = {.data = tile,
                                     .height = i + TILE > SIDE ? SIDE - i : TILE,
                                     .width = j + TILE > SIDE ? SIDE - j : TILE,
                                     .ld = TILE,
                                     .order = CW_COLUMN_MAJOR};
      KIT_OK(cw_matrix_iaccumulate(matrix, NULL, &local, i, j));
    }
  KIT_OK(cw_matrix_flush(matrix, NULL));
  return number * kit_processes();
}

static long add_in_epoch(cw_array array, cw_axpy_end end, long number)
{
  cw_axpy axpy = NULL;
  long all[SIDE * SIDE];
  const cw_local_matrix local = {.data = all, .height = SIDE, .width = SIDE};
  for (int n = 0; n < SIDE * SIDE; n++)
    all[n] = number;
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, end, &axpy));
  KIT_OK(cw_axpy_add(axpy, NULL, &local, 0, 0));
  KIT_OK(cw_axpy_detach(&axpy));
  return number * kit_processes();
}

static void take_in_epoch(cw_array array, cw_axpy_end end, long want)
{
  cw_axpy axpy = NULL;
  long all[SIDE * SIDE] = {0};
  const cw_local_matrix local = {
      .data = all, .height = SIDE, .width = SIDE, .order = CW_COLUMN_MAJOR};
  KIT_OK(cw_array_sync(array));
  KIT_MUST(cw_axpy_attach(array, CW_COLUMN_MAJOR, CW_GLOBAL_TO_LOCAL, end, &axpy));
  KIT_OK(cw_axpy_add(axpy, NULL, &local, 0, 0));
  KIT_OK(cw_axpy_detach(&axpy));
  for (int n = 0; n < SIDE * SIDE; n++)
    if (!kit_check_long(all[n], want, "an element that was taken"))
      break;
}

/* Ends an epoch before it begins, concurrently with those of other threads. */
static void check_rejected(cw_array array)
{
  cw_axpy axpy = NULL;
  if (kit_processes() > 1)
    KIT_MISUSE("order", cw_axpy_attach(array, kit_me() == 0 ? CW_ROW_MAJOR : CW_COLUMN_MAJOR,
                                       CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
}

/* The numbers that one thread draws must increase. */
static void count(int number)
{
  const long one = 1;
  long before = -1;
  KIT_OK(cw_matrix_fetch_add(of_thread[number], 0, 0, &one, &before));
  kit_check(before >= counted[number], "the counter was %ld, and %ld before", before,
            counted[number] - 1);
  counted[number] = before + 1;
}

static void run(cw_team team, int number)
{
  for (int round = 0; round < rounds; round++) {
    const cw_axpy_end end = (cw_axpy_end)((round + number) % 2);
    cw_array own = make(team, (round + number) % 4);
    cw_matrix matrix = NULL;
    long sum = 0;
    KIT_MUST(cw_matrix_attach(own, CW_COLUMN_MAJOR, &matrix));
    sum += add_tiles(matrix, round + 1);
    check_rejected(own);
    sum += add_in_epoch(own, end, number + 1);
    KIT_OK(cw_matrix_detach(&matrix));
    check_all(own, sum, "an element of a thread's own matrix");
    take_in_epoch(own, end, sum);
    KIT_OK(cw_array_sync(own));
    KIT_OK(cw_array_destroy(&own));
    count(number);
  }
  add_tiles(of_thread[number], number + 1);
}

static void check_common(void)
{
  const long one = -(long)rounds * THREADS * kit_processes();
  long sum = 0;
  for (int number = 0; number < THREADS; number++)
    sum += (number + 1) * (long)kit_processes();
  KIT_OK(cw_array_sync(common));
  if (kit_me() == 0)
    KIT_OK(cw_matrix_fetch_add(of_thread[0], 0, 0, &one, NULL));
  check_all(common, sum, "an element of the common matrix");
}

int main(int argc, char **argv)
{
  rounds = argc > 1 ? atoi(argv[1]) : 10;
  kit_start_native(&argc, &argv, "matrix_threads");
  kit_need_threads();
  kit_hang_guard();
  common = make(cw_team_world(), CW_CYCLIC);
  for (int number = 0; number < THREADS; number++)
    KIT_MUST(cw_matrix_attach(common, CW_ROW_MAJOR, &of_thread[number]));
  kit_on_teams(THREADS, run);
  check_common();
  for (int number = 0; number < THREADS; number++)
    KIT_OK(cw_matrix_detach(&of_thread[number]));
  KIT_OK(cw_array_destroy(&common));
  return kit_finish_native();
}
