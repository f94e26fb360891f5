/* What objects are called. Objects that are called the same are one in the profile, so that a
 * program which makes an array in each of a million steps has one row. */
#include "base/hash.h"
#include "base/lock.h"
#include "base/map.h"
#include "profile/counters.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint64_t cwi_profiled_ended = 1;

static uint32_t names_lock;
static struct cwi_map texts; /* hash of a text -> the text, in lasting memory */
static struct cwi_map named; /* key of an object -> its name */

/* Two texts with one hash are one: a chance of 1 in 2^64. NULL: no memory. */
const char *cwi_profiled_text(const char *text)
{
  const uint64_t hash = cwi_hash_word(CWI_HASH_EMPTY, text) | 1;
  cwi_lock(&names_lock);
  char *known = cwi_map_find(&texts, hash);
  if (known == NULL && (known = cwi_lasting_take(strlen(text) + 1)) != NULL) {
    strcpy(known, text); /* NOLINT(clang-analyzer-security.insecureAPI.strcpy): it has that room */
    if (cwi_map_insert(&texts, hash, known) != CW_OK)
      known = NULL;
  }
  cwi_unlock(&names_lock);
  return known;
}

void cwi_profile_name(uint64_t key, const char *format, ...)
{
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *name = cwi_profiled_text(text);
  cwi_lock(&names_lock);
  cwi_map_remove(&named, key);
  if (name != NULL && cwi_map_insert(&named, key, (void *)(uintptr_t)name) != CW_OK)
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

const char *cwi_profile_named(uint64_t key)
{
  cwi_lock(&names_lock);
  const char *name = cwi_map_find(&named, key);
  cwi_unlock(&names_lock);
  return name;
}

void cwi_profile_names_forget(void)
{
  cwi_map_clear(&texts);
  cwi_map_clear(&named);
}
