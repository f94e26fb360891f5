/* Ways to copy: the C library's, two loops of Causeway's own, and the processor's string
 * instruction. */
#include "machine/copy.h"

#include <stdint.h>
#include <string.h>

struct cwi_copy_ways cwi_copy_ways = {memmove, memmove};

#if defined(__x86_64__)

typedef uint32_t word4 __attribute__((aligned(1), may_alias));
typedef uint64_t word8 __attribute__((aligned(1), may_alias));
typedef uint64_t words16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t words32 __attribute__((vector_size(32), aligned(1), may_alias));

/* Loops move BLOCK bytes at a time. Runs of up to SHORT bytes are not aligned. Runs of LIBRARY_FROM
 * bytes or more exceed the caches. They are left to the library, which may use stores that bypass
 * the caches. The string instruction takes some time to start, so it is used from STRING_FROM bytes
 * on. */
enum { BLOCK = 32, SHORT = 256, STRING_FROM = 4096, LIBRARY_FROM = 32 << 20 };

/* Copies a run of one to two words: both ends are loaded before either is stored. */
#define BOTH_ENDS(word)                                                                            \
  do {                                                                                             \
    const word first = *(const word *)from, last = *(const word *)(from + bytes - sizeof last);    \
    *(word *)to = first;                                                                           \
    *(word *)(to + bytes - sizeof last) = last;                                                    \
  } while (0)

__attribute__((target("avx2"))) static inline void copy_few(char *to, const char *from,
                                                            size_t bytes)
{
  if (bytes >= 16)
    BOTH_ENDS(words16);
  else if (bytes >= 8)
    BOTH_ENDS(word8);
  else if (bytes >= 4)
    BOTH_ENDS(word4);
  else
    memmove(to, from, bytes);
}

#define BLOCK_AT(address, at) (*(words32 *)((address) + (at)))
#define MOVE(at) (BLOCK_AT(to, at) = *(const words32 *)(from + (at)))

/* Copies from the end to the beginning, with aligned stores. Of all measured ways, only this one is
 * at no address much slower than the best. Four blocks are loaded before any of them is stored.
 * Otherwise, if the destination is shortly before or after the source modulo 4096, the processor
 * would treat a load as one of data that it has just stored, and wait. */
__attribute__((target("avx2"))) static inline void copy_long(char *low, const char *source,
                                                             size_t bytes)
{
  char *to = low + bytes;
  const char *from = source + bytes;
  MOVE(-BLOCK);
  const size_t over = (uintptr_t)to % BLOCK;
  to -= over;
  from -= over;
  while ((size_t)(to - low) >= 4 * BLOCK) {
    to -= 4 * BLOCK;
    from -= 4 * BLOCK;
    const words32 d = *(const words32 *)(from + 3 * BLOCK),
                  c = *(const words32 *)(from + 2 * BLOCK);
    const words32 b = *(const words32 *)(from + BLOCK), a = *(const words32 *)from;
    BLOCK_AT(to, 3 * BLOCK) = d;
    BLOCK_AT(to, 2 * BLOCK) = c;
    BLOCK_AT(to, BLOCK) = b;
    BLOCK_AT(to, 0) = a;
  }
  while ((size_t)(to - low) > BLOCK) {
    to -= BLOCK;
    from -= BLOCK;
    MOVE(0);
  }
  BLOCK_AT(low, 0) = *(const words32 *)source;
}

#define LOAD(address, at) (*(const words32 *)((address) + (at)))

/* Copies one or two blocks in halves, because it costs time to return from the use of wide
 * registers. */
__attribute__((target("avx2"))) static inline void copy_one_or_two(char *to, const char *from,
                                                                   size_t bytes)
{
  enum { HALF = BLOCK / 2 };
  char *const last = to + bytes - BLOCK;
  const char *const from_last = from + bytes - BLOCK;
  const words16 a = *(const words16 *)from, b = *(const words16 *)(from + HALF);
  const words16 c = *(const words16 *)from_last, d = *(const words16 *)(from_last + HALF);
  *(words16 *)to = a;
  *(words16 *)(to + HALF) = b;
  *(words16 *)last = c;
  *(words16 *)(last + HALF) = d;
}

/* Copies more than two blocks, up to SHORT bytes, from both ends to the middle. Everything is
 * loaded before anything is stored, because source and destination may overlap. */
__attribute__((target("avx2"))) static inline void copy_short(char *to, const char *from,
                                                              size_t bytes)
{
  char *const end = to + bytes;
  const char *const from_end = from + bytes;
  const words32 a = LOAD(from, 0), b = LOAD(from, BLOCK);
  const words32 y = LOAD(from_end, -2 * BLOCK), z = LOAD(from_end, -BLOCK);
  if (bytes > 4 * BLOCK) {
    const words32 c = LOAD(from, 2 * BLOCK), d = LOAD(from, 3 * BLOCK);
    const words32 w = LOAD(from_end, -4 * BLOCK), x = LOAD(from_end, -3 * BLOCK);
    BLOCK_AT(to, 2 * BLOCK) = c;
    BLOCK_AT(to, 3 * BLOCK) = d;
    BLOCK_AT(end, -4 * BLOCK) = w;
    BLOCK_AT(end, -3 * BLOCK) = x;
  }
  BLOCK_AT(to, 0) = a;
  BLOCK_AT(to, BLOCK) = b;
  BLOCK_AT(end, -2 * BLOCK) = y;
  BLOCK_AT(end, -BLOCK) = z;
}

/* Copies at most SHORT bytes. */
__attribute__((target("avx2"))) static inline void copy_at_once(char *to, const char *from,
                                                                size_t bytes)
{
  if (bytes < BLOCK)
    copy_few(to, from, bytes);
  else if (bytes <= 2 * BLOCK)
    copy_one_or_two(to, from, bytes);
  else
    copy_short(to, from, bytes);
}

