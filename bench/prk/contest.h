/* Runs a kernel's sides in turns and prints a row of the table. */
#pragma once

#include "options.h"

/* Returns the reason why the kernel cannot run with these processes and options, or NULL if it can.
 * */
const char *contest_reject(const struct kernel *kernel, const struct options *options);

/* Prints the heading of the table. */
void contest_heading(void);

/* Runs a kernel and prints its row. Returns the number of runs with a wrong result, on every
 * process. Collective. */
int contest_run(const struct kernel *kernel, const struct options *options);
