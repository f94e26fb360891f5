/* An OTF2 archive of which nobody sees a half: NAME.otf2, NAME.def, and a folder NAME. */
#ifndef CWI_OUTPUT_ATOMIC_ARCHIVE_H
#define CWI_OUTPUT_ATOMIC_ARCHIVE_H

#include "base/file_write.h"
#include "base/temporary_name.h"

#include <limits.h>

struct cwi_atomic_archive {
  char beside[PATH_MAX + CWI_TEMPORARY_NAME]; /* the folder in which it is written */
  char folder[PATH_MAX];                      /* in which it is to lie */
  char name[NAME_MAX + 1];                    /* without ".otf2" */
  struct cwi_write_signals signals;
};

/* Returns 0 if the archive can be written as things are now, or errno. */
int cwi_atomic_archive_try(const char *name, const char *unique);

/* Begins to write the archive; name ends in .otf2, and `unique` is what cwi_unique_name has
 * made for it. Until it is closed or dropped this thread blocks
 * the signals of writes. Returns 0 or errno. */
int cwi_atomic_archive_open(struct cwi_atomic_archive *archive, const char *name,
                            const char *unique);

/* Gives the complete archive its name; what was there has gone. Returns 0 or errno. */
int cwi_atomic_archive_close(struct cwi_atomic_archive *archive);

/* Removes what was written, or what a process that died has left of it. */
void cwi_atomic_archive_drop(struct cwi_atomic_archive *archive);
void cwi_atomic_archive_drop_of(const char *name, const char *unique);
#endif
