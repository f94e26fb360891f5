/* The division of a memory that the processor does not reach into blocks: first fit. One thread at
 * a time. */
#ifndef CWI_TASK_SPACE_H
#define CWI_TASK_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_gap {
  size_t offset, bytes;
};

/* Gaps by ascending offset; no two touch. There is room for one more than there are blocks. */
struct cwi_device_space {
  size_t bytes, alignment;
  size_t blocks;
  struct cwi_gap *gaps;
  size_t count, room;
};

/* alignment: a power of 2. False: no memory. */
bool cwi_space_begin(struct cwi_device_space *space, size_t bytes, size_t alignment);
void cwi_space_end(struct cwi_device_space *space);

/* What a block of so many bytes takes; each takes something. */
size_t cwi_space_needs(const struct cwi_device_space *space, size_t bytes);

/* False: no gap is large enough, or there is no memory to note one more block. */
bool cwi_space_take(struct cwi_device_space *space, size_t bytes, size_t *offset);
void cwi_space_give(struct cwi_device_space *space, size_t offset, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
