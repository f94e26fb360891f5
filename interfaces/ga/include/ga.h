/* Global Arrays' C interface on Causeway: arrays distributed over the processes of a job.
 *
 *   ga.h          start and stop, arrays, one-sided access, groups, collectives; it includes:
 *   ga-math.h     operations on whole arrays and patches, matrix multiply, solvers, printing
 *   ga-layout.h   block-cyclic arrays and ghost cells
 *   ga-sparse.h   sparse arrays
 *   gacommon.h    limits and codes of types; it includes macommon.h, which MA uses, too
 *   macdecls.h    MA: memory of one process
 *   ga-mpi.h      communicators of groups, and GA on a communicator
 *
 * Names, types and meaning are those of GA 5.9. Most calls have two names, with GA_ and with NGA_,
 * which mean the same. Indices are int; calls whose names end in 64 have int64_t indices. Arrays
 * are row-major, and their indices begin at 0. hi is the last index, not the one after it. A local
 * call needs no other process. A collective call is made by all processes of the array's group, in
 * the same order; it begins and ends with a synchronisation. Every error ends the job with a
 * message that names the call, the argument and the legal values. docs/reference/ga.md lists the
 * calls that several threads may make, and the differences between Causeway and GA. */
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

/* Start and stop GA. Call MPI_Init before, and MPI_Finalize after GA_Terminate. GA_Terminate frees
 * all remaining arrays. A second Initialize does nothing. GA may be started again after Terminate.
 * argc and argv are not used. limit is the number of bytes that all arrays together may use on this
 * process; 0 is a limit, too, and (size_t)-1 means no limit. Collective over MPI_COMM_WORLD. */
void GA_Initialize(void);
void NGA_Initialize(void);
void GA_Initialize_args(int *argc, char ***argv);
void GA_Initialize_ltd(size_t limit);
void NGA_Initialize_ltd(size_t limit);
void GA_Terminate(void);
void NGA_Terminate(void);

/* Returns 1 if GA is running, and 0 otherwise. Local. */
int GA_Initialized(void);
int NGA_Initialized(void);

/* Prints the message and the code, and ends the job. The exit status is the low 8 bits of the code,
 * or 255 if these are 0. Local; does not return. */
void GA_Error(char *message, int code);
void NGA_Error(char *message, int code);

/* The memory of arrays on this process. Set_memory_limit sets the number of bytes that further
 * arrays may use. Memory_limited returns 1 if there is a limit. Memory_avail returns the number of
 * bytes that are left. Inquire_memory returns the number of bytes that all arrays use, even if
 * there is no limit. Local. */
void GA_Set_memory_limit(size_t limit);
void NGA_Set_memory_limit(size_t limit);
int GA_Memory_limited(void);
int NGA_Memory_limited(void);
size_t GA_Memory_avail(void);
size_t NGA_Memory_avail(void);
size_t GA_Inquire_memory(void);
size_t NGA_Inquire_memory(void);

/* Getmem allocates memory for Assemble_duplicate: `elements` elements of the type on each process
 * of the group. Freemem frees it. Collective over the group. */
void *GA_Getmem(int type, int elements, int group);
void GA_Freemem(void *ptr);

/* Passes the program's own allocation functions for GA's temporary memory. Causeway ignores
 * them. */
void GA_Register_stack_memory(void *(*ext_alloc)(size_t, int, char *), void (*ext_free)(void *));

/* Get or set a flag that has no effect. Local. */
int GA_Get_debug(void);
int NGA_Get_debug(void);
void GA_Set_debug(int flag);
void NGA_Set_debug(int flag);

/* Returns the seconds since some time in the past. Local. */
double GA_Wtime(void);
double NGA_Wtime(void);

/* ---- Arrays: create, describe, destroy ---- */

/* Create an array in one call. type is a type code of C, such as C_INT, or a registered type. dims
 * has the extents of the ndim dimensions. Of the name, 31 characters are kept. chunk is NULL or has
 * the least width of a block in each dimension: dims[d] means that the dimension is not divided,
 * and less than 2 means that there is no minimum. group is the group of processes that have the
 * array. block has the number of blocks of each dimension, and map the first index of each block,
 * dimension after dimension. Collective over the group, or over the default group if there is no
 * group argument. The contents are undefined. Returns the handle, or 0 when memory runs out on a
 * process. */
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

