/* ARMCI, the aggregate remote memory copy interface, on Causeway.
 *
 * Layouts and values are those of ARMCI-MPI: programs that were compiled against it link unchanged.
 *
 * The pair (process, address) names a place in memory. The process is a rank of the world in all
 * calls, those on groups too. The address is the one that ARMCI_Malloc put into the caller's array
 * for that process, or lies behind it. Errors: a call that returns int returns 0 when it succeeds.
 * When a program misuses a call, or the system fails, the call prints an error message
 * (the call, the argument, its value, the allowed values) and ends the job; exceptions are noted
 * below. Thread level of all calls: any that MPI was started with, unless one says otherwise.
 *
 * A call marked "twin" exists as PARMCI_ too. Its ARMCI_ name is weak, so that a tool may define it
 * and call the twin. */
#ifndef ARMCI_H
#define ARMCI_H

#include <causeway/built_for.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ARMCI_MPI 3
#define ARMCII_MPI_SIZE_T MPI_LONG

enum ARMCI_Acc_e {
  ARMCI_ACC_INT = 0,
  ARMCI_ACC_LNG = 1,
  ARMCI_ACC_FLT = 2,
  ARMCI_ACC_DBL = 3,
  ARMCI_ACC_CPL = 4,
  ARMCI_ACC_DCP = 5
};

enum ARMCI_Rmw_e {
  ARMCI_FETCH_AND_ADD = 0,
  ARMCI_FETCH_AND_ADD_LONG = 1,
  ARMCI_SWAP = 2,
  ARMCI_SWAP_LONG = 3
};

enum armci_scope_e { SCOPE_ALL = 0, SCOPE_NODE = 1, SCOPE_MASTERS = 2 };

enum armci_type_e {
  ARMCI_INT = 0,
  ARMCI_LONG = 1,
  ARMCI_LONG_LONG = 2,
  ARMCI_FLOAT = 3,
  ARMCI_DOUBLE = 4
};

enum armci_domain_e { ARMCI_DOMAIN_SMP = 0 };
typedef int armci_domain_t;

typedef long armci_size_t;

/* A handle of non-blocking operations. Its contents belong to the library; ARMCI_INIT_HANDLE makes
 * it empty. */
typedef struct armci_hdl_s {
  int target;
  int aggregate;
} armci_hdl_t;

/* Segments of one size: ptr_array_len of them, each of `bytes` bytes; src_ptr_array[i] goes to
 * dst_ptr_array[i]. */
typedef struct {
  void **src_ptr_array;
  void **dst_ptr_array;
  int bytes;
  int ptr_array_len;
} armci_giov_t;

/* A set of processes. Programs may read comm, rank and size; the rest belongs to the library. */
typedef struct {
  MPI_Comm comm; /* MPI_COMM_NULL: not a member */
  MPI_Comm noncoll_pgroup_comm;
  int *grp_to_abs;
  int *abs_to_grp;
  int rank; /* of this process, or -1 */
  int size;
} ARMCI_Group;

/* Start and stop. Collective over the world, main thread only. ARMCI counts the Init calls: each
 * needs its ARMCI_Finalize, and the last one stops. ARMCI_Init_mpi_comm returns 1 for success, as
 * Global Arrays expects. ARMCI_Finalize completes all operations. ARMCI_Initialized is local and
 * never fails. ARMCI_Error prints msg and ends the job with the low 8 bits of the code as status,
 * or with 1 if these are 0; ARMCI_Cleanup does nothing, because the system frees everything.
 * ARMCI_Copy copies `size` bytes of the caller's own memory. Twins, except Cleanup, Error and Copy.
 */
int ARMCI_Init(void);
int ARMCI_Init_args(int *argc, char ***argv);
int ARMCI_Init_thread(int armci_requested);
int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
int ARMCI_Init_mpi_comm(MPI_Comm comm);
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char *msg, int code);
void ARMCI_Copy(void *src, void *dst, int size);