static inline bool ranges_overlap(const void *to, const void *from, size_t bytes)
{
  const uintptr_t ahead = (uintptr_t)to - (uintptr_t)from;
  return ahead < bytes || -ahead < bytes;
}

__attribute__((target("avx2"), aligned(64))) static void *loop_copy(void *to, const void *from,
                                                                    size_t bytes)
{
  if (bytes <= SHORT)
    copy_at_once(to, from, bytes);
  else if (ranges_overlap(to, from, bytes) || bytes >= LIBRARY_FROM)
    memmove(to, from, bytes);
  else
    copy_long(to, from, bytes);
  return to;
}

static void *copy_string(void *begin, const void *source, size_t bytes)
{
  void *to = begin;
  const void *from = source;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  return begin;
}

__attribute__((target("avx2"), aligned(64))) static void *string_copy(void *to, const void *from,
                                                                      size_t bytes)
{
  if (bytes <= SHORT)
    copy_at_once(to, from, bytes);
  else if (bytes < STRING_FROM || ranges_overlap(to, from, bytes) || bytes >= LIBRARY_FROM)
    memmove(to, from, bytes);
  else
    copy_string(to, from, bytes);
  return to;
}

/* --- Blocks of 64 bytes ----------------------------------------------------------------------- */

typedef uint64_t words64 __attribute__((vector_size(64), aligned(1), may_alias));
enum { WIDE = 64, WIDE_TO = 32 << 10 };

#define WIDE_AT(address, at) (*(words64 *)((address) + (at)))
#define LOAD_WIDE(address, at) (*(const words64 *)((address) + (at)))

/* Copies at most SHORT bytes. */
__attribute__((target("avx512f"))) static inline void copy_wide_at_once(char *to, const char *from,
                                                                        size_t bytes)
{
  if (bytes <= WIDE) {
    copy_at_once(to, from, bytes);
    return;
  }
  char *const end = to + bytes;
  const char *const from_end = from + bytes;
  const words64 first = LOAD_WIDE(from, 0), last = LOAD_WIDE(from_end, -WIDE);
  if (bytes > 2 * WIDE) {
    const words64 second = LOAD_WIDE(from, WIDE), third = LOAD_WIDE(from_end, -2 * WIDE);
    WIDE_AT(to, WIDE) = second;
    WIDE_AT(end, -2 * WIDE) = third;
  }
  WIDE_AT(to, 0) = first;
  WIDE_AT(end, -WIDE) = last;
}

/* Copies from the beginning to the end, with aligned stores. Four blocks are loaded before they are
 * stored, as in copy_long. */
__attribute__((target("avx512f"))) static inline void copy_wide(char *begin, const char *source,
                                                                size_t bytes)
{
  char *const end = begin + bytes;
  const words64 first = LOAD_WIDE(source, 0), last = LOAD_WIDE(source + bytes, -WIDE);
  const size_t skip = WIDE - (uintptr_t)begin % WIDE;
  char *to = begin + skip;
  const char *from = source + skip;
  while ((size_t)(end - to) >= 4 * WIDE) {
    const words64 a = LOAD_WIDE(from, 0), b = LOAD_WIDE(from, WIDE);
    const words64 c = LOAD_WIDE(from, 2 * WIDE), d = LOAD_WIDE(from, 3 * WIDE);
    WIDE_AT(to, 0) = a;
    WIDE_AT(to, WIDE) = b;
    WIDE_AT(to, 2 * WIDE) = c;
    WIDE_AT(to, 3 * WIDE) = d;
    to += 4 * WIDE;
    from += 4 * WIDE;
  }
  for (; end - to > WIDE; to += WIDE, from += WIDE)
    WIDE_AT(to, 0) = LOAD_WIDE(from, 0);
  WIDE_AT(end, -WIDE) = last;
  WIDE_AT(begin, 0) = first;
}

/* Returns true if the string instruction, which the library uses, would be slow. Intel's processors
 * move single bytes if the destination is 1 to 63 bytes after the source modulo 4 GiB: that takes
 * 40 to 80 times as long. */
static inline bool string_copy_is_slow(const void *to, const void *from)
{
  const uint32_t ahead = (uint32_t)((uintptr_t)to - (uintptr_t)from);
  return ahead - 1 < WIDE - 1;
}

__attribute__((target("avx512f"), aligned(64))) static void *wide_copy(void *to, const void *from,
                                                                       size_t bytes)
{
  if (bytes <= SHORT)
    copy_wide_at_once(to, from, bytes);
  else if (ranges_overlap(to, from, bytes) || bytes >= LIBRARY_FROM ||
           (bytes >= WIDE_TO && !string_copy_is_slow(to, from)))
    memmove(to, from, bytes);
  else
    copy_wide(to, from, bytes);
  return to;
}

cwi_copy_function cwi_copy_by(enum cwi_copies way)
{
  __builtin_cpu_init();
  const bool has_32 = __builtin_cpu_supports("avx2");
  switch (way) {
  case CWI_COPY_LIBRARY:
    return memmove;
  case CWI_COPY_LOOP:
    return has_32 ? loop_copy : NULL;
  case CWI_COPY_STRING:
    return has_32 ? string_copy : NULL;
  case CWI_COPY_WIDE:
    return has_32 && __builtin_cpu_supports("avx512f") ? wide_copy : NULL;
  default:
    return NULL;
  }
}

#else

cwi_copy_function cwi_copy_by(enum cwi_copies way)
{
  return way == CWI_COPY_LIBRARY ? memmove : NULL;
}

#endif
