/* Accumulates on the same memory take effect in program order, whatever their lengths: a short one
 * that replaces, or that uses another operation, does not overtake a long one. */
#include "kit/native.h"

#include <stdlib.h>

enum { LONG = 1 << 20, SHORT = 512 };

static double *first, *second, *seen;

static double *there;
static int next;

/* Updates the last elements. */
static void start(cw_reduction reduction, double *values, size_t count)
{
  cw_transfer one =
      cw_contiguous(CW_ACCUMULATE, values, there + LONG - count, count * sizeof *values, next);
  one.type = CW_DOUBLE;
  one.reduction = reduction;
  KIT_OK(cw_transfer_start(&one, NULL));
}

static void check_pair(cw_reduction earlier, cw_reduction later, double result, const char *what)
{
  const long rounds = kit_rounds(NULL, 5);
  kit_about("%s", what);
  for (long round = 0; round < rounds; round++) {
    for (int i = 0; i < LONG; i++)
      seen[i] = 0;
    KIT_OK(cw_put(seen, there, LONG * sizeof *seen, next));
    KIT_OK(cw_fence(next));
    start(earlier, first, LONG);
    start(later, second, SHORT);
    KIT_OK(cw_wait_all());
    KIT_OK(cw_fence(next));
    KIT_OK(cw_get(seen, there, LONG * sizeof *seen, next));
    int wrong = 0;
    for (int i = 0; i < LONG; i++)
      wrong += seen[i] != (i < LONG - SHORT ? 4 : result);
    kit_check(wrong == 0, "round %ld: %d elements are wrong, the last %g", round, wrong,
              seen[LONG - 1]);
  }
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "long_order");
  kit_hang_guard();
  kit_make_region(LONG * sizeof *first, &region, &at);
  next = (kit_me() + 1) % kit_processes();
  there = at[next];
  first = kit_alloc(LONG, sizeof *first);
  second = kit_alloc(SHORT, sizeof *second);
  seen = kit_alloc(LONG, sizeof *seen);
  for (int i = 0; i < LONG; i++)
    first[i] = 4;
  for (int i = 0; i < SHORT; i++)
    second[i] = 3;
  check_pair(CW_REPLACE, CW_REPLACE, 3, "a value and another one");
  check_pair(CW_SUM, CW_MINIMUM, 3, "a sum and a minimum");
  check_pair(CW_SUM, CW_PRODUCT, 12, "a sum and a product");
  check_pair(CW_SUM, CW_SUM, 7, "two sums");
  KIT_OK(cw_barrier(cw_team_world()));
  free(first);
  free(second);
  free(seen);
  kit_free_region(&region, at);
  return kit_finish_native();
}