/* Create an array step by step: create a handle, set its data and other properties as needed, and
 * then call Allocate. Allocate returns 1, or 0 when memory runs out. Deallocate frees the memory,
 * keeps the handle, and returns 1. Allocate and Deallocate are collective over the array's group.
 * The Set calls are local, but all members must make the same calls. */
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

/* Restrict an array, before Allocate, so that only the listed processes have elements. */
void GA_Set_restricted(int g_a, int list[], int size);
void NGA_Set_restricted(int g_a, int list[], int size);
void GA_Set_restricted_range(int g_a, int lo_proc, int hi_proc);
void NGA_Set_restricted_range(int g_a, int lo_proc, int hi_proc);

/* Duplicate creates an array like g_a, with undefined contents. Assemble_duplicate creates it in
 * memory of Getmem. Overlay allocates g_a in the memory of g_p, which must be large enough.
 * Collective over the group. */
int GA_Duplicate(int g_a, char *name);
int NGA_Duplicate(int g_a, char *name);
int GA_Assemble_duplicate(int g_a, char *name, void *ptr);
int GA_Overlay(int g_a, int g_p);
int NGA_Overlay(int g_a, int g_p);

/* Destroys the array. Its handle is reused only when more than 256 handles are free. Collective
 * over the group. */
void GA_Destroy(int g_a);
void NGA_Destroy(int g_a);

/* Register a type of elements of 1 to INT_MAX bytes, without arithmetic. Register_type returns the
 * code of the type; the first code is 1017. Local, but all processes must make the same calls. */
int NGA_Register_type(size_t bytes);
int NGA_Deregister_type(int type);

/* Returns the size in bytes of an element of this type, or 0 if there is no such type. Not part of
 * GA. Local. Complete on return. Thread level: any. Errors: none.
 *
 *   void *buffer = malloc(elements * cw_ga_type_bytes(C_DBL));
 */
size_t cw_ga_type_bytes(int type);

/* Set or remove a hint about the use of the array: "read_only" or "read_cache". It has no effect.
 * Collective over the group. */
void GA_Set_property(int g_a, char *property);
void NGA_Set_property(int g_a, char *property);
void GA_Unset_property(int g_a);
void NGA_Unset_property(int g_a);

/* ---- Arrays: properties and locations ---- */

/* Return the shape, the type (always C's code) and the name of an array. Local. */
void NGA_Inquire(int g_a, int *type, int *ndim, int dims[]);
void NGA_Inquire64(int g_a, int *type, int *ndim, int64_t dims[]);
int GA_Ndim(int g_a);
int NGA_Ndim(int g_a);
int GA_Get_dimension(int g_a);
int NGA_Get_dimension(int g_a);
char *GA_Inquire_name(int g_a);
char *NGA_Inquire_name(int g_a);

/* Valid_handle and Verify_handle return 1 if g_a is the handle of an array, and 0 otherwise. If it
 * is not, Check_handle ends the job with a message that includes the string. Local. */
int GA_Valid_handle(int g_a);
int NGA_Valid_handle(int g_a);
int GA_Verify_handle(int g_a);
int NGA_Verify_handle(int g_a);
void GA_Check_handle(int g_a, char *message);

/* Store the bounds of the patch of a process. If the process has none, or there is no such process,
 * every lo is -1 and every hi is -2, as in GA. For block-cyclic arrays, `process` is the number of
 * a block. The numbers of processes are those in the array's group. Local. */
void NGA_Distribution(int g_a, int process, int lo[], int hi[]);
void NGA_Distribution64(int g_a, int process, int64_t lo[], int64_t hi[]);

/* Locate returns the process that owns an element, or -1 if the element is outside the array.
 * Locate_region stores the processes that own parts of a patch, in row-major order of their blocks.
 * map receives the lo and hi of each part, which are 2 * ndim numbers. Locate_region and
 * Locate_nnodes return the number of parts, or 0 if the patch is not inside the array. For
 * block-cyclic arrays, these calls use numbers of blocks instead of processes. Locate_num_blocks
 * returns the number of blocks of a block-cyclic array that overlap a patch, and -1 for other
 * arrays. Local. */
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

