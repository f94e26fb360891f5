/* Global Arrays' C interface on Causeway: arrays distributed over the processes of a job.
 *
 *   ga.h          start and stop, arrays, one-sided access, groups, collectives; and the next ones:
 *   ga-math.h     operations on whole arrays and patches, matrix multiply, solvers, printing
 *   ga-layout.h   block-cyclic arrays and ghost cells
 *   ga-sparse.h   sparse arrays
 *   gacommon.h    limits and codes of types; macommon.h, typesf2c.h: what they and MA share
 *   macdecls.h    MA: memory of my own
 *   ga-mpi.h      communicators of groups, and GA on a communicator
 *
 * Names, types and meaning are those of GA 5.9. Most calls have two spellings, GA_ and NGA_, which
 * mean the same, and take indices as int or, with 64 behind the name, as int64_t. Arrays are
 * row-major, their indices begin at 0, and hi is the last index, not the one behind it. Local:
 * without help of other processes. Collective: by all processes of the array's group, in the same
 * order; such calls begin and end with a synchronisation (GA_Mask_sync). Every error ends the job,
 * with a message that names the call, the argument and what is legal. docs/reference/ga.md says which calls
 * several threads may make, and where Causeway differs from GA. */
#ifndef CWGA_GA_H
#define CWGA_GA_H

#include "ga-layout.h"
#include "ga-math.h"
#include "ga-mpi.h"
#include "ga-sparse.h"
#include "gacommon.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Start, stop, errors ---- */

/* Start and stop GA. MPI_Init comes first, and MPI_Finalize after GA_Terminate, which frees every
 * array that is left. A second Initialize does nothing; after Terminate GA may be started again.
 * argc, argv: not used. limit: bytes that all my arrays together may take, 0 for no limit.
 * Collective over MPI_COMM_WORLD. */
void GA_Initialize(void);
void NGA_Initialize(void);
void GA_Initialize_args(int *argc, char ***argv);
void GA_Initialize_ltd(size_t limit);
void NGA_Initialize_ltd(size_t limit);
void GA_Terminate(void);
void NGA_Terminate(void);

/* Returns whether GA is running. Local. */
int GA_Initialized(void);
int NGA_Initialized(void);

/* Print the message and the number, and end the job with its low 8 bits as status; with 255 if
 * these are 0. Local; does not return. */
void GA_Error(char *message, int code);
void NGA_Error(char *message, int code);

/* The memory of this process's arrays: the limit in bytes; whether there is one; how much of it is
 * left; how much is in use. Inquire_memory counts all arrays, with a limit or without. Local. */
void GA_Set_memory_limit(size_t limit);
void NGA_Set_memory_limit(size_t limit);
int GA_Memory_limited(void);
int NGA_Memory_limited(void);
size_t GA_Memory_avail(void);
size_t NGA_Memory_avail(void);
size_t GA_Inquire_memory(void);
size_t NGA_Inquire_memory(void);

/* Memory for Assemble_duplicate: this number of elements of the type for each process of the group.
 * Collective over the group. */
void *GA_Getmem(int type, int elements, int group);
void GA_Freemem(void *ptr);

/* The program's own allocation functions for GA's temporary memory. Causeway does not need them: it
 * records them and never calls them. */
void GA_Register_stack_memory(void *(*ext_alloc)(size_t, int, char *), void (*ext_free)(void *));

/* A flag that programs may store here; it has no effect. Local. */
int GA_Get_debug(void);
int NGA_Get_debug(void);
void GA_Set_debug(int flag);
void NGA_Set_debug(int flag);

/* Seconds since some time in the past. Local. */
double GA_Wtime(void);
double NGA_Wtime(void);

/* ---- Arrays: create, describe, destroy ---- */

