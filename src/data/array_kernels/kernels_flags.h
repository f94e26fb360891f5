/* Loops over elements with flags, for scans, pack and unpack. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the number of flags that are 1. */
size_t cwi_flags_count(const unsigned char *flags, size_t count);

/* Neighbouring flags are usually equal. If eight flags are all 1 or all 0, their elements are
 * handled without a branch for each. */
enum { CWI_FLAGS_AT_ONCE = 8 };
#define CWI_FLAGS_ALL UINT64_C(0x0101010101010101)

static inline uint64_t cwi_flags_next(const unsigned char *flags)
{
  uint64_t eight;
  memcpy(&eight, flags, sizeof eight);
  return eight;
}

/* Loops over elements of any size, in bytes. Only in hold may `from` and `to` be equal. pack copies
 * the first `wanted` elements with flags to the front of `to`. unpack copies the front of `from` to
 * the first `wanted` elements of `to` with flags. hold sets to[i] to the nearest flagged element at
 * or before from[i], or to `value` if there is none, and updates `value`. */
void cwi_flags_pack(const void *from, const unsigned char *flags, void *to, size_t wanted,
                    size_t element);
void cwi_flags_unpack(const void *from, const unsigned char *flags, void *to, size_t wanted,
                      size_t element);
void cwi_flags_hold(const void *from, const unsigned char *flags, void *to, size_t count,
                    size_t element, void *value);