/* Nblock stores the number of blocks in each dimension. Proc_topology stores the coordinates of a
 * process in the grid of processes; the last dimension comes first, as in GA. Local. */
void GA_Nblock(int g_a, int nblock[]);
void NGA_Nblock(int g_a, int nblock[]);
void NGA_Proc_topology(int g_a, int process, int coord[]);

/* Uses_ma returns 0, because GA does not allocate arrays from MA. Uses_fapi returns 0, because this
 * is not the Fortran interface. Local. */
int GA_Uses_ma(void);
int NGA_Uses_ma(void);
int GA_Uses_fapi(void);

/* Nodeid returns the number of this process in the default group, and Nnodes the number of
 * processes in that group. List_nodeid stores the numbers 0 to count - 1. Local. */
int GA_Nodeid(void);
int NGA_Nodeid(void);
int GA_Nnodes(void);
int NGA_Nnodes(void);
void GA_List_nodeid(int list[], int count);
void NGA_List_nodeid(int list[], int count);

/* Nodes are machines whose processes share memory. These calls return, in this order: the number of
 * nodes, the number of this process's node, the number of processes on node x, the process with
 * index y on node x, and the node of a process. Local. */
int GA_Cluster_nnodes(void);
int GA_Cluster_nodeid(void);
int GA_Cluster_nprocs(int x);
int GA_Cluster_procid(int x, int y);
int GA_Cluster_proc_nodeid(int process);

/* ---- One-sided: put, get, accumulate ---- */

/* Transfer a patch. lo and hi are the first and the last index of the patch. buf is local memory.
 * ld has the extents of the buffer in dimensions 1 to ndim - 1, in elements. alpha is the address
 * of a factor of the array's type. When Put and Acc return, the program may use the buffer again.
 * The array is updated after GA_Sync or GA_Fence. When Get returns, the data has arrived. Acc is
 * atomic for each element against other accumulates. Local. */
void NGA_Put(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Put64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Get(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Get64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Acc(int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha);
void NGA_Acc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha);

/* Like Put, Get and Acc, for every skip[d]-th index of dimension d. The buffer has no gaps. */
void NGA_Strided_put(int g_a, int lo[], int hi[], int skip[], void *buf, int ld[]);
void NGA_Strided_put64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf,
                       int64_t ld[]);
void NGA_Strided_get(int g_a, int lo[], int hi[], int skip[], void *buf, int ld[]);
void NGA_Strided_get64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf,
                       int64_t ld[]);
void NGA_Strided_acc(int g_a, int lo[], int hi[], int skip[], void *buf, int ld[], void *alpha);
void NGA_Strided_acc64(int g_a, int64_t lo[], int64_t hi[], int64_t skip[], void *buf, int64_t ld[],
                       void *alpha);

/* Like Put, Get and Acc, for periodic arrays: a patch that leaves the array on one side continues
 * on the opposite side. */
void NGA_Periodic_put(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Periodic_put64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Periodic_get(int g_a, int lo[], int hi[], void *buf, int ld[]);
void NGA_Periodic_get64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void NGA_Periodic_acc(int g_a, int lo[], int hi[], void *buf, int ld[], void *alpha);
void NGA_Periodic_acc64(int g_a, int64_t lo[], int64_t hi[], void *buf, int64_t ld[], void *alpha);

/* Like Put and Get, for the bytes foff to foff + fsize - 1 of each element. */
void NGA_Put_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[]);
void NGA_Get_field(int g_a, int lo[], int hi[], int foff, int fsize, void *buf, int ld[]);

/* Like Put, Get and Acc, but non-blocking. The handle stands for the operation. When NbWait
 * returns, the buffer may be used again, or holds the data. NbTest returns 1 if this is already so.
 * The program may pass the same handle to another operation; the older operation then completes at
 * the next GA_Sync at the latest. */
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

/* Transfer n elements. subs[k] points to the ndim indices of element k. In the flat calls, subs has
 * the indices of all elements one after another. v has the values. If an element occurs twice in
 * the list of Scatter, either value may be stored. Scatter_acc adds alpha times each value.
 * Local. */
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

