/* A file that readers never see half written. */
#pragma once

#include "base/file_write.h"
#include "base/temporary_name.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct cwi_atomic_file {
  FILE *out;
  const char *name;
  bool replaces; /* the file is written as `beside` and renamed at the end */
  char beside[PATH_MAX + CWI_TEMPORARY_NAME]; /* temporary name, if `replaces` */
  struct cwi_write_signals signals;
};

/* Returns 0 if the file could be written now; otherwise returns errno. Leaves nothing behind and
 * does not wait for the reader of a pipe. */
int cwi_atomic_file_try(const char *name, const char *unique);

/* Begins to write the file. A device, a pipe or a link of this name is written in place. `name`
 * must stay valid until the file is closed; `unique` was made by cwi_unique_name. Until the file is
 * closed, this thread blocks the signals that writing can raise. Returns 0 or errno. */
int cwi_atomic_file_open(struct cwi_atomic_file *file, const char *name, const char *unique);

/* Closes the complete file and gives it its name. Returns 0, or errno: then the previous file is
 * unchanged. */
int cwi_atomic_file_close(struct cwi_atomic_file *file);

/* Removes the unfinished file of a process that died while it wrote one. */
void cwi_atomic_file_drop(const char *name, const char *unique);
