/* DRA: arrays on disk. All calls are collective over GA's default group, but for those that only
 * ask. They return 0; DRA_Open returns -1 after a sentence on standard error if there is no such
 * array, or it is damaged. Every other error ends the job with a sentence. An array may be read by
 * another number of processes than wrote it. Thread level: one thread at a time.
 */
#ifndef CWI_GA_INCLUDE_DRA_H
#define CWI_GA_INCLUDE_DRA_H

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

/* A request that nobody made: DRA_Wait returns at once. */
#define DRA_REQ_INVALID -333

/* Between these two arrays are in use. max_arrays: at most 1024, less than 1: as many. The others
 * have no meaning. Terminate closes all. */
int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory);
int DRA_Terminate(void);

/* A new array in the file filename and filename.info; of several nodes each has a file of its own,
 * filename.0 and so on. What was there goes. type: C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL or C_DCPL.
 * mode: DRA_RW or DRA_W. reqdims: what sections are usually like, -1: unknown. d_a: receives the
 * handle. */
int NDRA_Create(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                dra_size_t reqdims[], int *d_a);

/* An array that is there. */
int DRA_Open(char *filename, int mode, int *d_a);

/* End its use; delete its files, too. */
int DRA_Close(int d_a);
int DRA_Delete(int d_a);

/* What it is like. name, filename: receive at most 71 and 247 characters, and their ends. */
int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t dims[], char *name, char *filename);

/* Between an array and one on disk of the same type and dimensions, or sections of the same type
 * and number of elements; transp: the dimensions of g_a's section are taken in the opposite order.
 * Done on return. request: receives what DRA_Wait wants; at most 5 may be neither waited for
 * nor found done by DRA_Probe. */
int NDRA_Write(int g_a, int d_a, int *request);
int NDRA_Read(int g_a, int d_a, int *request);
int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                       dra_size_t dhi[], int *request);
int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[],
                      dra_size_t dhi[], int *request);

/* compl_status: receives -1, done. */
int DRA_Wait(int request);
int DRA_Probe(int request, int *compl_status);

/* In how many files arrays are created, and how many processes of a node work on a file; less than
 * 1: as many files as nodes, all processes. */
void DRA_Set_default_config(int numfiles, int numioprocs);

/* Print what is known of an array. The others do nothing. */
void DRA_Print_internals(int d_a);
void DRA_Set_debug(logical flag);
void DRA_Flick(void);

#ifdef __cplusplus
}
#endif
#endif
