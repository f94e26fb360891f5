/* Binary search in an ascending list. */
#pragma once

/* Returns the index of `number` among `count` ascending numbers, or -1 if it is not there. */
static inline int cwi_binary_search(const int *ascending, int count, int number)
{
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ascending[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low <= high && ascending[low] == number ? low : -1;
}
