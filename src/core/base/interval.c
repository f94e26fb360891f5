/* Overlap within a list of byte ranges: sorted, then neighbours. */
#include "base/interval.h"

#include <stdlib.h>

static int by_begin(const void *left, const void *right)
{
  const struct cwi_interval *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Sorted by begin, the furthest end so far is all that a next interval can collide with. One sort
 * of a flat array beats the insertions of a balanced tree, at the same O(n log n). */
bool cwi_intervals_overlap(struct cwi_interval *intervals, size_t count)
{
  qsort(intervals, count, sizeof *intervals, by_begin);
  uintptr_t reached = 0;
  for (size_t i = 0; i < count; i++) {
    if (intervals[i].begin == intervals[i].end)
      continue;
    if (intervals[i].begin < reached)
      return true;
    reached = intervals[i].end;
  }
  return false;
}
