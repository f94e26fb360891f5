/* Loops over elements with flags, for scans, pack and unpack. There is one version for each usual
 * element size, and one for all others. */
#include "array_kernels/kernels_flags.h"

#include "array_kernels/opaque_elements.h"
#include "machine/clones.h"

#include <string.h>

typedef uint64_t packed8 __attribute__((aligned(1), may_alias));

/* Returns the number of flags that are set. Eight flags are loaded as one word, and up to 255 words
 * are added, so that no byte overflows. */
CWI_CLONES size_t cwi_flags_count(const unsigned char *flags, size_t count)
{
  enum { MOST = 255 };
  const uint64_t even = 0x00ff00ff00ff00ff, ones = 0x0001000100010001;
  size_t sum = 0, i = 0;
  while (count - i >= sizeof(uint64_t)) {
    const size_t left = (count - i) / sizeof(uint64_t), words = left < MOST ? left : MOST;
    const packed8 *word = (const packed8 *)(const void *)(flags + i);
    uint64_t bytes = 0;
    for (size_t k = 0; k < words; k++)
      bytes += word[k];
    sum += (size_t)(((bytes & even) + (bytes >> 8 & even)) * ones >> 48);
    i += words * sizeof(uint64_t);
  }
  for (; i < count; i++)
    sum += flags[i];
  return sum;
}

/* These loops write nothing after the last wanted element and read no flag after its flag. */
enum { AT_ONCE = CWI_FLAGS_AT_ONCE };

#define LOOPS(name, type)                                                                          \
  static void pack_##name(const type *from, const unsigned char *flags, type *to, size_t wanted)   \
  {                                                                                                \
    size_t packed = 0;                                                                             \
    for (; wanted - packed >= AT_ONCE; from += AT_ONCE, flags += AT_ONCE)                          \
      if (cwi_flags_next(flags) == CWI_FLAGS_ALL) {                                                \
        memcpy(to + packed, from, AT_ONCE * sizeof *to);                                           \
        packed += AT_ONCE;                                                                         \
      } else                                                                                       \
        for (size_t k = 0; k < AT_ONCE; packed += flags[k++])                                      \
          to[packed] = from[k];                                                                    \
    for (size_t i = 0; packed < wanted; packed += flags[i++])                                      \
      to[packed] = from[i];                                                                        \
  }                                                                                                \
                                                                                                   \
  static void unpack_##name(const type *from, const unsigned char *flags, type *to, size_t wanted) \
  {                                                                                                \
    size_t taken = 0;                                                                              \
    for (; wanted - taken >= AT_ONCE; to += AT_ONCE, flags += AT_ONCE)                             \
      if (cwi_flags_next(flags) == CWI_FLAGS_ALL) {                                                \
        memcpy(to, from + taken, AT_ONCE * sizeof *to);                                            \
        taken += AT_ONCE;                                                                          \
      } else                                                                                       \
        for (size_t k = 0; k < AT_ONCE; k++)                                                       \
          if (flags[k] != 0)                                                                       \
            to[k] = from[taken++];                                                                 \
    for (size_t i = 0; taken < wanted; i++)                                                        \
      if (flags[i] != 0)                                                                           \
        to[i] = from[taken++];                                                                     \
  }                                                                                                \
                                                                                                   \
  static void hold_##name(const type *from, const unsigned char *flags, type *to, size_t count,    \
                          type *value)                                                             \
  {                                                                                                \
    type held = *value;                                                                            \
    size_t i = 0;                                                                                  \
    while (i + AT_ONCE <= count) {                                                                 \
      const size_t end = i + AT_ONCE;                                                              \
      const uint64_t next = cwi_flags_next(flags + i);                                             \
      if (next == 0)                                                                               \
        for (; i < end; i++)                                                                       \
          to[i] = held;                                                                            \
      else if (next == CWI_FLAGS_ALL) {                                                            \
        held = from[end - 1];                                                                      \
        memmove(to + i, from + i, AT_ONCE * sizeof *to);                                           \
        i = end;                                                                                   \
      } else                                                                                       \
        for (; i < end; i++)                                                                       \
          to[i] = held = flags[i] != 0 ? from[i] : held;                                           \
    }                                                                                              \
    for (; i < count; i++)                                                                         \
      to[i] = held = flags[i] != 0 ? from[i] : held;                                               \
    *value = held;                                                                                 \
  }

LOOPS(4, opaque4)
LOOPS(8, opaque8)
LOOPS(16, opaque16)

static void pack_bytes(const char *from, const unsigned char *flags, char *to, size_t wanted,
                       size_t element)
{
  for (size_t i = 0, packed = 0; packed < wanted; i++)
    if (flags[i] != 0)
      memcpy(to + packed++ * element, from + i * element, element);
}

static void unpack_bytes(const char *from, const unsigned char *flags, char *to, size_t wanted,
                         size_t element)
{
  for (size_t i = 0, taken = 0; taken < wanted; i++)
    if (flags[i] != 0)
      memcpy(to + i * element, from + taken++ * element, element);
}

static void hold_bytes(const char *from, const unsigned char *flags, char *to, size_t count,
                       size_t element, char *value)
{
  for (size_t i = 0; i < count; i++) {
    if (flags[i] != 0)
      memcpy(value, from + i * element, element);
    memcpy(to + i * element, value, element);
  }
}

void cwi_flags_pack(const void *from, const unsigned char *flags, void *to, size_t wanted,
                    size_t element)
{
  switch (element) {
  case 4:
    pack_4(from, flags, to, wanted);
    return;
  case 8:
    pack_8(from, flags, to, wanted);
    return;
  case 16:
    pack_16(from, flags, to, wanted);
    return;
  default:
    pack_bytes(from, flags, to, wanted, element);
  }
}

void cwi_flags_unpack(const void *from, const unsigned char *flags, void *to, size_t wanted,
                      size_t element)
{
  switch (element) {
  case 4:
    unpack_4(from, flags, to, wanted);
    return;
  case 8:
    unpack_8(from, flags, to, wanted);
    return;
  case 16:
    unpack_16(from, flags, to, wanted);
    return;
  default:
    unpack_bytes(from, flags, to, wanted, element);
  }
}

void cwi_flags_hold(const void *from, const unsigned char *flags, void *to, size_t count,
                    size_t element, void *value)
{
  switch (element) {
  case 4:
    hold_4(from, flags, to, count, value);
    return;
  case 8:
    hold_8(from, flags, to, count, value);
    return;
  case 16:
    hold_16(from, flags, to, count, value);
    return;
  default:
    hold_bytes(from, flags, to, count, element, value);
  }
}
