/* Copies rows of bytes that are not contiguous, and detects copies that would overwrite their
 * source. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies `rows` rows of `run` bytes; each row like memmove. */
void cwi_copy_rows(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                   size_t run, size_t rows);

/* Returns how many rows of `run` bytes, `stride` apart, a loop may store before it calls
 * cwi_drain_stores.
 *
 * Rows at a distance that is a multiple of 512 bytes map to a few sets of the first-level cache. A
 * processor prefetches the lines of all stores in its store buffer. If there are more of these
 * lines than the sets have ways, each line is evicted before its store commits, and the copy takes
 * 3 to 7 times as long. Today's processors have at least 8 ways. */
static inline size_t cwi_rows_in_flight(ptrdiff_t stride, size_t run)
{
#if defined(__x86_64__)
  const size_t alignment = (size_t)stride & -(size_t)stride, ways = 8, page = 4096;
  if (alignment >= 512 && run <= 256)
    return alignment < page ? ways * page / alignment : ways;
#else
  (void)stride, (void)run;
#endif
  return SIZE_MAX;
}

/* Waits until all earlier stores of this thread are in the cache. */
static inline void cwi_drain_stores(void)
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Returns true if a loop from the first byte to the last would overwrite bytes that it has yet to
 * read. */
static inline bool cwi_runs_into_itself(const char *to, const char *from, size_t bytes)
{
  return (uintptr_t)to - (uintptr_t)from - 1 < bytes - 1;
}
