/* The table of copies by size and address difference, compared with other ways to copy. */
#pragma once

#include "side.h"

#include <stdio.h>

struct bench_copies {
  size_t rows, slow; /* slow: number of rows more than a tenth slower than the best other way */
  double worst;
};

/* Measures copies on process 0 from `slice`, a slice of `process` that is mapped here. `ours` has
 * Causeway's calls. `csv` may be NULL. Not collective. */
struct bench_copies bench_copies(const struct bench_side *ours, char *slice, int process,
                                 int rounds, double seconds, FILE *csv);
