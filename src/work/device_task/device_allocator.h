/* Allocates blocks of memory that the processor cannot access, by first fit. Only one thread at a
 * time may use an allocator. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cwi_gap {
  size_t offset, bytes;
};

/* Gaps in ascending order of offset; no two of them touch. The array has space for one more gap
 * than there are blocks. */
struct cwi_device_allocator {
  size_t bytes, alignment;
  size_t blocks;
  struct cwi_gap *gaps;
  size_t count, capacity;
};

/* Starts an allocator of `bytes` bytes; `alignment` is a power of 2. Returns false if there is no
 * memory. */
bool cwi_device_allocator_begin(struct cwi_device_allocator *allocator, size_t bytes,
                                size_t alignment);
void cwi_device_allocator_end(struct cwi_device_allocator *allocator);

/* Returns the size of a block for `bytes` bytes. It is never 0. */
size_t cwi_device_allocator_size(const struct cwi_device_allocator *allocator, size_t bytes);

/* Allocates a block and stores its offset in *offset. Returns false if no gap is large enough, or
 * if there is no memory for the list of gaps. */
bool cwi_device_allocator_take(struct cwi_device_allocator *allocator, size_t bytes,
                               size_t *offset);
void cwi_device_allocator_give(struct cwi_device_allocator *allocator, size_t offset, size_t bytes);