/* Create an array in one call. type: C_INT ... or a registered type. dims: its shape, ndim numbers.
 * name: at most 31 characters are kept. chunk: NULL, or for each dimension the least width of a
 * block, dims[d] to leave the dimension whole, less than 2 for no minimum. group: the processes
 * that have it. block, map: the number of blocks of each dimension, and the first index of each
 * block, dimension after dimension. Collective over the group (the default group where none is
 * named). The contents are undefined. Returns the handle, or 0 when memory runs out on any process.
 */
int NGA_Create(int type, int ndim, int dims[], char *name, int chunk[]);
int NGA_Create64(int type, int ndim, int64_t dims[], char *name, int64_t chunk[]);
int NGA_Create_config(int type, int ndim, int dims[], char *name, int chunk[], int group);
int NGA_Create_config64(int type, int ndim, int64_t dims[], char *name, int64_t chunk[], int group);
int NGA_Create_irreg(int type, int ndim, int dims[], char *name, int block[], int map[]);
int NGA_Create_irreg64(int type, int ndim, int64_t dims[], char *name, int64_t block[],
                       int64_t map[]);
int NGA_Create_irreg_config(int type, int ndim, int dims[], char *name, int block[], int map[],
                            int group);
int NGA_Create_irreg_config64(int type, int ndim, int64_t dims[], char *name, int64_t block[],
                              int64_t map[], int group);

/* Create an array step by step: a handle, its data, other properties as needed, then Allocate,
 * which returns 1, or 0 when memory runs out. Deallocate frees the memory, keeps the handle,
 * and returns 1. Collective over the array's group; the Set calls are local and the same on all
 * members. */
int GA_Create_handle(void);
int NGA_Create_handle(void);
void GA_Set_data(int g_a, int ndim, int dims[], int type);
void NGA_Set_data(int g_a, int ndim, int dims[], int type);
void GA_Set_data64(int g_a, int ndim, int64_t dims[], int type);
void NGA_Set_data64(int g_a, int ndim, int64_t dims[], int type);
void GA_Set_array_name(int g_a, char *name);
void NGA_Set_array_name(int g_a, char *name);
void GA_Set_chunk(int g_a, int chunk[]);
void NGA_Set_chunk(int g_a, int chunk[]);
void GA_Set_chunk64(int g_a, int64_t chunk[]);
void NGA_Set_chunk64(int g_a, int64_t chunk[]);
void GA_Set_irreg_distr(int g_a, int map[], int block[]);
void NGA_Set_irreg_distr(int g_a, int map[], int block[]);
void GA_Set_irreg_distr64(int g_a, int64_t map[], int64_t block[]);
void NGA_Set_irreg_distr64(int g_a, int64_t map[], int64_t block[]);
void GA_Set_irreg_flag(int g_a, int flag);
void NGA_Set_irreg_flag(int g_a, int flag);
void GA_Set_pgroup(int g_a, int group);
void NGA_Set_pgroup(int g_a, int group);
void GA_Set_memory_dev(int g_a, char *device);
void NGA_Set_memory_dev(int g_a, char *device);
int GA_Allocate(int g_a);
int NGA_Allocate(int g_a);
int GA_Deallocate(int g_a);
int NGA_Deallocate(int g_a);

/* A restricted array has its data on the listed processes only. Before Allocate. */
void GA_Set_restricted(int g_a, int list[], int size);
void NGA_Set_restricted(int g_a, int list[], int size);
void GA_Set_restricted_range(int g_a, int lo_proc, int hi_proc);
void NGA_Set_restricted_range(int g_a, int lo_proc, int hi_proc);

/* An array like g_a, with undefined contents. Assemble_duplicate: in the memory of Getmem. Overlay:
 * makes g_a an array in the memory of g_p, which must be large enough. Collective over the group.
 */
int GA_Duplicate(int g_a, char *name);
int NGA_Duplicate(int g_a, char *name);
int GA_Assemble_duplicate(int g_a, char *name, void *ptr);
int GA_Overlay(int g_a, int g_p);
int NGA_Overlay(int g_a, int g_p);

