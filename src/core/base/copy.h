/* Copying what programs move: the one way for everything that may be longer than some hundred
 * bytes.
 *
 * The C library's copy is slow at some addresses on some processors. On AMD's Zen 3 and Zen 4,
 * glibc takes `rep movsb` from 4 KiB to the size of the L2 cache. Where (to - from) mod 4096 is 1
 * to 15 that takes 16 to 27 times as long as a loop, and up to twice as long at other differences.
 * So there we have a loop of our own; other processors have the library's copy.
 * docs/results/copy.md has the times. */
#ifndef CWI_BASE_COPY_H
#define CWI_BASE_COPY_H

#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *(*cwi_copy_function)(void *to, const void *from, size_t bytes);

/* As memmove. Chosen when the program is loaded, for the processor that it runs on. */
extern cwi_copy_function cwi_copy_way;

/* Our own loop, chosen or not; NULL where the processor cannot run it. */
cwi_copy_function cwi_copy_own(void);

/* Copy bytes; the ranges may overlap. */
static inline void cwi_copy(void *to, const void *from, size_t bytes)
{
#if defined(__x86_64__)
  cwi_copy_way(to, from, bytes);
#else
  memmove(to, from, bytes); /* what every way is there */
#endif
}

#ifdef __cplusplus
}
#endif
#endif
