/* Growing arrays: a pointer to the elements, NULL at first, with their number and capacity. */
#ifndef CWI_BASE_RESERVE_H
#define CWI_BASE_RESERVE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Evaluates to true if `array` has space for one more than `count` elements. A full array is moved
 * to twice the capacity, or to `first` elements. Evaluates to false and leaves the array unchanged
 * if there is no memory. CWI_RESERVE_BYTES is for elements of `bytes` bytes, whatever the array's
 * type. These are macros so that injected faults (tests/faults) know the array by its file. */
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
#endif
