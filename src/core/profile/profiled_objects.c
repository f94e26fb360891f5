/* Names of objects. Objects of one name are one object in the profile, so that a program that
 * creates an array in each of a million steps has one row. */
#include "base/hash.h"
#include "base/hash_map.h"
#include "profile/profile_counters.h"
#include "wait/lock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cwi_profile_state cwi_profile_state = {.names_changed = 1};

/* An object that exists. */
struct named_object {
  struct cwi_object_memory *name;
  uint64_t bytes;
  cwi_place_finder *find;
  const void *owner;
  const struct cwi_heat_map *heat_map;
};

static uint32_t names_lock;
static struct cwi_hash_map texts; /* hash of a text -> the text, in counter memory */
static struct cwi_hash_map
    memories; /* address of the text -> its struct cwi_object_memory, also in counter memory */
static struct cwi_hash_map named; /* key of an object -> struct named_object */
static struct cwi_object_memory
    *before_all;              /* head of their list, which the crash reporter reads, too */
static uint64_t in_use_bytes; /* bytes of all objects that exist */
static size_t (*in_use_now)(void);
static struct cwi_memory_time_series *series; /* in counter memory */

bool cwi_names_start(void)
{
  before_all = cwi_counter_memory_take(sizeof *before_all);
  series = cwi_counter_memory_take(sizeof *series);
  if (series != NULL)
    cwi_time_series_begin(series);
  in_use_bytes = 0;
  return before_all != NULL && series != NULL;
}

void cwi_profile_set_in_use(size_t (*in_use)(void))
{
  in_use_now = in_use;
}

/* The caller holds names_lock. */
static void note_memory(void)
{
  if (series != NULL)
    cwi_time_series_note(series, cwi_profiled_reported_time(cwi_nanoseconds()), in_use_bytes,
                         in_use_now != NULL ? in_use_now() : 0);
}

void cwi_profile_memory_freed(void)
{
  cwi_lock(&names_lock);
  note_memory();
  cwi_unlock(&names_lock);
}

/* Other processes also allocate and free memory of the node, without notifying this one. */
void cwi_memory_sample(void)
{
  if (series == NULL || in_use_now == NULL ||
      in_use_now() == __atomic_load_n(&series->last_in_use, __ATOMIC_RELAXED))
    return;
  cwi_lock(&names_lock);
  note_memory();
  cwi_unlock(&names_lock);
}

void cwi_profile_time_series(struct cwi_memory_time_series *mine)
{
  if (series == NULL)
    return;
  *mine = *series;
  cwi_time_series_until(mine, cwi_profiled_reported_time(cwi_nanoseconds()));
}

/* Returns the copy of a text, or NULL if there is no memory. Two texts with the same hash would be
 * mixed up: a chance of 1 in 2^64. After MOST_NAMES texts `others` is used, so that a program that
 * names each object differently does not use up the memory of the counters. */
static const char *find_text(const char *text, const char *others)
{
  enum { MOST_NAMES = 1 << 16 };
  uint64_t hash = cwi_hash_word(CWI_HASH_EMPTY, text) | 1;
  char *known = cwi_hash_map_find(&texts, hash);
  if (known == NULL && texts.count >= MOST_NAMES) {
    text = others;
    hash = cwi_hash_word(CWI_HASH_EMPTY, text) | 1;
    known = cwi_hash_map_find(&texts, hash);
  }
  if (known == NULL && (known = cwi_counter_memory_take(strlen(text) + 1)) != NULL) {
    strcpy(known, text); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): it has that space */
    if (cwi_hash_map_insert(&texts, hash, known) != CW_OK)
      known = NULL;
  }
  return known;
}

const char *cwi_profiled_text(const char *text, const char *others)
{
  cwi_lock(&names_lock);
  const char *known = find_text(text, others);
  cwi_unlock(&names_lock);
  return known;
}

static struct cwi_object_memory *find_memory(const char *text)
{
  const char *name = find_text(text, "other objects");
  const uint64_t key = (uint64_t)(uintptr_t)name;
  struct cwi_object_memory *memory = name != NULL ? cwi_hash_map_find(&memories, key) : NULL;
  if (memory != NULL || name == NULL || (memory = cwi_counter_memory_take(sizeof *memory)) == NULL)
    return memory;
  if (cwi_hash_map_insert(&memories, key, memory) != CW_OK)
    return NULL;
  *memory = (struct cwi_object_memory){.next = before_all->next, .name = name};
  __atomic_store_n(&before_all->next, memory, __ATOMIC_RELEASE);
  return memory;
}

