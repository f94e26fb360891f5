/* An OTF2 archive of which nobody sees a half: NAME.otf2, NAME.def, and a folder NAME. */
#ifndef CWI_REPORT_WHOLE_ARCHIVE_H
#define CWI_REPORT_WHOLE_ARCHIVE_H

#include "base/beside.h"
#include "base/write.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_whole_archive {
  char beside[PATH_MAX + CWI_BESIDE]; /* the folder in which it is written */
  char folder[PATH_MAX];              /* in which it is to lie */
  char name[NAME_MAX + 1];            /* without ".otf2" */
  struct cwi_write_signals signals;
};

/* Returns 0 if the archive can be written as things are now, or errno. */
int cwi_whole_archive_try(const char *name, const char *unique);

/* Begins to write the archive; name ends in .otf2, and `unique` is what cwi_unique has
 * made for it. Until it is closed or dropped this thread blocks
 * the signals of writes. Returns 0 or errno. */
int cwi_whole_archive_open(struct cwi_whole_archive *archive, const char *name, const char *unique);

/* Gives the complete archive its name; what was there has gone. Returns 0 or errno. */
int cwi_whole_archive_close(struct cwi_whole_archive *archive);

/* Removes what was written, or what a process that died has left of it. */
void cwi_whole_archive_drop(struct cwi_whole_archive *archive);
void cwi_whole_archive_drop_of(const char *name, const char *unique);

#ifdef __cplusplus
}
#endif
#endif
