/* Counts memory: wraps each call that allocates or frees some. A file that includes this defines
 * counted_has, and defines macros with the calls' names. */
#pragma once

#include <malloc.h>
#include <stdlib.h>

#ifdef __cplusplus /* bench/scale includes it in C++, too */
extern "C" {
#endif

/* Counts memory that was allocated or freed: pieces and bytes. */
void counted_has(int pieces, long bytes);

static inline void *counted_taken(void *memory)
{
  if (memory != NULL)
    counted_has(1, (long)malloc_usable_size(memory));
  return memory;
}

static inline void *counted_grown(void *old, size_t size)
{
  const long before = (long)malloc_usable_size(old);
  void *memory = realloc(old, size);
  if (memory != NULL)
    counted_has(old == NULL, (long)malloc_usable_size(memory) - before);
  return memory;
}

static inline void counted_free(void *memory)
{
  if (memory != NULL)
    counted_has(-1, -(long)malloc_usable_size(memory));
  free(memory);
}

static inline int counted_aligned(void **made, size_t align, size_t size)
{
  const int code = posix_memalign(made, align, size);
  if (code == 0)
    counted_has(1, (long)malloc_usable_size(*made));
  return code;
}

#ifdef __cplusplus
}
#endif
