/* DRA: arrays on disk. All calls are collective over GA's default group, except those that only
 * return information. They return 0 on success. If an array does not exist or is damaged, DRA_Open
 * prints a message to standard error and returns -1. Every other error ends the job with a message.
 * The number of processes that read an array may differ from the number that wrote it. Thread
 * level: one thread at a time. */
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

/* A request that stands for no operation. */
#define DRA_REQ_INVALID -333

/* DRA_Init comes before all other calls of DRA, DRA_Terminate after them. max_arrays is at most
 * 1024; less than 1 means 1024. The other arguments have no effect. DRA_Terminate closes all
 * arrays. */
int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);
int DRA_Terminate(void);

/* Creates an array in the files `filename` and `filename`.info. If there are several nodes, each
 * node has its own file: `filename`.0 and so on. Existing files are overwritten. type is C_INT,
 * C_LONG, C_FLOAT, C_DBL, C_SCPL or C_DCPL; mode is DRA_RW or DRA_W. reqdims has the typical
 * extents of sections, or -1 if they are unknown. *d_a receives the handle. */
int NDRA_Create(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                dra_size_t reqdims[], int *d_a);

/* Opens an existing array. */
int DRA_Open(char *filename, int mode, int *d_a);

/* Close an array. DRA_Delete also deletes its files. */
int DRA_Close(int d_a);
int DRA_Delete(int d_a);

/* Stores the properties of an array. name receives at most 71 characters and filename at most 247,
 * each with a null character after them. */
int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t dims[], char *name, char *filename);

/* Transfer between an array in memory and an array on disk, or between sections of them. Whole
 * arrays must have the same type and dimensions. Sections must have the same type and number of
 * elements. If transp is not 0, the dimensions of g_a's section are used in reverse order. The
 * transfer is complete on return. *request receives the argument for DRA_Wait. At most 5 requests
 * may be open. A request is open until the program passes it to DRA_Wait or DRA_Probe. */
int NDRA_Write(int g_a, int d_a, int *request);
int NDRA_Read(int g_a, int d_a, int *request);
int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                       dra_size_t dhi[], int *request);
int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                      dra_size_t dhi[], int *request);

/* Complete a request. *compl_status receives -1, which means complete. */
int DRA_Wait(int request);
int DRA_Probe(int request, int *compl_status);

/* Sets the number of files of new arrays, and the number of processes of a node that access a file.
 * If numfiles is less than 1, there is one file for each node. If numioprocs is less than 1, all
 * processes of a node access its files. */
void DRA_Set_default_config(int numfiles, int numioprocs);

/* Print_internals prints the properties of an array. The other calls do nothing. */
void DRA_Print_internals(int d_a);
void DRA_Set_debug(logical flag);
void DRA_Flick(void);

#ifdef __cplusplus
}
#endif
#endif
