/* Free ranges of granules, in lists by size; and a heap: an arena plus slabs for small slices. */
#ifndef CWI_MEMORY_ARENA_H
#define CWI_MEMORY_ARENA_H

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_ARENA_CLASSES = 32 };

/* Lies in shared memory (the node's) or in private memory (a window chunk's). */
struct cwi_arena {
  pthread_mutex_t lock; /* robust, between processes */
  uint32_t low, high;   /* its granules: [low, high) */
  uint32_t tag;         /* marks its free ranges: a chunk's arena lies inside the node's */
  uint32_t first[CWI_ARENA_CLASSES]; /* granule number of the first free range; 0: none */
};

enum cwi_arena_tag { CWI_ARENA_NODE = 0, CWI_ARENA_CHUNK = 1 };

/* An arena of granules [low, high), all free. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_arena_start(struct cwi_arena *arena, enum cwi_arena_tag tag, uint32_t low,
                                     uint32_t high);

/* Take a range of granules, 0 when there is none. Its entries name its first granule, whose kind is
 * CWI_GRANULE_TAKEN until the caller makes it something else. */
uint32_t cwi_arena_take(struct cwi_arena *arena, uint32_t length);

/* Put a range back, merging it with free neighbours. */
void cwi_arena_give(struct cwi_arena *arena, uint32_t granule, uint32_t length);

enum { CWI_SLAB_SHIFT = 6, CWI_SLAB_CLASSES = 8 }; /* 64 bytes to 8 KiB */

/* This process's way to allocate slices from an arena. */
struct cwi_heap {
  struct cwi_arena *arena;
  bool node;        /* the arena is the node's: its memory is accounted and given back */
  int32_t owner;    /* process; -1: what is allocated is nobody's slice */
  uint32_t charged; /* not the node's: up to this granule it is accounted, for good */
  uint32_t slabs[CWI_SLAB_CLASSES]; /* slabs with free slots */
};

/* Take addresses of the node's arena, of which no memory is accounted yet. 0: none, with a
 * sentence. Give them back, with the bytes that have been accounted since. */
uint32_t cwi_node_take(uint32_t length);
void cwi_node_give(uint32_t granule, uint32_t length, size_t accounted);

/* Allocate a slice of mine; NULL when memory runs out, with a sentence recorded. */
void *cwi_heap_allocate(struct cwi_heap *heap, size_t bytes, uint64_t region);

/* A slice of more bytes than this begins a granule, and may be told to have fewer bytes. */
enum { CWI_SLAB_MOST = 1 << (CWI_SLAB_SHIFT + CWI_SLAB_CLASSES - 1) };
void cwi_heap_shorten(void *address, size_t bytes);

/* Give it back; `address` is the slice's base. */
void cwi_heap_free(struct cwi_heap *heap, void *address);
#endif
