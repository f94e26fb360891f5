/* EAF: exclusive access files, each used by one process. Calls return 0, or a code less than 0
 * after a message on standard error. EAF_Errmsg returns its text. Local. Offsets and lengths are
 * bytes, whole numbers from 0 on. Thread level: one thread at a time. */
#ifndef EAF_H
#define EAF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double eaf_off_t;

/* Kinds of files. RW: existing contents are kept, and may be read and written. W: existing contents
 * are deleted, and the file may be written. R: the file exists, and may be read. */
#define EAF_RW -1
#define EAF_W -2
#define EAF_R -3

/* Open a file. type: one of these, or a number of MiB from 1 on. With a number the file lies in
 * MA's heap until EAF_Delete, and is found again by its name; an existing one keeps its size,
 * whatever the number is. fd: receives the file's number. */
int EAF_Open(const char *fname, int type, int *fd);
int EAF_Close(int fd);

/* Delete a file, which does not have to exist. */
int EAF_Delete(const char *fname);

/* Write or read at an offset. A read beyond the end returns the bytes before the end, and the code
 * -1977, for which EAF_Eof is 1. */
int EAF_Write(int fd, eaf_off_t offset, const void *buf, size_t bytes);
int EAF_Read(int fd, eaf_off_t offset, void *buf, size_t bytes);

/* Like Write and Read; complete on return. req_id: receives the argument for EAF_Wait and
 * EAF_Probe. status: receives 0, which means complete. An error is returned by EAF_Awrite or
 * EAF_Aread, and not by EAF_Wait, which then returns 0. */
int EAF_Awrite(int fd, eaf_off_t offset, const void *buf, size_t bytes, int *req_id);
int EAF_Aread(int fd, eaf_off_t offset, void *buf, size_t bytes, int *req_id);
int EAF_Wait(int fd, int req_id);
int EAF_Probe(int req_id, int *status);

/* The length of a file. Truncate changes it, to a greater or smaller one. */
int EAF_Length(int fd, eaf_off_t *length);
int EAF_Truncate(int fd, eaf_off_t length);

/* The free space in the folder of a path, in MiB. fstype, of fslen characters, receives "UFS". */
int EAF_Stat(const char *path, long *avail_mb, char *fstype, int fslen);

/* Returns 1 if this code means that a read reached the end of the file, and 0 otherwise. */
int EAF_Eof(int code);

/* The text of a code. msg has at least 80 characters. */
void EAF_Errmsg(int code, char *msg);

/* Prints how much was written and read, and how fast. */
void EAF_Print_stats(int fd);

#ifdef __cplusplus
}
#endif
#endif