/* Free the array; GA uses its handle again only after 256 others. Collective over the group. */
void GA_Destroy(int g_a);
void NGA_Destroy(int g_a);

/* Elements of `bytes` bytes, 1 to INT_MAX, without arithmetic: Register_type returns the type's
 * code, 1017 for the first. Local, the same on all processes. */
int NGA_Register_type(size_t bytes);
int NGA_Deregister_type(int type);

/* Not part of GA: the bytes of an element of this type; 0 if there is no such type. Local. Complete
 * on return: nothing is started. Thread level: any. Errors: none. */
size_t cw_ga_type_bytes(int type);

/* A hint how the program uses the array: "read_only", "read_cache". Collective over the group.
 * Unset takes it back. */
void GA_Set_property(int g_a, char *property);
void NGA_Set_property(int g_a, char *property);
void GA_Unset_property(int g_a);
void NGA_Unset_property(int g_a);

/* ---- Arrays: what and where they are ---- */

/* Shape, type (always the C code) and name of an array. Local. */
void NGA_Inquire(int g_a, int *type, int *ndim, int dims[]);
void NGA_Inquire64(int g_a, int *type, int *ndim, int64_t dims[]);
int GA_Ndim(int g_a);
int NGA_Ndim(int g_a);
int GA_Get_dimension(int g_a);
int NGA_Get_dimension(int g_a);
char *GA_Inquire_name(int g_a);
char *NGA_Inquire_name(int g_a);

/* Tests for a handle of an array. Verify_handle and Valid_handle return 1 or 0. Check_handle ends
 * the job if it is not one, with the string in the message. Local. */
int GA_Valid_handle(int g_a);
int NGA_Valid_handle(int g_a);
int GA_Verify_handle(int g_a);
int NGA_Verify_handle(int g_a);
void GA_Check_handle(int g_a, char *message);

/* The patch of a process; every lo is -1 and every hi -2 if it has none, or if there is no such
 * process, as with GA. For block-cyclic arrays process is the number of a block. Processes are
 * numbered in the array's group. Local. */
void NGA_Distribution(int g_a, int process, int lo[], int hi[]);
void NGA_Distribution64(int g_a, int process, int64_t lo[], int64_t hi[]);

/* Locate: the process that owns an element, -1 if it lies outside. Locate_region: the processes
 * that own parts of a patch, in row-major order of their blocks, with these parts in map: lo and hi
 * of each, 2 * ndim numbers. Locate_region and Locate_nnodes return the number of these processes,
 * or 0 if the patch is not inside the array. Local. */
int NGA_Locate(int g_a, int index[]);
int NGA_Locate64(int g_a, int64_t index[]);
int NGA_Locate_region(int g_a, int lo[], int hi[], int map[], int procs[]);
int NGA_Locate_region64(int g_a, int64_t lo[], int64_t hi[], int64_t map[], int procs[]);
int NGA_Locate_nnodes(int g_a, int lo[], int hi[]);
int NGA_Locate_nnodes64(int g_a, int64_t lo[], int64_t hi[]);
int NGA_Locate_num_blocks(int g_a, int lo[], int hi[]);

/* Compares the distributions of two arrays. Returns 0 if they are the same, 1 if not. Collective
 * over the group. */
int GA_Compare_distr(int g_a, int g_b);
int NGA_Compare_distr(int g_a, int g_b);

/* The number of blocks in each dimension; the coordinates of a process in the grid of processes,
 * beginning with the last dimension, as with GA. Local. */
void GA_Nblock(int g_a, int nblock[]);
void NGA_Nblock(int g_a, int nblock[]);
void NGA_Proc_topology(int g_a, int process, int coord[]);

/* Uses_ma: whether GA takes arrays from MA; returns 0. Uses_fapi: whether this is the Fortran
 * interface; returns 0. Local. */
int GA_Uses_ma(void);
int NGA_Uses_ma(void);
int GA_Uses_fapi(void);