/* Memory that other processes may reach. Collective over the world, or over the group: each member
 * asks for a number of bytes (0 is legal), and base_ptrs, which has one pointer for each member,
 * receives in base_ptrs[rank] where that member's memory begins; NULL for a member that asks for 0
 * bytes. When memory runs out, Malloc returns nonzero on all members and fills base_ptrs with NULL.
 * The job continues. Free takes the address that the caller got for itself (NULL if it asked for 0
 * bytes), completes operations under way to that memory, and waits for all members. Memory may be
 * freed after its group only if every member has some: a member that passes NULL and a freed group
 * does not wait. Malloc_local and Free_local are local: memory for the caller's own buffers.
 * Causeway has no memory devices: the _memdev calls do the same as the plain ones. Twins, except
 * Malloc_group and Free_group. */
int ARMCI_Malloc(void **base_ptrs, armci_size_t size);
int ARMCI_Free(void *ptr);
void *ARMCI_Malloc_local(armci_size_t size);
int ARMCI_Free_local(void *ptr);
int ARMCI_Malloc_memdev(void **ptr_arr, armci_size_t bytes, const char *device);
int ARMCI_Free_memdev(void *ptr);
int ARMCI_Malloc_group_memdev(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group,
                              const char *device);
int ARMCI_Malloc_group(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group);
int ARMCI_Free_group(void *ptr, ARMCI_Group *group);

/* Synchronisation. After ARMCI_Fence(proc) the caller's puts and accumulates to proc are visible
 * there; after ARMCI_AllFence those to all processes are. ARMCI_Barrier is collective over the
 * world: an AllFence, then the processes wait for each other. A process that loads or stores its
 * own ARMCI memory while others transfer does so between Access_begin and Access_end. Twins. */
void ARMCI_Barrier(void);
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_Access_begin(void *ptr);
void ARMCI_Access_end(void *ptr);

/* Contiguous transfers: `size` or `bytes` bytes from src to dst; 0 is legal. Put and Acc read src
 * and write dst in the target's memory, Get reads src there and writes dst. They return when the
 * caller's buffer may be used again (Put, Acc) or holds the data (Get); ARMCI_Fence waits for the
 * target. Acc adds scale * src[i] to dst[i], element by element, atomically against other Acc:
 * datatype is one of ARMCI_Acc_e, *scale has that type, bytes is a multiple of its size. Twins. */
int ARMCI_Get(void *src, void *dst, int size, int target);
int ARMCI_Put(void *src, void *dst, int size, int target);
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);

/* Strided transfers. count[0] is the bytes of a run; at level i (1 to stride_levels) there are
 * count[i] blocks, which begin stride_ar[i-1] bytes apart. count has stride_levels + 1 numbers,
 * each stride_ar has stride_levels; 0 levels are a contiguous transfer. They complete as the
 * contiguous ones. Twins. */
int ARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
               int dst_stride_ar[], int count[], int stride_levels, int proc);

/* A put that also sets a flag: once the data is visible at proc, *flag there becomes value. Twins.
 */
int ARMCI_Put_flag(void *src, void *dst, int size, int *flag, int value, int proc);
int ARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                    int count[], int stride_levels, int *flag, int value, int proc);

/* Non-blocking transfers: the caller must not touch its buffer until a wait. The handle may name
 * several operations; ARMCI_Wait returns when all of them are complete as the blocking ones are;
 * ARMCI_Test returns 0 if they are, otherwise 1. Without a handle (NULL), ARMCI_WaitProc(proc) or
 * ARMCI_WaitAll completes them. An aggregate handle collects operations to one process, which then
 * travel together: they start at the wait at the latest. Twins, except the three calls about
 * handles. */
void ARMCI_INIT_HANDLE(armci_hdl_t *hdl);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *hdl);
int ARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int ARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                armci_hdl_t *hdl);
int ARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int ARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int ARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                 int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int ARMCI_Wait(armci_hdl_t *hdl);
int ARMCI_Test(armci_hdl_t *hdl);
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* Vector transfers: iov has iov_len descriptors, each with segments of one size. They complete as
 * the contiguous ones. Twins. */
int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                 armci_hdl_t *handle);

