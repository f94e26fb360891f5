/* SF: shared files. All members of GA's default group create a file together, and each reads and
 * writes any part of it. Calls return 0 on success. After an error they print a message to standard
 * error and return a code less than 0, whose text SF_Errmsg returns. An invalid handle ends the
 * job. Thread level: one thread at a time. */
#ifndef SF_H_
#define SF_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets and lengths are numbers of bytes: whole numbers from 0 on. */
typedef double SFsize_t;

/* Create a shared file. Collective over the default group. The name of the file is fname, a dot and
 * a number. SF_Create uses the first number that no other shared file has, SF_Create_suffix the
 * suffix. Existing contents are kept. The sizes have no effect. *sf_handle receives the handle. */
int SF_Create(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size,
              int *sf_handle);
int SF_Create_suffix(char *fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit,
                     SFsize_t req_size, int *sf_handle, int suffix);

/* Deletes the file. Collective. */
int SF_Destroy(int sf_handle);

/* SF_Close closes the file, SF_Open opens it again, SF_Rwtor makes it read-only from now on, and
 * SF_Fsync writes it to the disk. Local. */
int SF_Close(int sf_handle);
int SF_Open(int sf_handle);
int SF_Rwtor(int sf_handle);
int SF_Fsync(int sf_handle);

/* Write or read at an offset. Complete on return. *req_id receives the argument for SF_Wait.
 * SF_Write and SF_Read return the error; SF_Wait then returns 0. */
int SF_Write(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id);
int SF_Read(int sf_handle, SFsize_t offset, SFsize_t bytes, char *buffer, int *req_id);

/* Wait for requests. SF_Waitall returns 1 if one of the requests is invalid. */
int SF_Wait(int *req_id);
int SF_Waitall(int *list, int num);

/* Stores the text of a code. msg must have space for 80 characters. */
void SF_Errmsg(int code, char *msg);

#ifdef __cplusplus
}
#endif
#endif
