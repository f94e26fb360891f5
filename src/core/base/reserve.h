/* Growing arrays: a pointer to the elements, NULL at first, with their number and capacity. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes space in `array` for one more than `count` elements, and evaluates to true. A full array is
 * reallocated with twice the capacity, or at first with `first` elements. If there is no memory,
 * the array is unchanged and the result is false. CWI_RESERVE_BYTES is for elements of `bytes`
 * bytes, whatever the array's type. These are macros so that realloc is called in the file that
 * uses the array: the tests of injected faults (tests/faults) select calls by file. */
#define CWI_RESERVE(array, count, capacity, first)                                                 \
  CWI_RESERVE_BYTES(array, sizeof *(array), count, capacity, first)
#define CWI_RESERVE_BYTES(array, bytes, count, capacity, first)                                    \
  ((count) < (capacity) ||                                                                         \
   cwi_reserve_set(                                                                                \
       (void *)&(array), &(capacity), cwi_reserve_next(capacity, first),                           \
       realloc((void *)(array), cwi_reserve_next(capacity, first) * (bytes)))) /* NOLINT */

static inline size_t cwi_reserve_next(size_t capacity, size_t first)
{
  return capacity > 0 ? 2 * capacity : first;
}

/* Stores the larger array and its capacity, unless `larger` is NULL. */
static inline bool cwi_reserve_set(void *array, size_t *capacity, size_t next, void *larger)
{
  if (larger == NULL)
    return false;
  memcpy(array, &larger, sizeof larger);
  *capacity = next;
  return true;
}
