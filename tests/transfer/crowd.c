/* Threads with long transfers wait for each other's pieces, because these are more than may be in
 * flight. Each adds many rows to a row of its own, and reads it. */
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>

enum {
  THREADS = 4,
  TIMES = 3,
  ROW = 8192,
  ROWS = 2048,
  CELLS = ROW / sizeof(double)
}; /* 32 pieces */

static void **slices;

static void *add_rows(void *context)
{
  const size_t number = *(const size_t *)context, rows = ROWS;
  const ptrdiff_t stride = 0;
  double *row = kit_alloc(CELLS, sizeof *row);
  void *there = (double *)slices[1] + number * CELLS;
  cw_transfer transfer = cw_strided(CW_ACCUMULATE, row, &stride, there, &stride, ROW, &rows, 1, 1);
  transfer.type = CW_DOUBLE;
  for (int i = 0; i < TIMES; i++) {
    cw_handle handle = {0};
    row[0] = row[CELLS - 1] = 1;
    KIT_OK(cw_transfer_start(&transfer, &handle));
    KIT_OK(cw_wait(&handle));
    KIT_OK(cw_get(row, there, ROW, 1));
    kit_check(row[0] == ROWS * (i + 1) && row[CELLS - 1] == row[0], "the sums of thread %zu",
              number);
  }
  free(row);
  return NULL;
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  pthread_t threads[THREADS];
  size_t numbers[THREADS];
  kit_start_native(&argc, &argv, "crowd");
  kit_need_threads();
  kit_hang_guard();
  kit_make_region((size_t)THREADS * ROW, &region, &slices);
  for (size_t i = 0; i < THREADS && kit_me() == 0; i++) {
    numbers[i] = i;
    kit_check(pthread_create(&threads[i], NULL, add_rows, &numbers[i]) == 0, "a thread");
  }
  for (size_t i = 0; i < THREADS && kit_me() == 0; i++)
    pthread_join(threads[i], NULL);
  kit_free_region(&region, slices);
  return kit_finish_native();
}
