/* Tables of teams, regions, mutex sets and GA's arrays and groups, for the modules whose public
 * calls must recognise freed objects. */
#include "wait/object_table.h"

#include "base/error.h"
#include "wait/lock.h"

#include <stdlib.h>
#include <string.h>

/* A place is used again only when more than this many are idle. */
enum { REST = 256 };

uint64_t cwi_objects_ended = 1;

static struct cwi_objects *kinds;

/* Header in front of each object. */
struct object_slot {
  uint32_t alive;
  uint32_t next_idle; /* place + 1, or 0 for none */
  uint64_t number;
};
_Static_assert(sizeof(struct object_slot) == 16, "see CWI_OBJECTS");

/* Returns the slab of a place. Slab k begins with place CWI_FIRST_OBJECTS * (2^k - 1). */
static unsigned slab_of(uint32_t number)
{
  return 31u - (unsigned)__builtin_clz(number / CWI_FIRST_OBJECTS + 1);
}

static uint32_t first_of(unsigned slab)
{
  return CWI_FIRST_OBJECTS * ((1u << slab) - 1);
}

static size_t slots_of(unsigned slab)
{
  return (size_t)CWI_FIRST_OBJECTS << slab;
}

static char *slab_at(const struct cwi_objects *objects, unsigned slab)
{
  return __atomic_load_n(&objects->slabs[slab], __ATOMIC_ACQUIRE);
}

static struct object_slot *slot_at(const struct cwi_objects *objects, uint32_t number)
{
  const unsigned slab = slab_of(number);
  const size_t offset = (size_t)(number - first_of(slab)) << objects->shift;
  return (struct object_slot *)(void *)(slab_at(objects, slab) + offset);
}

static struct object_slot *objects_slot_of(const void *object)
{
  return (struct object_slot *)(uintptr_t)object - 1;
}

static struct object_slot *take_idle(struct cwi_objects *objects)
{
  struct object_slot *slot = slot_at(objects, objects->first_idle - 1);
  objects->first_idle = slot->next_idle;
  objects->last_idle = slot->next_idle == 0 ? 0 : objects->last_idle;
  objects->idle--;
  return slot;
}

static struct object_slot *take_fresh(struct cwi_objects *objects)
{
  const unsigned slab = slab_of(objects->fresh);
  if (slab >= CWI_OBJECT_SLABS || (objects->most > 0 && objects->fresh >= objects->most))
    return NULL;
  if (objects->slabs[slab] == NULL) {
    char *made = calloc(slots_of(slab), (size_t)1 << objects->shift);
    if (made == NULL)
      return NULL;
    __atomic_store_n(&objects->slabs[slab], made, __ATOMIC_RELEASE);
  }
  struct object_slot *slot = slot_at(objects, objects->fresh);
  slot->number = objects->fresh;
  __atomic_store_n(&objects->fresh, objects->fresh + 1, __ATOMIC_RELEASE);
  return slot;
}

static void list_kind(struct cwi_objects *objects)
{
  objects->known = true;
  objects->next = __atomic_load_n(&kinds, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&kinds, &objects->next, objects, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
}

const struct cwi_objects *cwi_object_kinds(const struct cwi_objects *kind)
{
  return kind == NULL ? __atomic_load_n(&kinds, __ATOMIC_ACQUIRE) : kind->next;
}

void *cwi_object_make(struct cwi_objects *objects)
{
  cwi_lock(&objects->lock);
  if (!objects->known)
    list_kind(objects);
  struct object_slot *slot = objects->idle > REST ? take_idle(objects) : take_fresh(objects);
  if (slot == NULL && objects->idle > 0)
    slot = take_idle(objects);
  objects->alive += slot != NULL;
  cwi_unlock(&objects->lock);
  if (slot == NULL)
    return NULL;
  memset(slot + 1, 0, objects->size);
  __atomic_store_n(&slot->alive, 1, __ATOMIC_RELEASE);
  return slot + 1;
}

void cwi_object_end(struct cwi_objects *objects, void *object)
{
  struct object_slot *slot = objects_slot_of(object);
  CWI_ASSERT(cwi_object_lives(objects, object));
  __atomic_store_n(&slot->alive, 0, __ATOMIC_RELEASE);
  __atomic_fetch_add(&cwi_objects_ended, 1, __ATOMIC_RELEASE);
  cwi_lock(&objects->lock);
  slot->next_idle = 0;
  if (objects->last_idle != 0)
    slot_at(objects, objects->last_idle - 1)->next_idle = (uint32_t)slot->number + 1;
  else
    objects->first_idle = (uint32_t)slot->number + 1;
  objects->last_idle = (uint32_t)slot->number + 1;
  objects->idle++;
  objects->alive--;
  cwi_unlock(&objects->lock);
}

void cwi_objects_stop(struct cwi_objects *objects)
{
  cwi_lock(&objects->lock);
}

void cwi_objects_resume(struct cwi_objects *objects)
{
  cwi_unlock(&objects->lock);
}

bool cwi_object_lives(const struct cwi_objects *objects, const void *address)
{
  for (unsigned slab = 0; slab < CWI_OBJECT_SLABS && slab_at(objects, slab) != NULL; slab++) {
    const size_t offset = (uintptr_t)address - (uintptr_t)slab_at(objects, slab);
    if (offset >= slots_of(slab) << objects->shift)
      continue;
    return (offset & (((size_t)1 << objects->shift) - 1)) == sizeof(struct object_slot) &&
           __atomic_load_n(&objects_slot_of(address)->alive, __ATOMIC_ACQUIRE) != 0;
  }
  return false;
}

uint32_t cwi_object_number(const void *object)
{
  return (uint32_t)objects_slot_of(object)->number;
}

void *cwi_object_numbered(const struct cwi_objects *objects, uint32_t number)
{
  if (number >= __atomic_load_n(&objects->fresh, __ATOMIC_ACQUIRE))
    return NULL;
  struct object_slot *slot = slot_at(objects, number);
  return __atomic_load_n(&slot->alive, __ATOMIC_ACQUIRE) != 0 ? slot + 1 : NULL;
}

void *cwi_object_next(const struct cwi_objects *objects, const void *object)
{
  for (uint32_t number = object != NULL ? (uint32_t)objects_slot_of(object)->number + 1 : 0;
       number < __atomic_load_n(&objects->fresh, __ATOMIC_ACQUIRE); number++) {
    struct object_slot *slot = slot_at(objects, number);
    if (__atomic_load_n(&slot->alive, __ATOMIC_ACQUIRE) != 0)
      return slot + 1;
  }
  return NULL;
}
