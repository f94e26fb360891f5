/* Threads operate on arrays of their own teams at once. Each creates arrays of several
 * distributions, computes with them, compares with plain numbers, and destroys them. */
#include "kit/native.h"

#include <causeway/arithmetic.h>

#include <stdlib.h>

enum { THREADS = 3, EDGE = 23, LAYOUTS = 4, ELEMENTS = EDGE * EDGE };

static int rounds;

static cw_array make(cw_team team, int dimensions, int layout)
{
  static const int64_t edges[2] = {EDGE, EDGE}, block[2] = {4, 3};
  const cw_array_options options = {
      .name = "array",
      .type = CW_LONG,
      .dimensions = dimensions,
      .extents = edges,
      .distribution = {.layout = (cw_layout)layout, .block = layout == CW_BLOCKS ? NULL : block}};
  cw_array array = NULL;
  KIT_MUST(cw_array_create(team, &options, &array));
  return array;
}

static void check_all(cw_array array, long first, long row, long column, const char *what)
{
  static const int64_t lo[2] = {0, 0}, hi[2] = {EDGE - 1, EDGE - 1};
  long seen[EDGE][EDGE];
  KIT_OK(cw_array_get(array, lo, hi, seen, NULL));
  for (int i = 0; i < EDGE; i++)
    for (int j = 0; j < EDGE; j++)
      if (!kit_check_long(seen[i][j], first + i * row + j * column, what))
        return;
  KIT_OK(cw_array_sync(array)); /* before any process writes */
}

static void whole(cw_team team, int number, int round)
{
  const long start = 100 * number + round, two = 2, minus = -1;
  cw_array a = make(team, 2, round % LAYOUTS);
  cw_array b = make(team, 2, (round + number) % LAYOUTS);
  const cw_operand of_a = {.array = a}, turned = {.array = a, .transposed = true};
  const cw_operand of_b = {.array = b};
  int64_t index[2] = {0, 0};
  double norm = 0;
  long dot = 0, greatest = 0, want = 0;
  KIT_OK(cw_array_enumerate(a, NULL, NULL, &start, NULL));
  check_all(a, start, EDGE, 1, "an enumerated element");
  KIT_OK(cw_array_copy(&turned, &of_b));
  check_all(b, start, 1, EDGE, "a transposed element");
  KIT_OK(cw_array_combine(CW_ELEMENT_SUM, &two, &of_a, &minus, &turned, &of_b));
  check_all(b, start, 2 * EDGE - 1, 2 - EDGE, "a sum");
  KIT_OK(cw_array_fill(b, NULL, NULL, &two));
  KIT_OK(cw_array_dot(&of_a, &of_b, &dot));
  want = 2 * (ELEMENTS * start + (long)ELEMENTS * (ELEMENTS - 1) / 2);
  kit_check_long(dot, want, "a dot product");
  KIT_OK(cw_array_norm(a, NULL, NULL, CW_NORM_SUM, &norm));
  kit_check_long((long)norm, want / 2, "a norm");
  KIT_OK(cw_array_select(a, NULL, NULL, true, &greatest, index));
  kit_check_long(greatest, start + ELEMENTS - 1, "the greatest element");
  KIT_OK(cw_array_destroy(&b));
  KIT_OK(cw_array_destroy(&a));
}

static void lines(cw_team team, int round)
{
  static const int64_t first = 0, last = EDGE - 1;
  const long one = 1;
  long seen[EDGE];
  cw_array from = make(team, 1, round % LAYOUTS), mask = make(team, 1, CW_BLOCKS);
  KIT_OK(cw_array_fill(from, NULL, NULL, &one));
  KIT_OK(cw_array_fill(mask, NULL, NULL, NULL));
  KIT_OK(cw_array_fill(mask, &first, &first, &one));
  KIT_OK(cw_array_scan_add(from, from, mask, 0, last, false));
  KIT_OK(cw_array_get(from, &first, &last, seen, NULL));
  for (int i = 0; i < EDGE; i++)
    kit_check_long(seen[i], i + 1, "a scan");
  KIT_OK(cw_array_destroy(&mask));
  KIT_OK(cw_array_destroy(&from));
}

static void run(cw_team team, int number)
{
  for (int round = 0; round < rounds; round++) {
    whole(team, number, round);
    lines(team, round);
  }
}

int main(int argc, char **argv)
{
  rounds = argc > 1 ? atoi(argv[1]) : 20;
  kit_start_native(&argc, &argv, "arithmetic_threads");
  kit_need_threads();
  kit_hang_guard();
  kit_on_teams(THREADS, run);
  return kit_finish_native();
}
