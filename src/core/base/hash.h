/* FNV-1a hashes. Processes use them to compare their arguments and to detect changes. */
#pragma once

#include <stdint.h>

/* Hash of an empty input. Each hash begins with it. */
#define CWI_HASH_EMPTY UINT64_C(0xcbf29ce484222325)

/* Adds a byte or an integer to a hash. */
static inline uint64_t cwi_hash_add(uint64_t hash, uint64_t value)
{
  return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* Adds a text to a hash, without its terminating 0. */
static inline uint64_t cwi_hash_text(uint64_t hash, const char *text)
{
  for (; *text != '\0'; text++)
    hash = cwi_hash_add(hash, (unsigned char)*text);
  return hash;
}

/* Adds a text with its terminating 0, so that two texts differ from their concatenation. */
static inline uint64_t cwi_hash_word(uint64_t hash, const char *text)
{
  return cwi_hash_add(cwi_hash_text(hash, text), 0);
}
