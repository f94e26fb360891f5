/* What a kernel is, and a side of it: contest.c runs all of them alike.
 *
 *   main.c       the program
 *   options.c    the command line
 *   contest.c    a kernel's sides in turns: times, verification, its row of the table
 *   kernels.c    the list of kernels
 *   memory.c     the memory of a side, and signals in it
 *   mailbox.c       mailbox_way between processes, by the means of a side
 *   X.c          the definition of kernel X: sizes, first values, what is computed and verified
 *   X_sides.c    its sides: by Causeway, and by MPI in three ways
 *   star.c       the star of stencil and amr
 *   ga.c         transpose, nstream and dgemm on Global Arrays; ga_none.c: without libcwga
 *   product_*.c  the product in one process's memory, for dgemm */
#ifndef PRK_KERNEL_H
#define PRK_KERNEL_H

#include "memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIZES = 2 };

/* One size of a problem. */
struct size {
  const char *name; /* NULL: the problem has no such size */
  int64_t usual, small;
  int64_t least, most;
};

/* A problem, and who works on it. */
struct problem {
  int64_t sizes[SIZES];
  int process, processes;
};

/* What each kernel's state begins with. */
struct state {
  const struct problem *problem;
  struct memory memory;
  int runs; /* iterations since the first values */
};

/* One way to compute it. begin and end may be NULL. run returns when this process's results stand.
 */
struct side {
  void (*begin)(void *state);
  void (*run)(void *state, int iterations);
  void (*end)(void *state);
};

/* After Van der Wijngaart and Mattson: the definition says what is computed, how it is verified,
 * and what counts as work. A state has state_bytes bytes, and begins with a struct state. */
struct kernel {
  const char *name, *what;
  const char *unit; /* of the rate: millions of these in a second */
  struct size sizes[SIZES];
  int usual_iterations, small_iterations;
  int multiple; /* iterations that were not a multiple of this would say less; 0: of 1 */
  size_t state_bytes;
  const char *(*reject)(const struct problem *problem); /* NULL: takes all; or why it does not */
  size_t (*measure)(void *state); /* say how the problem is shared out; returns bytes of memory */
  void (*place)(void *state);     /* find places in the memory */
  void (*reset)(void *state);     /* first values */
  double (*check)(void *state);   /* this process's errors: those of all together must be 0 */
  void (*spoil)(void *state);     /* for a test: make what is verified wrong, as little as a late
                                     transfer does, and so that a plain sum does not show it */
  void (*release)(void *state);   /* give back what place has taken; may be NULL */
  double (*work)(const struct problem *problem);  /* of one iteration */
  double (*allow)(const struct problem *problem); /* errors that may be; NULL: none */
  const struct side *sides[SIDES];                /* NULL: there is no such side */
};

extern const struct kernel p2p_kernel, stencil_kernel, transpose_kernel, random_kernel,
    random_exact_kernel, nstream_kernel, reduce_kernel, sparse_kernel, dgemm_kernel, amr_kernel,
    pic_kernel;

/* All kernels; the last entry is NULL. */
extern const struct kernel *kernels[];

/* One more. There are not many. */
void kernels_add(const struct kernel *kernel);

static inline int64_t lesser(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Does so much fit into one call of MPI's, which counts by int? */
static inline bool fits_call(double count)
{
  return count <= INT_MAX;
}

/* A part of consecutive numbers. */
struct span {
  int64_t first, count;
};

static inline struct span span_of(int64_t total, int parts, int part)
{
  const int64_t first = total * part / parts;
  return (struct span){first, total * (part + 1) / parts - first};
}

/* Which part has a number of `total`. */
static inline int span_owner(int64_t total, int parts, int64_t number)
{
  return (int)(((number + 1) * parts - 1) / total);
}

#endif
