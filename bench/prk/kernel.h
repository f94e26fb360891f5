/* Defines kernels and their sides, which contest.c runs.
 *
 *   main.c       the program
 *   options.c    the command line
 *   contest.c    a kernel's sides in turns: times, verification, its row of the table
 *   kernels.c    the list of kernels
 *   memory.c     the memory of a side, and signals in it
 *   mailbox.c    messages between processes, by the means of a side
 *   X.c          the definition of kernel X: sizes, first values, computation, verification
 *   X_sides.c    its sides: by Causeway, and by MPI in three ways
 *   star.c       the star of stencil and amr
 *   ga.c         transpose, nstream and dgemm on Global Arrays; ga_none.c: without libcwga
 *   product_*.c  the product in one process's memory, for dgemm */
#pragma once

#include "memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIZES = 2 };

/* One size of a problem. */
struct size {
  const char *name; /* NULL if the problem has no such size */
  int64_t usual, small;
  int64_t least, most;
};

/* A problem and the processes that solve it. */
struct problem {
  int64_t sizes[SIZES];
  int process, processes;
};

/* First member of each kernel's state. */
struct state {
  const struct problem *problem;
  struct memory memory;
  int runs; /* number of iterations since the first values */
};

/* One way to compute a kernel. begin and end may be NULL. run returns when this process's results
 * are complete. */
struct side {
  void (*begin)(void *state);
  void (*run)(void *state, int iterations);
  void (*end)(void *state);
};

/* A kernel after Van der Wijngaart and Mattson. The definition says what is computed, how it is
 * verified, and what counts as work. A state has state_bytes bytes and begins with a struct state.
 */
struct kernel {
  const char *name, *what;
  const char *unit; /* unit of the rate: millions of these per second */
  struct size sizes[SIZES];
  int usual_iterations, small_iterations;
  /* The number of iterations must be a multiple of this, or verification would show less. 0
   * means 1. */
  int multiple;
  size_t state_bytes;
  /* Returns the reason why a problem is not possible, or NULL. NULL if all problems are. */
  const char *(*reject)(const struct problem *problem);
  /* Partitions the problem and returns the bytes of memory that it needs. */
  size_t (*measure)(void *state);
  void (*place)(void *state); /* assigns addresses in the memory */
  void (*reset)(void *state); /* sets the first values */
  /* Returns the errors of this process; the sum over all processes must be 0. */
  double (*check)(void *state);
  /* For tests: makes the result wrong, by as little as a late transfer would, and so that a plain
   * sum does not show it. */
  void (*spoil)(void *state);
  void (*release)(void *state);                  /* frees what place has allocated; may be NULL */
  double (*work)(const struct problem *problem); /* returns the work of one iteration */
  /* Returns the acceptable errors. NULL if none are. */
  double (*allow)(const struct problem *problem);
  const struct side *sides[SIDES]; /* NULL for a side that does not exist */
};

extern const struct kernel p2p_kernel, stencil_kernel, transpose_kernel, random_kernel,
    random_exact_kernel, nstream_kernel, reduce_kernel, sparse_kernel, dgemm_kernel, amr_kernel,
    pic_kernel;

/* All kernels, ended by NULL. */
extern const struct kernel *kernels[];

/* Adds a kernel to the list, which has space for few. */
void kernels_add(const struct kernel *kernel);

static inline int64_t lesser(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* Returns true if one MPI call can transfer `count` elements, which it counts in an int. */
static inline bool fits_call(double count)
{
  return count <= INT_MAX;
}

/* A range of consecutive numbers. */
struct span {
  int64_t first, count;
};

static inline struct span span_of(int64_t total, int parts, int part)
{
  const int64_t first = total * part / parts;
  return (struct span){first, total * (part + 1) / parts - first};
}

/* Returns the part, of `parts` parts of `total` numbers, that has `number`. */
static inline int span_owner(int64_t total, int parts, int64_t number)
{
  return (int)(((number + 1) * parts - 1) / total);
}
