/* A file that is written under a temporary name and renamed when it is complete. */
#pragma once

#include "base/error.h"

#include <limits.h>
#include <stddef.h>

struct cwi_temporary_file {
  char path[PATH_MAX];   /* final name, with symbolic links resolved; it may not exist */
  char beside[PATH_MAX]; /* file that is being written; "" if there is none */
};

/* Creates an empty file in the folder of `path`. If `path` exists, the new file has its
 * permissions. */
CWI_CHECKED cw_error cwi_temporary_file_create(struct cwi_temporary_file *temporary,
                                               const char *path);

/* Synchronises the complete file to the disk, and renames it. */
CWI_CHECKED cw_error cwi_temporary_file_commit(struct cwi_temporary_file *temporary);

/* Removes the temporary file if it still exists. */
void cwi_temporary_file_remove(struct cwi_temporary_file *temporary);

/* Opens a file for writing. The caller closes it with cwi_file_finish, which synchronises it to the
 * disk. */
CWI_CHECKED cw_error cwi_file_open(const char *path, int *file);
/* Writes to a part of a file that has no data yet: zeros are left as holes. */
CWI_CHECKED cw_error cwi_file_write(int file, const char *path, const char *data, size_t bytes,
                                    size_t offset);
/* Copies everything but holes from the file `from`, and sets the same size. */
CWI_CHECKED cw_error cwi_file_copy(int from, int file, const char *path);
CWI_CHECKED cw_error cwi_file_finish(int file, const char *path, cw_error error);