/* Allocate and free memory for Gather and Scatter in advance. Causeway needs none, so these calls
 * do nothing. */
void NGA_Alloc_gatscat_buf(int elements);
void NGA_Free_gatscat_buf(void);

/* Adds inc to an element of type C_INT, C_LONG or C_LONGLONG atomically, and returns the old value.
 * Local. */
long NGA_Read_inc(int g_a, int index[], long inc);
long NGA_Read_inc64(int g_a, int64_t index[], long inc);

/* Access stores the address of a patch in this process's memory at ptr, and the leading dimensions
 * of that memory in ld. The patch must be within this process's block. Release ends the access.
 * Release_update ends an access in which the program has changed elements. Local. */
void NGA_Access(int g_a, int lo[], int hi[], void *ptr, int ld[]);
void NGA_Access64(int g_a, int64_t lo[], int64_t hi[], void *ptr, int64_t ld[]);
void NGA_Release(int g_a, int lo[], int hi[]);
void NGA_Release64(int g_a, int64_t lo[], int64_t hi[]);
void NGA_Release_update(int g_a, int lo[], int hi[]);
void NGA_Release_update64(int g_a, int64_t lo[], int64_t hi[]);

/* ---- Order and mutual exclusion ---- */

/* Sync completes the operations of this process at all targets, and waits for the default group.
 * Mask_sync has no effect: collective calls always synchronise. */
void GA_Sync(void);
void NGA_Sync(void);
void GA_Mask_sync(int first, int last);
void NGA_Mask_sync(int first, int last);

/* Fence completes all operations since Init_fence at their targets. Local. */
void GA_Init_fence(void);
void NGA_Init_fence(void);
void GA_Fence(void);
void NGA_Fence(void);

/* Mutexes 0 to count - 1. There is one set of mutexes at a time. Create and Destroy are collective
 * over the world, and return 1, or 0 on failure. Lock and Unlock are local. The mutexes are not
 * recursive. */
int GA_Create_mutexes(int count);
int GA_Destroy_mutexes(void);
int NGA_Destroy_mutexes(void);
void GA_Lock(int mutex);
void NGA_Lock(int mutex);
void GA_Unlock(int mutex);
void NGA_Unlock(int mutex);

/* ---- Groups of processes ---- */

/* Groups have numbers. -1 is the world, 0 is the group of the processes on this node (for mirrored
 * arrays), and other groups have numbers from 2 on. Create makes a group of the listed processes of
 * the default group, in ascending order. Split divides a group into `groups` equal parts, and
 * split_irreg by colour. Self makes a group of this process alone. Collective over the default
 * group, or over the group that is divided; Self is local. */
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

/* Pgroup_nnodes and Get_pgroup_size return the number of members of a group, Pgroup_nodeid the
 * number of this process in it, and Pgroup_absolute_id the number of a member in the world.
 * Get_pgroup returns the group of an array. Local. */
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

/* Set or return the default group, which calls without a group argument use. Local. */
void GA_Pgroup_set_default(int group);
void NGA_Pgroup_set_default(int group);
int GA_Pgroup_get_default(void);
int NGA_Pgroup_get_default(void);
int GA_Pgroup_get_world(void);
int NGA_Pgroup_get_world(void);
int GA_Pgroup_get_mirror(void);
int NGA_Pgroup_get_mirror(void);

/* Completes the operations of this process, and waits for the group. Collective over the group. */
void GA_Pgroup_sync(int group);
void NGA_Pgroup_sync(int group);

/* ---- Collectives on the program's own memory ---- */

/* Brdcst copies `bytes` bytes from process root to all others. The gop calls reduce n numbers of
 * all processes in place. op is "+", "*", "max", "min", "absmax" or "absmin". For integers it may
 * also be "&&" or "land", "||" or "lor", "&" or "band", "|" or "bor". Collective over the default
 * group, or over `group`. */
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

/* Is_mirrored returns 1 if the array is mirrored. It is local. Merge_mirrored replaces the copies
 * of all nodes by their sum. Merge_distr_patch computes the sum of a patch of all copies, and
 * stores it in an array that is not mirrored. Both are collective. */
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
