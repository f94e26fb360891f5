/* Copies the data of programs. All code that may copy more than a few hundred bytes calls these
 * functions.
 *
 * The C library's copy is slow at some addresses on some processors. On AMD's Zen 3 and Zen 4,
 * glibc uses `rep movsb` from 4 KiB to the size of the L2 cache. If (to - from) mod 4096 is 1 to
 * 15, this instruction takes 16 to 27 times as long as a loop, and up to twice as long at other
 * differences. On Zen 5 the same instruction is the fastest way at all addresses, and glibc's loop
 * takes 5 to 7 times as long if the difference is 16. On Intel's processors the instruction moves
 * single bytes if the difference modulo 4 GiB is 1 to 63. So each process measures the ways when it
 * starts. docs/results/copy.md has the times. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef void *(*cwi_copy_function)(void *to, const void *from, size_t bytes);

/* Ways to copy, in the order of CW_COPY. CWI_COPY_AUTO selects the way that is measured to be
 * fastest. */
enum cwi_copies {
  CWI_COPY_AUTO,
  CWI_COPY_LIBRARY,
  CWI_COPY_LOOP,
  CWI_COPY_STRING,
  CWI_COPY_WIDE,
  CWI_COPIES
};

/* Functions that copy as memmove does. `run` copies a run of bytes. `row` copies one of several
 * rows that are not contiguous and are shorter than CWI_LONG_ROW. Both are memmove until a way is
 * chosen. */
struct cwi_copy_ways {
  cwi_copy_function run, row;
};
extern struct cwi_copy_ways cwi_copy_ways;

enum { CWI_LONG_ROW = 4096 };

/* Returns the function of a way, or NULL if the processor cannot run it, or for CWI_COPY_AUTO. */
cwi_copy_function cwi_copy_by(enum cwi_copies way);

/* Returns the way of this name, as in CW_COPY, or CWI_COPIES if there is none. */
enum cwi_copies cwi_copy_named(const char *name);

/* Returns the ways that this processor can run: bit i is set for way i. */
unsigned cwi_copies_here(void);

/* Writes an error message for a way that the processor cannot run: what the processor lacks, and
 * which ways of `here` (bits as in cwi_copies_here) can be chosen instead. */
void cwi_copy_unavailable(enum cwi_copies way, unsigned here, char *text, size_t size);

/* Uses this way from now on; CWI_COPY_AUTO uses the fastest for runs and the fastest for rows.
 * Measuring takes some 0.3 ms and is done once. Returns false if the processor cannot run the way.
 */
bool cwi_copy_choose(enum cwi_copies way);

/* Describes the ways in use and their measured times, for users. The text is valid until the next
 * call. */
const char *cwi_copy_describe(void);

/* Copies `bytes` bytes; the ranges may overlap. */
static inline void cwi_copy(void *to, const void *from, size_t bytes)
{
#if defined(__x86_64__)
  cwi_copy_ways.run(to, from, bytes);
#else
  memmove(to, from, bytes); /* the only way on other processors */
#endif
}
