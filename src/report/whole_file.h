/* A file of which nobody sees a half. */
#ifndef CWI_REPORT_WHOLE_FILE_H
#define CWI_REPORT_WHOLE_FILE_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_whole_file {
  FILE *out;
  const char *name;
  bool replaces;              /* it is written beside the name, and takes it in the end */
  char beside[PATH_MAX + 32]; /* then it is called so meanwhile */
  sigset_t signals;           /* that were held before */
};

/* Begin to write the file; 0, or errno. A device, a pipe or a link that has the name is written
 * into. The name stays the caller's. */
int cwi_whole_file_open(struct cwi_whole_file *file, const char *name);

/* All is written: the file has its name from now on. 0, or errno: then what was there is as before.
 */
int cwi_whole_file_close(struct cwi_whole_file *file);

/* What a process that has died while it wrote the file has left of it is no more. */
void cwi_whole_file_drop(const char *name, pid_t process);

#ifdef __cplusplus
}
#endif
#endif
