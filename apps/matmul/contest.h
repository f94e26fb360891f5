/* One case, multiplied in several ways in turns, and what came of it. */
#ifndef MATMUL_CONTEST_H
#define MATMUL_CONTEST_H

#include "options.h"

/* Print the table's first lines. */
void contest_heading(const struct options *options);

/* Returns how many ways gave a wrong C; on process 0, which prints. Collective. */
int contest_run(const struct options *options, bool ta, bool tb);

#endif
