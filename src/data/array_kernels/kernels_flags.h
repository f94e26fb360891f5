/* Loops over elements with flags, for scans, pack and unpack. */
#ifndef CWI_ARRAY_KERNELS_KERNELS_FLAGS_H
#define CWI_ARRAY_KERNELS_KERNELS_FLAGS_H

#include <causeway/array.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A flag of each number: 1, or 0 where it is 0. */
void cwi_flags_read(const void *mask, cw_type type, unsigned char *flags, size_t count);
size_t cwi_flags_count(const unsigned char *flags, size_t count);

/* Flags mostly are like those beside them: eight that are all set, or all not (0), need no choice
 * for each element. */
enum { CWI_FLAGS_AT_ONCE = 8 };
#define CWI_FLAGS_ALL UINT64_C(0x0101010101010101)

static inline uint64_t cwi_flags_next(const unsigned char *flags)
{
  uint64_t eight;
  memcpy(&eight, flags, sizeof eight);
  return eight;
}

/* Elements of any size, in bytes; `from` and `to` may be the same where elements do not move.
 * pack: the first `wanted` with flags go to the front of `to`. unpack: the front of `from` goes to
 * the first `wanted` places with flags. hold: to[i] = the last one with a flag up to from[i], or
 * `value`, which is kept up to date. */
void cwi_flags_pack(const void *from, const unsigned char *flags, void *to, size_t wanted,
                    size_t element);
void cwi_flags_unpack(const void *from, const unsigned char *flags, void *to, size_t wanted,
                      size_t element);
void cwi_flags_hold(const void *from, const unsigned char *flags, void *to, size_t count,
                    size_t element, void *value);
#endif
