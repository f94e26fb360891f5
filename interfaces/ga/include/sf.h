/* SF: shared files. All members of GA's default group create a file together, and each reads and
 * writes any part of it. Calls return 0, or a code less than 0 after a sentence on standard error;
 * SF_Errmsg has its text. A handle that is none ends the job. Thread level: one thread at a time.
 */
#ifndef SF_H_
#define SF_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets and lengths are bytes, whole numbers from 0 on. */
typedef double SFsize_t;

/* Collective over the default group. The file is fname with a dot and a number: the first that no
 * other shared file has, or suffix. What is in it stays. The sizes have no meaning. sf_handle:
 * receives the handle. */
int SF_Create(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size,
              int *sf_handle);
int SF_Create_suffix(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit,
                     SFsize_t req_size, int *sf_handle, int suffix);

/* Collective: the file goes. */
int SF_Destroy(int sf_handle);

/* Of this process: close the file, open it again; from now on only read it; bring it to the disk.
 */
int SF_Close(int sf_handle);
int SF_Open(int sf_handle);
int SF_Rwtor(int sf_handle);
int SF_Fsync(int sf_handle);

/* Write or read, which is done on return. req_id: receives what SF_Wait wants. What fails is told
 * by the code of SF_Write or SF_Read, and not by SF_Wait, which then returns 0. */
int SF_Write(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id);
int SF_Read(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id);

/* Waitall returns 1 if one of the requests is none. */
int SF_Wait(int *req_id);
int SF_Waitall(int *list, int num);

/* The text of a code: msg has 80 characters at least. */
void SF_Errmsg(int code, char *msg);

#ifdef __cplusplus
}
#endif
#endif
