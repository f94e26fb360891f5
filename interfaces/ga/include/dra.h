/* DRA: arrays on disk. All calls are collective over GA's default group, except those that only
 * return information. They return 0. DRA_Open returns -1 after a message on standard error if there
 * is no such array, or it is damaged. Every other error ends the job with a message. The number of
 * processes that read an array may differ from the number that wrote it. Thread level: one thread
 * at a time. */
#ifndef CWGA_DRA_H
#define CWGA_DRA_H

#include "chemio.h"
#include "typesf2c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef long dra_size_t;

/* Modes: read and write, read, write. */
#define DRA_RW ELIO_RW
#define DRA_R ELIO_R
#define DRA_W ELIO_W

/* A request for no operation: DRA_Wait returns at once. */
#define DRA_REQ_INVALID -333

/* Arrays are used between these two calls. max_arrays: at most 1024; less than 1 means 1024. The
 * other arguments have no effect. Terminate closes all arrays. */
int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);
int DRA_Terminate(void);

/* A new array in the file filename and filename.info. With several nodes each has a file of its
 * own, filename.0 and so on. Existing files are overwritten. type: C_INT, C_LONG, C_FLOAT, C_DBL,
 * C_SCPL or C_DCPL. mode: DRA_RW or DRA_W. reqdims: the typical extents of sections, -1 if unknown.
 * d_a: receives the handle. */
int NDRA_Create(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                dra_size_t reqdims[], int *d_a);

/* Opens an existing array. */
int DRA_Open(char *filename, int mode, int *d_a);

/* Close an array; Delete also deletes its files. */
int DRA_Close(int d_a);
int DRA_Delete(int d_a);

/* The properties of an array. name, filename: receive at most 71 and 247 characters, and a null
 * character. */
int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t dims[], char *name, char *filename);

/* Transfers between an array and one on disk of the same type and dimensions, or sections of the
 * same type and number of elements. transp: the dimensions of g_a's section are used in reverse
 * order. Complete on return. request: receives the argument for DRA_Wait. At most 5 requests may be
 * open, which means neither waited for nor found complete by DRA_Probe. */
int NDRA_Write(int g_a, int d_a, int *request);
int NDRA_Read(int g_a, int d_a, int *request);
int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                       dra_size_t dhi[], int *request);
int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                      dra_size_t dhi[], int *request);

/* compl_status: receives -1, which means complete. */
int DRA_Wait(int request);
int DRA_Probe(int request, int *compl_status);

/* The number of files per new array, and the number of processes of a node that access a file. Less
 * than 1 means one file per node, and all processes. */
void DRA_Set_default_config(int numfiles, int numioprocs);

/* Print_internals prints the properties of an array. The other calls do nothing. */
void DRA_Print_internals(int d_a);
void DRA_Set_debug(logical flag);
void DRA_Flick(void);

#ifdef __cplusplus
}
#endif
#endif
