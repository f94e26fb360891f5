/* Names for files that are written beside their final place and renamed when they are complete.
 * Several jobs may write the same file at once, on several machines or in containers with the same
 * PIDs, so a name contains the host, the process and random bits. */
#pragma once

#include <stddef.h>

/* "HOST-PID-RANDOM", different at each call. */
enum { CWI_UNIQUE_NAME = 112 };
void cwi_unique_name(char unique[CWI_UNIQUE_NAME]);

/* Upper bound on the bytes by which a temporary name is longer than its path. */
enum { CWI_TEMPORARY_NAME = CWI_UNIQUE_NAME + 16 };

/* Writes "PATH.UNIQUE.ENDING". The file's own name is shortened, because it may be as long as the
 * file system allows. Returns 0, or ENAMETOOLONG if `size` bytes are too few. */
int cwi_temporary_name(char *beside, size_t size, const char *path, const char *unique,
                       const char *ending);

/* Creates a file that does not exist, for writing. Returns its descriptor, or -1 with errno. */
int cwi_temporary_create(const char *beside);
