/* FNV-1a: numbers by which processes compare what they were given, and recognise what is no longer
 * the same. */
#ifndef CWI_BASE_HASH_H
#define CWI_BASE_HASH_H

#include <stdint.h>

/* Of nothing. */
#define CWI_HASH_EMPTY UINT64_C(0xcbf29ce484222325)

/* value: a byte, or a whole number. */
static inline uint64_t cwi_hash_add(uint64_t hash, uint64_t value)
{
  return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* Without the end of the text. */
static inline uint64_t cwi_hash_text(uint64_t hash, const char *text)
{
  for (; *text != '\0'; text++)
    hash = cwi_hash_add(hash, (unsigned char)*text);
  return hash;
}

/* The end of the text included: two texts in a row are not one. */
static inline uint64_t cwi_hash_word(uint64_t hash, const char *text)
{
  return cwi_hash_add(cwi_hash_text(hash, text), 0);
}
#endif
