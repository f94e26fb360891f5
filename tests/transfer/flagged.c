/* A long non-blocking update, then a flag: a target that sees the flag in its memory sees the data,
 * without a fence between them. Data: one run, rows, an accumulate; flag: put, accumulate,
 * fetch-and-add.
 *
 *   flagged [rounds] */
#include "kit/native.h"

#include <stdlib.h>

enum { ROWS = 300, ROW = 200, STRIDE = 256, CELLS = ROWS * STRIDE }; /* doubles: 480,000 bytes */

struct slice {
  double data[CELLS];
  int64_t flag;
  double added; /* and a flag */
};

static struct slice *there, *mine;
static double *values;

static void send_data(int round, int target, cw_handle *handle)
{
  const size_t rows = ROWS;
  const ptrdiff_t row = ROW * sizeof(double), stride = STRIDE * sizeof(double);
  const double one = 1;
  cw_transfer transfer = {.operation = CW_PUT,
                          .type = CW_DOUBLE,
                          .process = target,
                          .local = values,
                          .remote = there->data,
                          .bytes = CELLS * sizeof(double)};
  if (round % 3 > 0) {
    transfer.bytes = (size_t)row;
    transfer.levels = 1;
    transfer.counts = &rows;
    transfer.local_strides = &row;
    transfer.remote_strides = &stride;
  }
  if (round % 3 == 2) {
    transfer.operation = CW_ACCUMULATE;
    transfer.scale = &one;
  }
  for (int i = 0; i < CELLS; i++)
    values[i] = round % 3 == 2 ? 1 : round; /* one more than in the previous round */
  KIT_OK(cw_transfer_start(&transfer, handle));
}

static void raise_flag(int round, int target)
{
  const int64_t value = round;
  const double one = 1;
  int64_t before = 0;
  if (round / 3 % 3 == 0)
    KIT_OK(cw_put(&value, &there->flag, sizeof value, target));
  else if (round / 3 % 3 == 1)
    KIT_OK(cw_fetch_add_int64(&there->flag, 1, target, &before));
  else
    KIT_OK(cw_accumulate(CW_DOUBLE, NULL, &one, &there->added, sizeof one, target));
  KIT_OK(cw_fence(target));
}

static bool is_raised(int round, double added)
{
  double now = 0;
  __atomic_load(&mine->added, &now, __ATOMIC_ACQUIRE);
  return round / 3 % 3 == 2 ? now > added : __atomic_load_n(&mine->flag, __ATOMIC_ACQUIRE) == round;
}

static void await_data(int round)
{
  const double added = mine->added;
  int wrong = 0;
  KIT_MUST(cw_barrier(cw_team_world()));
  while (!is_raised(round, added))
    continue;
  for (int row = 0; row < ROWS; row++)
    for (int i = 0; i < ROW; i++)
      wrong += mine->data[row * STRIDE + i] != round;
  mine->flag = round;
  kit_check_long(wrong, 0, "cells that came after their flag");
}

int main(int argc, char **argv)
{
  cw_region region;
  void **at = NULL;
  kit_start_native(&argc, &argv, "flagged");
  kit_hang_guard();
  const int rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 60);
  mine = kit_make_region(sizeof *mine, &region, &at);
  there = at[1];
  values = kit_alloc(CELLS, sizeof *values);
  for (int round = 1; round <= rounds; round++) {
    kit_about("round %d", round);
    if (cw_process() == 1)
      await_data(round);
    else {
      KIT_MUST(cw_barrier(cw_team_world()));
      cw_handle handle = {0};
      send_data(round, 1, &handle);
      raise_flag(round, 1);
      KIT_OK(cw_wait(&handle));
    }
    KIT_MUST(cw_barrier(cw_team_world()));
  }
  free(values);
  kit_free_region(&region, at);
  return kit_finish_native();
}