/* Drops the name of an object. If `ends`, its memory is freed, too; otherwise the caller gives it
 * another name. */
static void forget_object(uint64_t key, bool ends)
{
  struct named_object *object = cwi_hash_map_find(&named, key);
  if (object == NULL)
    return;
  struct cwi_object_memory *memory = object->name;
  if (ends && memory->bytes > memory->most)
    memory->most = memory->bytes;
  memory->bytes -= object->bytes;
  in_use_bytes -= object->bytes;
  cwi_hash_map_remove(&named, key);
  free(object);
}

/* Lets the object use the heat map of all objects of its name. If the object has another shape, it
 * gets no heat map. */
static void lay_object(struct named_object *object, const struct cwi_object_layout *layout)
{
  struct cwi_object_memory *name = object->name;
  if (name->heat_map == NULL &&
      (name->heat_map = cwi_counter_memory_spare(sizeof *name->heat_map)) != NULL)
    *name->heat_map = layout->heat_map;
  if (name->heat_map == NULL || !cwi_heat_map_same(name->heat_map, &layout->heat_map))
    return;
  cwi_heat_map_agree(name->heat_map, &layout->heat_map);
  object->find = layout->find;
  object->owner = layout->owner;
  object->heat_map = name->heat_map;
}

/* Returns the object as it was named before, or an empty one. */
static struct named_object object_before(uint64_t key)
{
  const struct named_object *object = cwi_hash_map_find(&named, key);
  return object != NULL ? *object : (struct named_object){.name = NULL};
}

void cwi_profile_name(uint64_t key, size_t bytes, const struct cwi_object_layout *layout,
                      const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cwi_lock(&names_lock);
  const struct named_object before = object_before(key);
  forget_object(key, false);
  struct cwi_object_memory *name = find_memory(text);
  struct named_object *object = name != NULL ? malloc(sizeof *object) : NULL;
  if (object != NULL) {
    *object = (struct named_object){name, bytes, NULL, NULL, NULL};
    if (layout != NULL) {
      lay_object(object, layout);
    } else if (before.heat_map != NULL) {
      const struct cwi_object_layout same = {before.find, before.owner, *before.heat_map};
      lay_object(object, &same);
    }
    if (cwi_hash_map_insert(&named, key, object) == CW_OK) {
      name->bytes += bytes;
      in_use_bytes += bytes;
    } else {
      free(object); /* the object remains without a name */
    }
  }
  note_memory();
  cwi_unlock(&names_lock);
  /* Another process may have freed what lay at this object's addresses without notifying this one,
   * so parts that were found before are looked up again. */
  __atomic_add_fetch(&cwi_profile_state.names_changed, 1, __ATOMIC_RELEASE);
}

void cwi_profile_unname(uint64_t key)
{
  cwi_lock(&names_lock);
  forget_object(key, true);
  note_memory();
  cwi_unlock(&names_lock);
  __atomic_add_fetch(&cwi_profile_state.names_changed, 1, __ATOMIC_RELEASE);
}

struct cwi_profiled_object cwi_profile_named(uint64_t key)
{
  struct cwi_profiled_object found = {NULL, NULL, NULL, NULL};
  cwi_lock(&names_lock);
  const struct named_object *object = cwi_hash_map_find(&named, key);
  if (object != NULL)
    found = (struct cwi_profiled_object){object->name->name, object->heat_map, object->find,
                                         object->owner};
  cwi_unlock(&names_lock);
  return found;
}

void cwi_profile_count_from_one(uint64_t key)
{
  cwi_lock(&names_lock);
  const struct named_object *object = cwi_hash_map_find(&named, key);
  if (object != NULL && object->name->heat_map != NULL)
    object->name->heat_map->from_one = 1;
  cwi_unlock(&names_lock);
}

const struct cwi_object_memory *cwi_named_next(const struct cwi_object_memory *memory)
{
  return __atomic_load_n(memory != NULL ? &memory->next : &before_all->next, __ATOMIC_ACQUIRE);
}

void cwi_names_forget(void)
{
  series = NULL;
  size_t at = 0;
  for (struct named_object *object = cwi_hash_map_next(&named, &at); object != NULL;
       object = cwi_hash_map_next(&named, &at))
    free(object);
  cwi_hash_map_clear(&named);
  cwi_hash_map_clear(&memories);
  cwi_hash_map_clear(&texts);
}
