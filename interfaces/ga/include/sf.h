/* SF: shared files. All members of GA's default group create a file together, and each reads and
 * writes any part of it. Calls return 0, or a code less than 0 after a message on standard error.
 * SF_Errmsg returns its text. An invalid handle ends the job. Thread level: one thread at a
 * time. */
#ifndef SF_H_
#define SF_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets and lengths are bytes, whole numbers from 0 on. */
typedef double SFsize_t;

/* Collective over the default group. The file's name is fname with a dot and a number: the first
 * number that no other shared file has, or suffix. Existing contents are kept. The sizes have no
 * effect. sf_handle: receives the handle. */
int SF_Create(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size,
              int *sf_handle);
int SF_Create_suffix(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit,
                     SFsize_t req_size, int *sf_handle, int suffix);

/* Deletes the file. Collective. */
int SF_Destroy(int sf_handle);

/* Local: close the file; open it again; make it read-only from now on; write it to the disk. */
int SF_Close(int sf_handle);
int SF_Open(int sf_handle);
int SF_Rwtor(int sf_handle);
int SF_Fsync(int sf_handle);

/* Write or read; complete on return. req_id: receives the argument for SF_Wait. An error is
 * returned by SF_Write or SF_Read, and not by SF_Wait, which then returns 0. */
int SF_Write(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id);
int SF_Read(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id);

/* Waitall returns 1 if one of the requests is invalid. */
int SF_Wait(int *req_id);
int SF_Waitall(int *list, int num);

/* The text of a code. msg has at least 80 characters. */
void SF_Errmsg(int code, char *msg);

#ifdef __cplusplus
}
#endif
#endif
