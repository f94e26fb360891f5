/* What objects are called. Objects that are called the same are one in the profile, so that a
 * program which makes an array in each of a million steps has one row. */
#include "base/hash.h"
#include "base/lock.h"
#include "base/map.h"
#include "profile/counters.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t cwi_profiled_ended = 1;

static uint32_t names_lock;
static char **names; /* [names_count] number - 1 -> text */
static uint32_t names_count;
static struct cwi_map numbers; /* hash of a text -> its number */
static struct cwi_map named;   /* key of an object -> the number of its name */

const char *cwi_profile_object_name(uint32_t name)
{
  return name > 0 && name <= names_count ? names[name - 1] : "other memory";
}

/* The lock is held. Two texts with one hash are one: a chance of 1 in 2^64. 0: no memory. */
static uint32_t name_number_of(const char *text)
{
  const uint64_t hash = cwi_hash_word(CWI_HASH_EMPTY, text) | 1;
  const uintptr_t known = (uintptr_t)cwi_map_find(&numbers, hash);
  if (known != 0)
    return (uint32_t)known;
  char **longer = realloc(names, (names_count + 1) * sizeof *names);
  if (longer == NULL)
    return 0;
  names = longer;
  names[names_count] = strdup(text);
  if (names[names_count] == NULL ||
      cwi_map_insert(&numbers, hash, (void *)((uintptr_t)names_count + 1)) != CW_OK) {
    free(names[names_count]);
    return 0;
  }
  return ++names_count;
}

void cwi_profile_name(uint64_t key, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cwi_lock(&names_lock);
  cwi_map_remove(&named, key);
  const uint32_t number = name_number_of(text);
  if (number != 0 && cwi_map_insert(&named, key, (void *)(uintptr_t)number) != CW_OK)
    cwi_map_remove(&named, key); /* it has no name, then */
  cwi_unlock(&names_lock);
  /* What lay at its addresses may have ended elsewhere: nobody has told this process. */
  __atomic_add_fetch(&cwi_profiled_ended, 1, __ATOMIC_RELEASE);
}

void cwi_profile_unname(uint64_t key)
{
  cwi_lock(&names_lock);
  cwi_map_remove(&named, key);
  cwi_unlock(&names_lock);
  __atomic_add_fetch(&cwi_profiled_ended, 1, __ATOMIC_RELEASE);
}

uint32_t cwi_profile_named(uint64_t key)
{
  cwi_lock(&names_lock);
  const uintptr_t number = (uintptr_t)cwi_map_find(&named, key);
  cwi_unlock(&names_lock);
  return (uint32_t)number;
}

void cwi_profile_names_forget(void)
{
  for (uint32_t i = 0; i < names_count; i++)
    free(names[i]);
  free(names);
  names = NULL;
  names_count = 0;
  cwi_map_clear(&numbers);
  cwi_map_clear(&named);
}
