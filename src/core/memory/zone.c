/* The zone as this process maps it, and finding the slice at an address. */
#include "memory/zone.h"

#include "base/clock.h"
#include "base/size.h"

#include <stdio.h>

struct cwi_zone cwi_zone;

/* Each slab has as many slots as fit together with their entries. Slot 0 begins on a cache line. */
#define SLOTS(size)                                                                                \
  ((CWI_GRANULE - sizeof(struct cwi_slab) - 63) / (sizeof(struct cwi_slot) + (size)))
#define FIRST(size)                                                                                \
  ((sizeof(struct cwi_slab) + SLOTS(size) * sizeof(struct cwi_slot) + 63) / 64 * 64)
#define SHAPE(class)                                                                               \
  {                                                                                                \
    SLOTS(64u << (class)), FIRST(64u << (class))                                                   \
  }

const struct cwi_slab_shape cwi_slab_shapes[CWI_SLAB_CLASSES] = {
    SHAPE(0), SHAPE(1), SHAPE(2), SHAPE(3), SHAPE(4), SHAPE(5), SHAPE(6), SHAPE(7)};

size_t cwi_zone_front(size_t zone_size)
{
  const size_t table = (zone_size >> CWI_GRANULE_SHIFT) * sizeof(struct cwi_granule);
  return cwi_round_up(sizeof(struct cwi_zone_header), CWI_GRANULE) +
         cwi_round_up(table, CWI_GRANULE);
}

const char *cwi_zone_describe(void)
{
  static char text[160];
  snprintf(text, sizeof text, "%s at %p, %zu MiB of addresses",
           cwi_zone.fixed ? "unnamed memory file (memfd)" : "MPI shared-memory window",
           (void *)cwi_zone.base, cwi_zone.size >> 20);
  return text;
}

bool cwi_zone_is_new(uint64_t message)
{
  if (cwi_zone.header == NULL)
    return true;
  enum {
    PLACES = sizeof cwi_zone.header->reported / sizeof cwi_zone.header->reported[0],
    SECONDS = 300
  };
  const uint64_t now = (uint32_t)cwi_now(), tag = message >> 32 << 32;
  uint64_t *place = &cwi_zone.header->reported[message % PLACES];
  const uint64_t before = __atomic_exchange_n(place, tag | now, __ATOMIC_ACQ_REL);
  return before >> 32 != tag >> 32 || (uint32_t)(now - before) > SECONDS;
}

bool cwi_zone_find(const void *address, struct cwi_zone_slice *slice)
{
  const size_t offset = (size_t)((uintptr_t)address - (uintptr_t)cwi_zone.base);
  if (offset >= cwi_zone.size)
    return false;
  const uint32_t number = (uint32_t)(offset >> CWI_GRANULE_SHIFT);
  const struct cwi_granule *granule = &cwi_zone.granules[number];
  if (cwi_granule_kind_of(granule) == CWI_GRANULE_SLAB) {
    const struct cwi_slab_shape shape = cwi_slab_shapes[granule->slab_class];
    const uint32_t from_first = (uint32_t)(offset & (CWI_GRANULE - 1)) - shape.first;
    const uint32_t slot = from_first >> (CWI_SLAB_SHIFT + granule->slab_class);
    if (slot >= shape.slots)
      return false;
    const struct cwi_slot *entry = &cwi_slab_at(number)->slots[slot];
    const uint32_t bytes = __atomic_load_n(&entry->bytes, __ATOMIC_ACQUIRE);
    *slice = (struct cwi_zone_slice){(char *)cwi_slab_at(number) + shape.first +
                                         ((size_t)slot << (CWI_SLAB_SHIFT + granule->slab_class)),
                                     bytes, granule->owner, entry->region};
  } else {
    const struct cwi_granule *head = &cwi_zone.granules[granule->head];
    if (cwi_granule_kind_of(head) != CWI_GRANULE_SLICE)
      return false;
    *slice = (struct cwi_zone_slice){cwi_zone.base + ((size_t)granule->head << CWI_GRANULE_SHIFT),
                                     head->bytes, head->owner, head->region};
  }
  return (size_t)((const char *)address - slice->base) < slice->bytes;
}
