/* Multiplies one case in several ways by turns, and compares their times and results. */
#pragma once

#include "options.h"

/* Prints the first lines of the table, on process 0. */
void contest_heading(const struct options *options);

/* Runs all ways for one case, and prints their rows on process 0. Returns the number of ways with a
 * wrong C, on process 0 only. Collective. */
int contest_run(const struct options *options, bool ta, bool tb);
