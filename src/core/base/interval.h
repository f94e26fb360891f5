/* Overlap of byte ranges. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes [begin, end). */
struct cwi_interval {
  uintptr_t begin, end;
};

/* Returns true if any byte is in two of the intervals. Sorts the array: O(n log n). Empty intervals
 * overlap nothing. */
bool cwi_intervals_overlap(struct cwi_interval *intervals, size_t count);
