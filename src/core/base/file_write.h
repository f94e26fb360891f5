/* Writing to files without signals. A write beyond the limit on the size of files (ulimit -f)
 * raises SIGXFSZ, and a write to a pipe without a reader raises SIGPIPE. Both signals end a program
 * by default. All code that writes a file calls these functions, so that such a write fails with an
 * error code instead. */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* cwi_write_signals_block blocks SIGXFSZ and SIGPIPE in this thread. It is called before code that
 * writes with the C library, HDF5 or OTF2. A handler of the program does not run for such a write.
 */
struct cwi_write_signals {
  sigset_t before;  /* mask of the thread */
  sigset_t pending; /* signals that the program had blocked and that were already pending */
};
void cwi_write_signals_block(struct cwi_write_signals *signals);

/* Discards the signals that writes have raised since cwi_write_signals_block, and restores the
 * mask. Keeps errno. */
void cwi_write_signals_restore(const struct cwi_write_signals *signals);

/* Closes a stream. Call it while the signals are blocked. Returns 0, or errno of the write that
 * failed. */
int cwi_write_close(FILE *out);

/* Returns the length of the longest file that this process may write (ulimit -f), or SIZE_MAX. */
size_t cwi_file_limit(void);

/* Writes all of the bytes at an offset. Returns 0 or errno; ENOSPC if the system writes nothing. */
int cwi_write_at(int file, const void *data, size_t bytes, int64_t offset);

/* Sets the length of a file. Returns 0 or errno. */
int cwi_file_resize(int file, int64_t length);
