/* A file that is written beside its place and takes it when it is complete. */
#ifndef CWI_FILE_TEMPORARY_FILE_H
#define CWI_FILE_TEMPORARY_FILE_H

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

struct cwi_temporary_file {
  char path[PATH_MAX];   /* the place; what a symbolic link points to, there or not */
  char beside[PATH_MAX]; /* the file that is being written; "": none */
};

/* Make an empty file beside `path`, with the permissions of the file that is there. */
CWI_CHECKED cw_error cwi_temporary_file_create(struct cwi_temporary_file *temporary,
                                               const char *path);

/* Everything is written: to the disk with it, and give it its name. */
CWI_CHECKED cw_error cwi_temporary_file_commit(struct cwi_temporary_file *temporary);

/* Remove it, if it is still there. */
void cwi_temporary_file_remove(struct cwi_temporary_file *temporary);

/* Open for writing, to be closed by cwi_file_finish: what was written is then on the disk. */
CWI_CHECKED cw_error cwi_file_open(const char *path, int *file);
/* Of a file that has no data there yet: zeros stay holes. */
CWI_CHECKED cw_error cwi_file_write(int file, const char *path, const char *data, size_t bytes,
                                    size_t offset);
/* Copy what is not a hole in another file, and its size. */
CWI_CHECKED cw_error cwi_file_copy(int from, int file, const char *path);
CWI_CHECKED cw_error cwi_file_finish(int file, const char *path, cw_error error);
#endif
