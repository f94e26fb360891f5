/* Heaps of nodes and chunks: small slices from slabs, larger ones from an arena. */
#include "base/settings.h"
#include "base/size.h"
#include "memory/arena.h"
#include "memory/memory_account.h"
#include "memory/numa_policy.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"

#include <string.h>

uint32_t cwi_node_take(uint32_t length)
{
  const uint32_t granule = cwi_arena_take(cwi_zone.heap.arena, length);
  if (granule == 0) {
    const cw_error recorded = cwi_outside(
        "the zone has no %zu contiguous bytes left; it has %zu bytes in all, because of %s",
        (size_t)length << CWI_GRANULE_SHIFT, cwi_zone.size, cwi_zone.limit);
    (void)recorded;
  }
  return granule;
}

void cwi_node_give(uint32_t granule, uint32_t length, size_t accounted)
{
  cwi_account_give(accounted);
  cwi_arena_give(cwi_zone.heap.arena, granule, length);
}

static uint32_t take_of_node(uint32_t length)
{
  const size_t bytes = (size_t)length << CWI_GRANULE_SHIFT;
  if (cwi_account_take(bytes) != CW_OK)
    return 0;
  const uint32_t granule = cwi_node_take(length);
  if (granule == 0)
    cwi_account_give(bytes);
  return granule;
}

/* Takes granules of a chunk. Memory that a chunk has used once stays accounted: it is not returned
 * to the system, or used for anything else, before the whole chunk is freed. */
static uint32_t take_of_chunk(struct cwi_heap *heap, uint32_t length)
{
  const uint32_t granule = cwi_arena_take(heap->arena, length), end = granule + length;
  if (granule == 0 || end <= heap->charged)
    return granule;
  if (cwi_account_take((size_t)(end - heap->charged) << CWI_GRANULE_SHIFT) != CW_OK) {
    cwi_arena_give(heap->arena, granule, length);
    return 0;
  }
  heap->charged = end;
  return granule;
}

/* Returns granules to the arena. Memory of a node also goes back to the system; memory of a chunk
 * stays, because its window still covers it. */
static void heap_give(struct cwi_heap *heap, uint32_t granule, uint32_t length)
{
  if (heap->node) {
    cwi_zone_punch(granule, length);
    cwi_node_give(granule, length, (size_t)length << CWI_GRANULE_SHIFT);
  } else {
    cwi_arena_give(heap->arena, granule, length);
  }
}

static uint32_t heap_take(struct cwi_heap *heap, uint32_t length)
{
  const uint32_t granule = heap->node ? take_of_node(length) : take_of_chunk(heap, length);
  if (granule == 0 || cwi_zone_supply(granule, length))
    return granule;
  heap_give(heap, granule, length);
  return 0;
}

static void link_slab(struct cwi_heap *heap, unsigned class, uint32_t granule)
{
  struct cwi_slab *slab = cwi_slab_at(granule);
  slab->previous = 0;
  slab->next = heap->slabs[class];
  if (slab->next != 0)
    cwi_slab_at(slab->next)->previous = granule;
  heap->slabs[class] = granule;
}

static void unlink_slab(struct cwi_heap *heap, unsigned class, uint32_t granule)
{
  const struct cwi_slab *slab = cwi_slab_at(granule);
  if (slab->previous != 0)
    cwi_slab_at(slab->previous)->next = slab->next;
  else
    heap->slabs[class] = slab->next;
  if (slab->next != 0)
    cwi_slab_at(slab->next)->previous = slab->previous;
}

/* Makes a slab of the class with all its slots free. Its kind is stored last, as in arena.c. */
static uint32_t new_slab(struct cwi_heap *heap, unsigned class)
{
  const uint32_t granule = heap_take(heap, 1);
  if (granule == 0)
    return 0;
  struct cwi_slab *slab = cwi_slab_at(granule);
  const uint32_t slots = cwi_slab_shapes[class].slots;
  *slab = (struct cwi_slab){.first_free = 1};
  for (uint32_t slot = 0; slot < slots; slot++)
    slab->slots[slot] = (struct cwi_slot){.next_free = slot + 1 < slots ? slot + 2 : 0};
  struct cwi_granule *entry = &cwi_zone.granules[granule];
  entry->slab_class = (uint8_t) class;
  entry->owner = heap->owner;
  __atomic_store_n(&entry->kind, CWI_GRANULE_SLAB, __ATOMIC_RELEASE);
  link_slab(heap, class, granule);
  return granule;
}

