/* Copying what programs move: the one way for everything that may be longer than some hundred
 * bytes.
 *
 * The C library's copy is slow at some addresses on some processors. On AMD's Zen 3 and Zen 4,
 * glibc takes `rep movsb` from 4 KiB to the size of the L2 cache. Where (to - from) mod 4096 is 1
 * to 15 that takes 16 to 27 times as long as a loop, and up to twice as long at other differences.
 * On Zen 5 that very instruction is the best way at all addresses, and glibc's loop takes 5 to 7
 * times as long where the difference is 16. On Intel's it moves single bytes where the difference
 * modulo 4 GiB is 1 to 63. So each process measures the ways when it starts.
 * docs/results/copy.md has the times. */
#ifndef CWI_MACHINE_COPY_H
#define CWI_MACHINE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef void *(*cwi_copy_function)(void *to, const void *from, size_t bytes);

/* The first as CW_COPY: whatever is measured to be fastest. */
enum cwi_copies {
  CWI_COPY_AUTO,
  CWI_COPY_LIBRARY,
  CWI_COPY_LOOP,
  CWI_COPY_STRING,
  CWI_COPY_WIDE,
  CWI_COPIES
};

/* Copy as memmove does: one run of bytes, and one of several rows that lie apart, each shorter than
 * CWI_LONG_ROW. Both are the library's until another way is chosen. */
extern cwi_copy_function cwi_copy_way, cwi_copy_row_way;

enum { CWI_LONG_ROW = 4096 };

/* NULL where the processor cannot run it, and for CWI_COPY_AUTO. */
cwi_copy_function cwi_copy_by(enum cwi_copies way);

/* The way of this name, as CW_COPY has it; CWI_COPIES: there is none. */
enum cwi_copies cwi_copy_named(const char *name);

/* Which ways this processor can run: bits by number. */
unsigned cwi_copies_here(void);

/* What a processor that can run `here` lacks for the way, and what can be asked for instead. */
void cwi_copy_unavailable(enum cwi_copies way, unsigned here, char *text, size_t size);

/* Copies by this way from now on; CWI_COPY_AUTO takes the fastest for runs and the fastest for
 * rows. Measuring takes some 0.3 ms and is done once. Returns false if the processor cannot run the
 * way. */
bool cwi_copy_choose(enum cwi_copies way);

/* Describes the ways in use and what they took beside the others, for users. The text is valid
 * until the next call. */
const char *cwi_copy_describe(void);

/* Copy bytes; the ranges may overlap. */
static inline void cwi_copy(void *to, const void *from, size_t bytes)
{
#if defined(__x86_64__)
  cwi_copy_way(to, from, bytes);
#else
  memmove(to, from, bytes); /* what every way is there */
#endif
}
#endif
