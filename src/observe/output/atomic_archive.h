/* An OTF2 archive (NAME.otf2, NAME.def and a folder NAME) that readers never see half written. */
#pragma once

#include "base/file_write.h"
#include "base/temporary_name.h"

#include <limits.h>

struct cwi_atomic_archive {
  char beside[PATH_MAX + CWI_TEMPORARY_NAME]; /* temporary folder in which it is written */
  char folder[PATH_MAX];                      /* final folder */
  char name[NAME_MAX + 1];                    /* without ".otf2" */
  struct cwi_write_signals signals;
};

/* Returns 0 if the archive could be written now; otherwise returns errno. Leaves nothing behind. */
int cwi_atomic_archive_try(const char *name, const char *unique);

/* Begins to write the archive. `name` ends in .otf2, and `unique` was made by cwi_unique_name.
 * Until the archive is closed or dropped, this thread blocks the signals that writing can raise.
 * Returns 0 or errno. */
int cwi_atomic_archive_open(struct cwi_atomic_archive *archive, const char *name,
                            const char *unique);

/* Moves the complete archive to its name and removes the previous one. Returns 0 or errno. */
int cwi_atomic_archive_close(struct cwi_atomic_archive *archive);

/* Removes the unfinished archive. cwi_atomic_archive_drop_of does so for a process that died while
 * it wrote one. */
void cwi_atomic_archive_drop(struct cwi_atomic_archive *archive);
void cwi_atomic_archive_drop_of(const char *name, const char *unique);
