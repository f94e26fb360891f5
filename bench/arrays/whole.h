/* What whole.c measures: operations on whole arrays and on patches, of libcwga and of Debian's
 * Global Arrays. */
#ifndef BENCH_WHOLE_H
#define BENCH_WHOLE_H

#include <stddef.h>

enum { WHOLE_SAMPLES = 13 };

struct whole_operation {
  const char *name;
  void (*run)(void);
  double result; /* what it returns, where sides were seen to differ; or 0 */
};

struct whole_side {
  void (*start)(void); /* collective, after MPI_Init */
  void (*stop)(void);
  /* Collective: make the arrays: n x n elements, and lines of n and of n * n. */
  void (*make)(int n);
  void (*destroy)(void);
  /* Collective: some elements of what operations write; the last one: what they return. */
  void (*sample)(double samples[WHOLE_SAMPLES]);
  const struct whole_operation *operations; /* the last one has no name */
};

/* whole_operations.c, compiled against libcwga and against Debian's GA. */
extern const struct whole_side whole_ours;
extern const struct whole_side whole_peer;

#endif
