/* EAF: exclusive access files. A file is used by one process. Calls return 0 on success. After an
 * error they print a message to standard error and return a code less than 0, whose text EAF_Errmsg
 * returns. All calls are local. Offsets and lengths are numbers of bytes: whole numbers from 0 on.
 * Thread level: one thread at a time. */
#ifndef EAF_H
#define EAF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double eaf_off_t;

/* Modes of files. With EAF_RW, existing contents are kept, and the file may be read and written.
 * With EAF_W, existing contents are deleted, and the file may be written. With EAF_R, the file must
 * exist, and may be read. */
#define EAF_RW -1
#define EAF_W -2
#define EAF_R -3

/* Open a file. type is a mode, or a number of MiB from 1 on. With a number of MiB, the file is in
 * MA's heap until EAF_Delete, and can be opened again by its name. An existing file keeps its size,
 * whatever the number is. *fd receives the number of the open file. */
int EAF_Open(const char *fname, int type, int *fd);
int EAF_Close(int fd);

/* Deletes a file. It need not exist. */
int EAF_Delete(const char *fname);

/* Write or read at an offset. A read beyond the end stores the bytes before the end, and returns
 * the code -1977, for which EAF_Eof returns 1. */
int EAF_Write(int fd, eaf_off_t offset, const void *buf, size_t bytes);
int EAF_Read(int fd, eaf_off_t offset, void *buf, size_t bytes);

/* Like EAF_Write and EAF_Read. They are complete on return. *req_id receives the argument for
 * EAF_Wait and EAF_Probe. *status receives 0, which means complete. EAF_Awrite and EAF_Aread return
 * the error; EAF_Wait then returns 0. */
int EAF_Awrite(int fd, eaf_off_t offset, const void *buf, size_t bytes, int *req_id);
int EAF_Aread(int fd, eaf_off_t offset, void *buf, size_t bytes, int *req_id);
int EAF_Wait(int fd, int req_id);
int EAF_Probe(int req_id, int *status);

/* EAF_Length stores the length of a file. EAF_Truncate sets it, to a greater or smaller one. */
int EAF_Length(int fd, eaf_off_t *length);
int EAF_Truncate(int fd, eaf_off_t length);

/* Stores the free space of the file system of a path, in MiB. fstype, which has space for fslen
 * characters, receives "UFS". */
int EAF_Stat(const char *path, long *avail_mb, char *fstype, int fslen);

/* Returns 1 if this code means that a read went beyond the end of the file, and 0 otherwise. */
int EAF_Eof(int code);

/* Stores the text of a code. msg must have space for 80 characters. */
void EAF_Errmsg(int code, char *msg);

/* Prints the numbers of bytes that were written and read, and the speed. */
void EAF_Print_stats(int fd);

#ifdef __cplusplus
}
#endif
#endif
