/* Finds overlaps in a list of byte ranges by sorting it. */
#include "base/interval.h"

#include <stdlib.h>

static int by_begin(const void *left, const void *right)
{
  const struct cwi_interval *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* In the order of `begin`, an interval overlaps an earlier one exactly if it begins before the
 * largest end so far. One sort of a flat array is faster than the insertions of a balanced tree,
 * with the same O(n log n). */
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
