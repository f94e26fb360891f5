/* Threads multiply matrices of their own teams at once. */
#include "kit/native.h"

#include <causeway/arithmetic.h>
#include <causeway/linear.h>

#include <stdlib.h>

enum { THREADS = 3, EDGE = 40 };

static int rounds;

static cw_array make(cw_team team, int layout, double value)
{
  static const int64_t edges[2] = {EDGE, EDGE}, block[2] = {7, 5};
  const cw_array_options options = {
      .name = "matrix",
      .type = CW_DOUBLE,
      .dimensions = 2,
      .extents = edges,
      .distribution = {.layout = (cw_layout)layout, .block = layout == CW_BLOCKS ? NULL : block}};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(team, &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &value));
  return array;
}

static void run(cw_team team, int entry)
{
  static const int64_t lo[2] = {0, 0}, hi[2] = {EDGE - 1, EDGE - 1};
  double seen[EDGE][EDGE];
  for (int round = 0; round < rounds; round++) {
    cw_array a = make(team, round % 4, entry + 1);
    cw_array b = make(team, (round + entry) % 4, 2);
    cw_array c = make(team, (round / 2) % 4, 0);
    const cw_operand of_a = {.array = a}, of_b = {.array = b}, of_c = {.array = c};
    KIT_OK(cw_array_multiply(CW_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &of_a, &of_b, NULL, &of_c));
    KIT_OK(cw_array_get(c, lo, hi, seen, NULL));
    for (int i = 0; i < EDGE; i++)
      for (int j = 0; j < EDGE; j++)
        kit_check(seen[i][j] == 2 * EDGE * (entry + 1), "element %d, %d is %g", i, j, seen[i][j]);
    KIT_OK(cw_array_destroy(&c));
    KIT_OK(cw_array_destroy(&b));
    KIT_OK(cw_array_destroy(&a));
  }
}

int main(int argc, char **argv)
{
  rounds = argc > 1 ? atoi(argv[1]) : 10;
  kit_start_native(&argc, &argv, "linear_threads");
  kit_need_threads();
  kit_hang_guard();
  kit_on_teams(THREADS, run);
  return kit_finish_native();
}
