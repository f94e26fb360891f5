/* The kernel nstream: A += B + s C; each process has a part of the vectors. */
#pragma once

#include "kernel.h"

struct vectors {
  struct state state;
  int64_t count; /* number of elements of this process */
  double *a, *b, *c;
};

void nstream_run(void *state, int iterations);