/* The number of this process and the number of processes, in the default group; the numbers of all
 * processes. Local. */
int GA_Nodeid(void);
int NGA_Nodeid(void);
int GA_Nnodes(void);
int NGA_Nnodes(void);
void GA_List_nodeid(int list[], int count);
void NGA_List_nodeid(int list[], int count);

/* Nodes are machines whose processes share memory. The number of nodes, the number of this
 * process's node, the processes on node x, the number of process y of node x, the node of a
 * process. Local. */
int GA_Cluster_nnodes(void);
int GA_Cluster_nodeid(void);
int GA_Cluster_nprocs(int x);
int GA_Cluster_procid(int x, int y);
int GA_Cluster_proc_nodeid(int process);

/* ---- One-sided: put, get, accumulate ---- */

/* lo, hi: first and last index of the patch. buf: my memory. ld: extents of dimensions 1, 2, ... of
 * the buffer in elements, ndim - 1 of them. alpha: address of a factor of the array's type.
 * When Put and Acc return, the buffer may be used again; the array is updated after GA_Sync or
 * GA_Fence. When Get returns, the data has arrived. Acc is atomic for each element against other
 * accumulates. Local. */
void NGA_Put(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Put64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Get(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Get64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Acc(int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha);
void NGA_Acc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha);

/* Like Put, Get and Acc, for every skip[d]-th element of the patch; the buffer has no gaps. */
void NGA_Strided_put(int g_a, int lo[], int hi[], int skip[], void *buf, int ld[]);
void NGA_Strided_put64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf,
                       int64_t ld[]);
void NGA_Strided_get(int g_a, int lo[], int hi[], int skip[], void *buf, int ld[]);
void NGA_Strided_get64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf,
                       int64_t ld[]);
void NGA_Strided_acc(int g_a, int lo[], int hi[], int skip[], void *buf, int ld[], void *alpha);
void NGA_Strided_acc64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[],
                       void *alpha);

/* Like Put, Get and Acc, for patches that may leave the array on one side and continue on the
 * other. */
void NGA_Periodic_put(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Periodic_put64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Periodic_get(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Periodic_get64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Periodic_acc(int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha);
void NGA_Periodic_acc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha);

/* Bytes foff to foff + fsize - 1 of each element of a registered type. */
void NGA_Put_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[]);
void NGA_Get_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[]);

/* Like Put, Get and Acc, without waiting: the handle identifies the operation, and NbWait completes
 * the buffer. NbTest: 1 if it is complete. The same handle may be given again; the older operation
 * then completes at the next GA_Sync at the latest. */
void NGA_NbPut(int g_a, int lo[], int hi[], void *buf, int ld[], ga_nbhdl_t *handle);
void NGA_NbPut64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], ga_nbhdl_t *handle);
void NGA_NbGet(int g_a, int lo[], int hi[], void *buf, int ld[], ga_nbhdl_t *handle);
void NGA_NbGet64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], ga_nbhdl_t *handle);
void NGA_NbAcc(int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha, ga_nbhdl_t *handle);
void NGA_NbAcc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha,
                 ga_nbhdl_t *handle);
void NGA_Nbput_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[],
                     ga_nbhdl_t *handle);
void NGA_Nbget_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[],
                     ga_nbhdl_t *handle);
void NGA_NbWait(ga_nbhdl_t *handle);
int NGA_NbTest(ga_nbhdl_t *handle);

/* Lists of n elements: subs[k] points to the ndim indices of element k (flat: they lie one behind
 * the other), v has the values. Scatter: if the list names an element twice, it is undefined which
 * value stays. Scatter_acc adds alpha times each value. Local. */
