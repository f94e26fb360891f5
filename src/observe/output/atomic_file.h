/* A file of which nobody sees a half. */
#ifndef CWI_OUTPUT_ATOMIC_FILE_H
#define CWI_OUTPUT_ATOMIC_FILE_H

#include "base/file_write.h"
#include "base/temporary_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct cwi_atomic_file {
  FILE *out;
  const char *name;
  bool replaces; /* it is written beside the name, and takes it in the end */
  char beside[PATH_MAX + CWI_TEMPORARY_NAME]; /* then it is called so meanwhile */
  struct cwi_write_signals signals;
};

/* Returns 0 if the file can be written as things are now, or errno. The attempt leaves nothing
 * behind and does not wait for a reader of a pipe. */
int cwi_atomic_file_try(const char *name, const char *unique);

/* Begins to write the file. A device, a pipe or a link that has the name is written into. The
 * name stays the caller's; `unique` is what cwi_unique_name has made for it. Until the file is
 * closed this thread blocks the signals of writes. Returns 0 or errno. */
int cwi_atomic_file_open(struct cwi_atomic_file *file, const char *name, const char *unique);

/* All is written: the file has its name from now on. 0, or errno: then what was there is as before.
 */
int cwi_atomic_file_close(struct cwi_atomic_file *file);

/* Removes what a process that died while it wrote the file has left of it. */
void cwi_atomic_file_drop(const char *name, const char *unique);
#endif
