/* EAF: exclusive access files, each of one process. Calls return 0, or a code less than 0, after a
 * sentence on standard error; EAF_Errmsg has its text. Local. Offsets and lengths are bytes, whole
 * numbers from 0 on. Thread level: one thread at a time.
 */
#ifndef CWI_GA_INCLUDE_EAF_H
#define CWI_GA_INCLUDE_EAF_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double eaf_off_t;

/* Kinds of files: what is there stays, and may be read and written; what is there goes, and the
 * file may be written; it is there, and may be read. */
#define EAF_RW -1
#define EAF_W -2
#define EAF_R -3

/* Open a file. type: one of these, or a number of MiB from 1 on: then the file lies in MA's heap,
 * where it stays, and is found again by its name, until EAF_Delete; one that is there keeps its
 * size, whatever the number is. fd: receives its number. */
int EAF_Open(const char *fname, int type, int *fd);
int EAF_Close(int fd);

/* Delete a file; it need not be there. */
int EAF_Delete(const char *fname);

/* Write or read at an offset. A read beyond the end brings what comes before it, and returns -1977,
 * as EAF_Eof tells. */
int EAF_Write(int fd, eaf_off_t offset, const void *buf, size_t bytes);
int EAF_Read(int fd, eaf_off_t offset, void *buf, size_t bytes);

/* The same; they have done it on return. req_id: receives what EAF_Wait and EAF_Probe want. status:
 * receives 0, done. What fails is told by the code of EAF_Awrite or EAF_Aread, and not by EAF_Wait,
 * which then returns 0. */
int EAF_Awrite(int fd, eaf_off_t offset, const void *buf, size_t bytes, int *req_id);
int EAF_Aread(int fd, eaf_off_t offset, void *buf, size_t bytes, int *req_id);
int EAF_Wait(int fd, int req_id);
int EAF_Probe(int req_id, int *status);

/* The length of a file; give it another one, greater or less. */
int EAF_Length(int fd, eaf_off_t *length);
int EAF_Truncate(int fd, eaf_off_t length);

/* How much is free in the folder of a path, in MiB; fstype, of fslen characters, receives "UFS". */
int EAF_Stat(const char *path, long *avail_mb, char *fstype, int fslen);

/* Does this code say that a read met the end of the file? 1 or 0. */
int EAF_Eof(int code);

/* The text of a code: msg has 80 characters at least. */
void EAF_Errmsg(int code, char *msg);

/* Print how much was written and read, and how fast. */
void EAF_Print_stats(int fd);

#ifdef __cplusplus
}
#endif
#endif
