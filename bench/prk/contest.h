/* A kernel's sides in turns, and a row of the table. */
#ifndef PRK_CONTEST_H
#define PRK_CONTEST_H

#include "options.h"

/* Why the kernel cannot run on so many processes with such options; NULL: it can. */
const char *contest_reject(const struct kernel *kernel, const struct options *options);

/* Print what stands above the table. */
void contest_heading(void);

/* Run a kernel and print its row. Returns how many runs gave a wrong result, on every process.
 * Collective. */
int contest_run(const struct kernel *kernel, const struct options *options);

#endif
