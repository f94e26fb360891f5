/* Interface of the sides of whole.c: operations on whole arrays and on patches, of libcwga and of
 * Debian's Global Arrays. */
#pragma once

#include <stddef.h>

enum { WHOLE_SAMPLES = 13 };

struct whole_operation {
  const char *name;
  void (*run)(void);
  double result; /* the right result, where sides have been seen to differ; otherwise 0 */
};

struct whole_side {
  void (*start)(void); /* collective, after MPI_Init */
  void (*stop)(void);
  /* Makes the arrays: n x n elements, and lines of n and of n * n. Collective. */
  void (*make)(int n);
  void (*destroy)(void);
  /* Samples some elements that operations write; the last sample is the operations' return value.
   * Collective. */
  void (*sample)(double samples[WHOLE_SAMPLES]);
  const struct whole_operation *operations; /* ended by an entry without a name */
};

/* whole_operations.c, compiled against libcwga and against Debian's GA. */
extern const struct whole_side whole_ours;
extern const struct whole_side whole_peer;
