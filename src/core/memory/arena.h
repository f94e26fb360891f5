/* Arenas: free ranges of granules, in lists by size. Heaps: an arena plus slabs for small slices.
 */
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_ARENA_CLASSES = 32 };

/* An arena. That of the node lies in shared memory, and that of a chunk in private memory. */
struct cwi_arena {
  pthread_mutex_t lock; /* robust; shared between processes */
  uint32_t low, high;   /* its granules are [low, high) */
  uint32_t tag; /* enum cwi_arena_tag. A chunk lies inside the node's arena, so its free granules
                   need a kind of their own in the zone's table */
  uint32_t first[CWI_ARENA_CLASSES]; /* granule number of the first free range of each class; 0 if
                                        there is none */
  uint64_t changing; /* range whose entries the holder of the lock changes: first granule << 32 |
                        length; 0 if there is none */
};

enum cwi_arena_tag { CWI_ARENA_NODE = 0, CWI_ARENA_CHUNK = 1 };

/* Prepares an arena of the granules [low, high), all of which are free. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_arena_start(struct cwi_arena *arena, enum cwi_arena_tag tag, uint32_t low,
                                     uint32_t high);

/* Takes a range of `length` granules and returns the first one, or 0 if there is none. The entries
 * of the range contain the number of its first granule. The kind of that granule is
 * CWI_GRANULE_TAKEN until the caller changes it. */
uint32_t cwi_arena_take(struct cwi_arena *arena, uint32_t length);

/* Returns a range to the arena and merges it with free neighbours. */
void cwi_arena_give(struct cwi_arena *arena, uint32_t granule, uint32_t length);

enum { CWI_SLAB_SHIFT = 6, CWI_SLAB_CLASSES = 8 }; /* 64 bytes to 8 KiB */

/* The memory from which this process allocates slices. */
struct cwi_heap {
  struct cwi_arena *arena;
  bool node;     /* true if the arena is the node's; freed memory then goes back to the system */
  int32_t owner; /* process that owns the slices; -1 for memory that is no slice */
  uint32_t
      charged; /* for a chunk: memory up to this granule is accounted until the chunk is freed */
  uint32_t slabs[CWI_SLAB_CLASSES]; /* slabs with free slots */
};

/* cwi_node_take takes granules of the node's arena without accounting any memory. It returns 0 and
 * records an error if there are none. cwi_node_give returns them to the arena, and `accounted`
 * bytes to the account. */
uint32_t cwi_node_take(uint32_t length);
void cwi_node_give(uint32_t granule, uint32_t length, size_t accounted);

/* Allocates a slice of mine. Returns NULL and records an error if there is no memory. */
void *cwi_heap_allocate(struct cwi_heap *heap, size_t bytes, uint64_t region);

/* A slice with more bytes than this starts at a granule. cwi_heap_shorten reduces the recorded size
 * of such a slice, but frees no memory. */
enum { CWI_SLAB_MOST = 1 << (CWI_SLAB_SHIFT + CWI_SLAB_CLASSES - 1) };
void cwi_heap_shorten(void *address, size_t bytes);

/* Frees a slice; `address` is its first byte. */
void cwi_heap_free(struct cwi_heap *heap, void *address);

/* Frees a slice of a process of the node that has failed. */
void cwi_heap_free_failed(void *address);
