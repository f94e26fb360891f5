/* An OTF2 archive of which nobody sees a half: NAME.otf2, NAME.def, and a folder NAME. */
#ifndef CWI_REPORT_WHOLE_ARCHIVE_H
#define CWI_REPORT_WHOLE_ARCHIVE_H

#include <limits.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_whole_archive {
  char beside[PATH_MAX + 32]; /* the folder in which it is written */
  char folder[PATH_MAX];      /* in which it is to lie */
  char name[NAME_MAX + 1];    /* without ".otf2" */
};

/* Begin: name ends in .otf2. 0, or errno. */
int cwi_whole_archive_open(struct cwi_whole_archive *archive, const char *name);

/* All is written: it has its name from now on, and what was there has gone. 0, or errno. */
int cwi_whole_archive_close(struct cwi_whole_archive *archive);

/* What was written has gone; what a process that has died has written of it, too. */
void cwi_whole_archive_drop(struct cwi_whole_archive *archive);
void cwi_whole_archive_drop_of(const char *name, pid_t process);

#ifdef __cplusplus
}
#endif
#endif