static void *allocate_small(struct cwi_heap *heap, size_t bytes, uint64_t region)
{
  const unsigned class = bytes <= 64 ? 0 : cwi_log2(bytes - 1) + 1 - CWI_SLAB_SHIFT;
  const uint32_t granule = heap->slabs[class] != 0 ? heap->slabs[class] : new_slab(heap, class);
  if (granule == 0)
    return NULL;
  struct cwi_slab *slab = cwi_slab_at(granule);
  const uint32_t slot = slab->first_free - 1;
  slab->first_free = slab->slots[slot].next_free;
  slab->used++;
  if (slab->first_free == 0)
    unlink_slab(heap, class, granule);
  slab->slots[slot].region = region;
  __atomic_store_n(&slab->slots[slot].bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
  return (char *)slab + cwi_slab_shapes[class].first + ((size_t)slot << (CWI_SLAB_SHIFT + class));
}

static void free_small(struct cwi_heap *heap, uint32_t granule, size_t offset)
{
  struct cwi_granule *entry = &cwi_zone.granules[granule];
  const unsigned class = entry->slab_class;
  struct cwi_slab *slab = cwi_slab_at(granule);
  const uint32_t slot =
      (uint32_t)(offset - cwi_slab_shapes[class].first) >> (CWI_SLAB_SHIFT + class);
  CWI_ASSERT(slab->slots[slot].bytes != 0);
  __atomic_store_n(&slab->slots[slot].bytes, 0, __ATOMIC_RELEASE);
  slab->slots[slot].next_free = slab->first_free;
  slab->first_free = slot + 1;
  slab->used--;
  if (slab->slots[slot].next_free == 0)
    link_slab(heap, class, granule);
  /* Keep one empty slab of each class, so that create and free in a loop do not go to the arena. */
  if (slab->used == 0 && (slab->next != 0 || slab->previous != 0)) {
    unlink_slab(heap, class, granule);
    heap_give(heap, granule, 1);
  }
}

static void *allocate_large(struct cwi_heap *heap, size_t bytes, uint64_t region)
{
  /* The length fits into 32 bits because it is no larger than the zone. */
  const size_t length = cwi_round_up(bytes, CWI_GRANULE) >> CWI_GRANULE_SHIFT;
  const uint32_t granule = heap_take(heap, (uint32_t)length);
  if (granule == 0)
    return NULL;
  if (heap->node && heap->owner >= 0 && bytes >= CWI_GRANULE)
    cwi_numa_here(granule, (uint32_t)length);
  struct cwi_granule *entry = &cwi_zone.granules[granule];
  entry->bytes = bytes;
  entry->owner = heap->owner;
  entry->region = region;
  __atomic_store_n(&entry->kind, CWI_GRANULE_SLICE, __ATOMIC_RELEASE);
  return cwi_zone.base + ((size_t)granule << CWI_GRANULE_SHIFT);
}

void *cwi_heap_allocate(struct cwi_heap *heap, size_t bytes, uint64_t region)
{
  if (bytes > cwi_zone.size) {
    const cw_error recorded =
        cwi_outside("%zu bytes are more than the zone has, which is %zu bytes because of %s", bytes,
                    cwi_zone.size, cwi_zone.limit);
    (void)recorded;
    return NULL;
  }
  cwi_threads_lock();
  void *address = bytes <= CWI_SLAB_MOST ? allocate_small(heap, bytes, region)
                                         : allocate_large(heap, bytes, region);
  cwi_threads_unlock();
  if (address != NULL && cwi_settings.clear_memory)
    memset(address, 0, bytes);
  return address;
}

void cwi_heap_shorten(void *address, size_t bytes)
{
  const size_t offset = (size_t)((char *)address - cwi_zone.base);
  struct cwi_granule *entry = &cwi_zone.granules[offset >> CWI_GRANULE_SHIFT];
  CWI_ASSERT(entry->kind == CWI_GRANULE_SLICE && bytes <= entry->bytes);
  entry->bytes = bytes;
}

/* A slot of a failed process becomes no slice, but stays allocated: only the owner of a slab has
 * the list of its free slots. */
void cwi_heap_free_failed(void *address)
{
  const size_t offset = (size_t)((char *)address - cwi_zone.base);
  const uint32_t granule = (uint32_t)(offset >> CWI_GRANULE_SHIFT);
  const struct cwi_granule *entry = &cwi_zone.granules[granule];
  if (entry->kind != CWI_GRANULE_SLAB) {
    cwi_heap_free(&cwi_zone.heap, address);
    return;
  }
  const size_t inside = offset & (CWI_GRANULE - 1);
  const size_t slot =
      (inside - cwi_slab_shapes[entry->slab_class].first) >> (CWI_SLAB_SHIFT + entry->slab_class);
  __atomic_store_n(&cwi_slab_at(granule)->slots[slot].bytes, 0, __ATOMIC_RELEASE);
}

void cwi_heap_free(struct cwi_heap *heap, void *address)
{
  const size_t offset = (size_t)((char *)address - cwi_zone.base);
  const uint32_t granule = (uint32_t)(offset >> CWI_GRANULE_SHIFT);
  cwi_threads_lock();
  if (cwi_zone.granules[granule].kind == CWI_GRANULE_SLAB) {
    free_small(heap, granule, offset & (CWI_GRANULE - 1));
  } else {
    CWI_ASSERT(cwi_zone.granules[granule].kind == CWI_GRANULE_SLICE);
    heap_give(heap, granule, cwi_zone.granules[granule].length);
  }
  cwi_threads_unlock();
}
