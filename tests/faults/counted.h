/* Counts memory: wraps each call that allocates or frees some. A file that includes this defines
 * counted_has, and defines macros with the calls' names. */
#pragma once

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus /* bench/scale includes it in C++, too */
extern "C" {
#endif

/* Counts memory that was allocated or freed: pieces and bytes. */
void counted_has(int pieces, long bytes);

/* Returns memory of `size` bytes with the contents of `memory`, which is freed, so that its usable
 * size depends on `size` only. The C library makes a piece 16 bytes larger if the free piece that
 * it takes has only 16 bytes more, and whether there is such a piece changes from run to run. Long
 * pieces have pages of their own. */
static inline void *counted_exact(void *memory, size_t size)
{
  enum { TRIES = 16, LONG = 1 << 16 };
  void *larger[TRIES];
  int tries = 0;
  const size_t least = size <= 24 ? 24 : (size + 7) / 16 * 16 + 8;
  if (memory == NULL || size > LONG)
    return memory;
  while (malloc_usable_size(memory) > least && tries < TRIES) {
    void *other = malloc(size);
    if (other == NULL)
      break;
    memcpy(other, memory, size);
    larger[tries++] = memory;
    memory = other;
  }
  while (tries > 0)
    free(larger[--tries]);
  return memory;
}

static inline void *counted_taken(void *memory)
{
  if (memory != NULL)
    counted_has(1, (long)malloc_usable_size(memory));
  return memory;
}

static inline void *counted_malloc(size_t size)
{
  return counted_taken(counted_exact(malloc(size), size));
}

static inline void *counted_calloc(size_t count, size_t size)
{
  return counted_taken(counted_exact(calloc(count, size), count * size));
}

static inline char *counted_strdup(const char *text)
{
  return (char *)counted_taken(counted_exact(strdup(text), strlen(text) + 1));
}

static inline void *counted_grown(void *old, size_t size)
{
  const long before = (long)malloc_usable_size(old);
  void *memory = counted_exact(realloc(old, size), size);
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
