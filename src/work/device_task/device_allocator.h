/* The division of a memory that the processor does not reach into blocks: first fit. One thread at
 * a time. */
#ifndef CWI_DEVICE_TASK_DEVICE_ALLOCATOR_H
#define CWI_DEVICE_TASK_DEVICE_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>

struct cwi_gap {
  size_t offset, bytes;
};

/* Gaps by ascending offset; no two touch. There is room for one more than there are blocks. */
struct cwi_device_allocator {
  size_t bytes, alignment;
  size_t blocks;
  struct cwi_gap *gaps;
  size_t count, room;
};

/* alignment: a power of 2. False: no memory. */
bool cwi_device_allocator_begin(struct cwi_device_allocator *allocator, size_t bytes,
                                size_t alignment);
void cwi_device_allocator_end(struct cwi_device_allocator *allocator);

/* What a block of so many bytes takes; each takes something. */
size_t cwi_device_allocator_size(const struct cwi_device_allocator *allocator, size_t bytes);

/* False: no gap is large enough, or there is no memory to note one more block. */
bool cwi_device_allocator_take(struct cwi_device_allocator *allocator, size_t bytes,
                               size_t *offset);
void cwi_device_allocator_give(struct cwi_device_allocator *allocator, size_t offset, size_t bytes);
#endif