/* Put or get one value. They complete as ARMCI_Put, ARMCI_NbPut and ARMCI_Get. Twins. */
int ARMCI_PutValueInt(int src, void *dst, int proc);
int ARMCI_PutValueLong(long src, void *dst, int proc);
int ARMCI_PutValueFloat(float src, void *dst, int proc);
int ARMCI_PutValueDouble(double src, void *dst, int proc);
int ARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl);
int ARMCI_GetValueInt(void *src, int proc);
long ARMCI_GetValueLong(void *src, int proc);
float ARMCI_GetValueFloat(void *src, int proc);
double ARMCI_GetValueDouble(void *src, int proc);

/* Mutexes and read-modify-write. ARMCI_Create_mutexes is collective over the world: each process
 * hosts `count` mutexes, and (mutex, proc) names one. There is one such set at a time;
 * Destroy_mutexes is collective, too. Lock waits until the caller has the mutex; processes get it
 * first come, first served. ARMCI_Rmw adds `value` to *prem at proc and stores the old value in
 * *ploc, or swaps *ploc with *prem (operations: ARMCI_Rmw_e), atomically against other Rmw; it
 * returns when the update is complete. Twins. */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);
int ARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);

/* armci_write_strided gathers strided memory of the caller into buf; armci_read_strided scatters
 * buf into it. Local. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);

/* Groups. pid_list has grp_size ranks of the parent, which is the default group or group_parent;
 * those processes must call, others may. Collective over the new group. Group_rank stores the
 * caller's rank, or -1 if it is not a member, Group_size the number of members; Group_set_default
 * sets the group that calls without a group use. ARMCI_Absolute_id gives the rank in the world. */
void ARMCI_Group_create(int grp_size, int *pid_list, ARMCI_Group *group_out);
void ARMCI_Group_create_child(int grp_size, int *pid_list, ARMCI_Group *group_out,
                              ARMCI_Group *group_parent);
void ARMCI_Group_free(ARMCI_Group *group);
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
void ARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_default(ARMCI_Group *group_out);
void ARMCI_Group_get_world(ARMCI_Group *group_out);
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);

/* Domains: each process is one domain; with CW_DOMAINS=node each node is one. Local.
 * ARMCI_Same_node(proc) says
 * whether proc shares memory with the caller, whatever the domains. Set_shm_limit has no effect:
 * the setting CW_MEMORY_LIMIT limits the memory of a node. */
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group *group);
void ARMCI_Set_shm_limit(unsigned long shmemlimit);

/* The twins. */
int PARMCI_Init(void);
int PARMCI_Init_args(int *argc, char ***argv);
int PARMCI_Init_thread(int armci_requested);
int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
int PARMCI_Init_mpi_comm(MPI_Comm comm);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
int PARMCI_Malloc(void **base_ptrs, armci_size_t size);
int PARMCI_Free(void *ptr);
void *PARMCI_Malloc_local(armci_size_t size);
int PARMCI_Free_local(void *ptr);
int PARMCI_Malloc_memdev(void **ptr_arr, armci_size_t bytes, const char *device);
int PARMCI_Free_memdev(void *ptr);
int PARMCI_Malloc_group_memdev(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group,
                               const char *device);
void PARMCI_Barrier(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
void PARMCI_Access_begin(void *ptr);
void PARMCI_Access_end(void *ptr);
int PARMCI_Get(void *src, void *dst, int size, int target);
int PARMCI_Put(void *src, void *dst, int size, int target);
int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);
int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc);
int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc);
int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc);
int PARMCI_Put_flag(void *src, void *dst, int size, int *flag, int value, int proc);
int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int *flag, int value, int proc);
int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl);
int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc,
                 armci_hdl_t *hdl);
int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t *hdl);
int PARMCI_Wait(armci_hdl_t *hdl);
int PARMCI_Test(armci_hdl_t *hdl);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                  armci_hdl_t *handle);
int PARMCI_PutValueInt(int src, void *dst, int proc);
int PARMCI_PutValueLong(long src, void *dst, int proc);
int PARMCI_PutValueFloat(float src, void *dst, int proc);
int PARMCI_PutValueDouble(double src, void *dst, int proc);
int PARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl);
int PARMCI_GetValueInt(void *src, int proc);
long PARMCI_GetValueLong(void *src, int proc);
float PARMCI_GetValueFloat(void *src, int proc);
double PARMCI_GetValueDouble(void *src, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group *group);

#ifdef __cplusplus
}
#endif

#include "message.h"

#endif