void NGA_Gather(int g_a, void *v, int *subs[], int n);
void NGA_Gather64(int g_a, void *v, int64_t *subs[], int64_t n);
void NGA_Gather_flat(int g_a, void *v, int subs[], int n);
void NGA_Gather_flat64(int g_a, void *v, int64_t subs[], int64_t n);
void NGA_Scatter(int g_a, void *v, int *subs[], int n);
void NGA_Scatter64(int g_a, void *v, int64_t *subs[], int64_t n);
void NGA_Scatter_flat(int g_a, void *v, int subs[], int n);
void NGA_Scatter_flat64(int g_a, void *v, int64_t subs[], int64_t n);
void NGA_Scatter_acc(int g_a, void *v, int *subs[], int n, void *alpha);
void NGA_Scatter_acc64(int g_a, void *v, int64_t *subs[], int64_t n, void *alpha);
void NGA_Scatter_acc_flat(int g_a, void *v, int subs[], int n, void *alpha);
void NGA_Scatter_acc_flat64(int g_a, void *v, int64_t subs[], int64_t n, void *alpha);

/* Allocate memory for them in advance. Causeway needs none: nothing happens. */
void NGA_Alloc_gatscat_buf(int elements);
void NGA_Free_gatscat_buf(void);

/* Add to an element of type C_INT, C_LONG or C_LONGLONG, atomically; returns the old value. Local.
 */
long NGA_Read_inc(int g_a, int index[], long inc);
long NGA_Read_inc64(int g_a, int64_t index[], long inc);

/* The address of a patch in this process's memory (ptr: where to store it), and the extents ld of
 * the memory around it. It must be within this process's block. Release ends the access,
 * Release_update also says that the program has written. Local. */
void NGA_Access(int g_a, int lo[], int hi[], void *ptr, int ld[]);
void NGA_Access64(int g_a, int64_t lo[], int64_t hi[], void *ptr, int64_t ld[]);
void NGA_Release(int g_a, int lo[], int hi[]);
void NGA_Release64(int g_a, int64_t lo[], int64_t hi[]);
void NGA_Release_update(int g_a, int lo[], int hi[]);
void NGA_Release_update64(int g_a, int64_t lo[], int64_t hi[]);

/* ---- Order and mutual exclusion ---- */

/* Complete what I started at all processes, and wait for the default group. Mask_sync drops the
 * first or last synchronisation of the next collective call. */
void GA_Sync(void);
void NGA_Sync(void);
void GA_Mask_sync(int first, int last);
void NGA_Mask_sync(int first, int last);

/* Complete at their targets the operations since Init_fence. Local. */
void GA_Init_fence(void);
void NGA_Init_fence(void);
void GA_Fence(void);
void NGA_Fence(void);

/* Mutexes 0 to count - 1, one set at a time. Create and Destroy: collective over the world; they
 * return 1, or 0 on failure. Lock and Unlock: local; not recursive. */
int GA_Create_mutexes(int count);
int GA_Destroy_mutexes(void);
int NGA_Destroy_mutexes(void);
void GA_Lock(int mutex);
void NGA_Lock(int mutex);
void GA_Unlock(int mutex);
void NGA_Unlock(int mutex);

/* ---- Groups of processes ---- */

/* Groups are numbered: -1 the world, 0 the processes of my node (mirrored arrays), others from 1
 * on. Create: of the listed processes of the default group, in ascending order; split: into
 * num_group equal parts, or by colour; self: of me alone. Collective over the default group, or
 * over the group that is divided. */
int GA_Pgroup_create(int list[], int count);
int NGA_Pgroup_create(int list[], int count);
int GA_Pgroup_split(int group, int groups);
int NGA_Pgroup_split(int group, int groups);
int GA_Pgroup_split_irreg(int group, int color);
int NGA_Pgroup_split_irreg(int group, int color);
int GA_Pgroup_duplicate(int group);
int NGA_Pgroup_duplicate(int group);
int GA_Pgroup_self(void);
int NGA_Pgroup_self(void);
int GA_Pgroup_destroy(int group);
int NGA_Pgroup_destroy(int group);

/* Members of a group: their number, the number of this process in it, the world's number of a
 * member; the group of an array. Local. */
