/* The table of copies: size by address difference, against other ways to copy. */
#ifndef BENCH_COPIES_H
#define BENCH_COPIES_H

#include "side.h"

#include <stdio.h>

struct bench_copies {
  size_t rows, slow; /* slow: more than a tenth slower than the best other way */
  double worst;
};

/* Process 0 copies from a slice that is mapped here; `ours`: Causeway's calls. Not collective. csv:
 * may be NULL. */
struct bench_copies bench_copies(const struct bench_side *ours, char *slice, int process,
                                 int rounds, double seconds, FILE *csv);

#endif
