/* Each call of causeway/atomic.h: all processes update numbers that live at process 0. */
#include "expect.h"

#include <string.h>

struct numbers {
  double sum;
  int64_t long_counter, owner, lock;
  int32_t counter, last, highest;
};

int main(int argc, char **argv)
{
  start(&argc, &argv);
  const int me = cw_process(), size = cw_processes();
  void **address = calloc((size_t)size, sizeof *address);
  cw_region region = NULL;
  CW_MUST(
      cw_region_create(cw_team_world(), me == 0 ? sizeof(struct numbers) : 0, &region, address));
  struct numbers *numbers = address[0];
  if (me == 0)
    memset(numbers, 0, sizeof *numbers);
  CW_MUST(cw_barrier(cw_team_world()));

  /* Counters: each process gets a number of its own. */
  int32_t before = -1;
  int64_t long_before = -1;
  CW_MUST(cw_fetch_add_int32(&numbers->counter, 1, 0, &before));
  CW_MUST(cw_fetch_add_int64(&numbers->long_counter, 1, 0, &long_before));
  EXPECT(before >= 0 && before < size && long_before >= 0 && long_before < size);

  /* A sum of doubles, and a maximum. */
  const double one = 1;
  const int32_t mine = me;
  CW_MUST(cw_fetch_op(CW_DOUBLE, CW_SUM, &one, &numbers->sum, 0, NULL));
  CW_MUST(cw_get_accumulate(CW_INT, CW_MAXIMUM, &mine, NULL, &numbers->highest, 1, 0));

  /* The first process that finds 0 becomes the owner. */
  const int64_t unowned = 0, me_as_owner = me + 1;
  CW_MUST(cw_compare_swap_int64(&numbers->owner, 0, me_as_owner, 0, &long_before));
  CW_MUST(cw_compare_swap(CW_INT64, &unowned, &me_as_owner, &numbers->owner, 0, NULL));
  CW_MUST(cw_compare_swap_int32(&numbers->last, 0, mine, 0, NULL));

  /* A lock by swaps: the process that has swapped out a 0 has the lock. */
  do
    CW_MUST(cw_swap_int64(&numbers->lock, 1, 0, &long_before));
  while (long_before != 0);
  CW_MUST(cw_swap_int32(&numbers->last, mine, 0, &before));
  CW_MUST(cw_swap_int64(&numbers->lock, 0, 0, NULL));
  CW_MUST(cw_barrier(cw_team_world()));

  double sum = 0;
  int32_t highest = -1;
  CW_MUST(cw_atomic_read(CW_DOUBLE, &numbers->sum, 0, &sum));
  CW_MUST(cw_atomic_read(CW_INT, &numbers->highest, 0, &highest));
  EXPECT(sum == size && highest == size - 1);
  CW_MUST(cw_barrier(cw_team_world()));
  if (me == size - 1)
    CW_MUST(cw_atomic_write(CW_DOUBLE, &one, &numbers->sum, 0));
  CW_MUST(cw_barrier(cw_team_world()));
  EXPECT(me != 0 || (numbers->sum == 1 && numbers->owner >= 1 && numbers->owner <= size));

  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(address);
  return stop();
}