int GA_Pgroup_nnodes(int group);
int NGA_Pgroup_nnodes(int group);
int GA_Pgroup_nodeid(int group);
int NGA_Pgroup_nodeid(int group);
int GA_Pgroup_absolute_id(int group, int rank);
int NGA_Pgroup_absolute_id(int group, int rank);
int GA_Get_pgroup(int g_a);
int NGA_Get_pgroup(int g_a);
int GA_Get_pgroup_size(int group);
int NGA_Get_pgroup_size(int group);

/* The group that calls without a group argument use. Local. */
void GA_Pgroup_set_default(int group);
void NGA_Pgroup_set_default(int group);
int GA_Pgroup_get_default(void);
int NGA_Pgroup_get_default(void);
int GA_Pgroup_get_world(void);
int NGA_Pgroup_get_world(void);
int GA_Pgroup_get_mirror(void);
int NGA_Pgroup_get_mirror(void);

/* Completes what this process started, and waits for the group. Collective over it. */
void GA_Pgroup_sync(int group);
void NGA_Pgroup_sync(int group);

/* ---- Collectives on the program's own memory ---- */

/* Copy bytes from process root to all. Combine n numbers of all processes in place; op: "+", "*",
 * "max", "min", "absmax", "absmin", and for integers "&&" or "land", "||" or "lor", "&" or "band",
 * "|" or "bor". Collective over the default group, or over the one that is named. */
void GA_Brdcst(void *buf, int bytes, int root);
void GA_Gop(int type, void *x, int n, char *op);
void GA_Igop(int x[], int n, char *op);
void NGA_Igop(int x[], int n, char *op);
void GA_Lgop(long x[], int n, char *op);
void GA_Llgop(long long x[], int n, char *op);
void GA_Fgop(float x[], int n, char *op);
void GA_Dgop(double x[], int n, char *op);
void NGA_Dgop(double x[], int n, char *op);
void GA_Cgop(SingleComplex x[], int n, char *op);
void GA_Zgop(DoubleComplex x[], int n, char *op);

void GA_Pgroup_brdcst(int group, void *buf, int bytes, int root);
void GA_Pgroup_igop(int group, int x[], int n, char *op);
void NGA_Pgroup_igop(int group, int x[], int n, char *op);
void GA_Pgroup_lgop(int group, long x[], int n, char *op);
void NGA_Pgroup_lgop(int group, long x[], int n, char *op);
void GA_Pgroup_llgop(int group, long long x[], int n, char *op);
void NGA_Pgroup_llgop(int group, long long x[], int n, char *op);
void GA_Pgroup_fgop(int group, float x[], int n, char *op);
void NGA_Pgroup_fgop(int group, float x[], int n, char *op);
void GA_Pgroup_dgop(int group, double x[], int n, char *op);
void NGA_Pgroup_dgop(int group, double x[], int n, char *op);
void GA_Pgroup_cgop(int group, SingleComplex x[], int n, char *op);
void GA_Pgroup_zgop(int group, DoubleComplex x[], int n, char *op);
void NGA_Pgroup_zgop(int group, DoubleComplex x[], int n, char *op);

/* ---- Mirrored arrays: one copy on each node ---- */

/* Is_mirrored returns whether the array is mirrored. Local. Merge_mirrored adds up the copies.
 * Merge_distr_patch does this for a patch, with the result in an array that is not mirrored.
 * Collective. */
int GA_Is_mirrored(int g_a);
int NGA_Is_mirrored(int g_a);
void GA_Merge_mirrored(int g_a);
void NGA_Merge_mirrored(int g_a);
void NGA_Merge_distr_patch(int g_a, int alo[], int ahi[], int g_b, int blo[], int bhi[]);
void NGA_Merge_distr_patch64(int g_a, int64_t alo[], int64_t ahi[], int g_b, int64_t blo[],
                             int64_t bhi[]);

#ifdef __cplusplus
}
#endif
#endif
