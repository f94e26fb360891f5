/* ARMCI, the aggregate remote memory copy interface.
 *
 * Layouts and values are those of ARMCI-MPI: programs that were compiled against it link unchanged.
 *
 * The pair (process, address) names a place in memory. The process is a rank of the world, even in
 * calls on groups. The address is the one that ARMCI_Malloc stored for that process in the caller's
 * array, or a later one in the same memory. Errors: a call that returns int returns 0 when it
 * succeeds. When a program misuses a call, or the system fails, the call prints an error message
 * (the call, the argument, its value, the allowed values) and ends the job; exceptions are noted
 * below. All calls work at any thread level with which MPI was started, unless a comment says
 * otherwise.
 *
 * A call that has a "twin" exists under a PARMCI_ name, too. Its ARMCI_ name is weak, so that a
 * tool may define it and call the twin. */
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

/* A list of ptr_array_len segments of `bytes` bytes each. Segment i moves from src_ptr_array[i] to
 * dst_ptr_array[i]. */
typedef struct {
  void **src_ptr_array;
  void **dst_ptr_array;
  int bytes;
  int ptr_array_len;
} armci_giov_t;

/* A set of processes. Programs may read comm, rank and size; the rest belongs to the library. */
typedef struct {
  MPI_Comm comm; /* MPI_COMM_NULL if this process is not a member */
  MPI_Comm noncoll_pgroup_comm;
  int *grp_to_abs;
  int *abs_to_grp;
  int rank; /* of this process, or -1 if it is not a member */
  int size;
} ARMCI_Group;

/* Start and stop. These calls are collective over the world, and only the main thread may make
 * them. ARMCI counts the Init calls: each needs an ARMCI_Finalize, and the last ARMCI_Finalize
 * stops ARMCI. ARMCI_Init_mpi_comm returns 1 for success, as Global Arrays expects. ARMCI_Finalize
 * completes all operations. ARMCI_Initialized is local and never fails. ARMCI_Error prints msg and
 * ends the job. The exit status is the low 8 bits of the code, or 1 if these are 0. ARMCI_Cleanup
 * does nothing, because the system frees everything. ARMCI_Copy copies `size` bytes of the caller's
 * own memory. All have twins, except Cleanup, Error and Copy. */
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

/* Memory that other processes can access. Malloc and Free are collective over the world, or over
 * the group. Each member requests a number of bytes; 0 is legal. base_ptrs has one pointer for each
 * member: base_ptrs[rank] receives the address of that member's memory, or NULL if the member
 * requests 0 bytes. When memory runs out, Malloc returns nonzero on all members and fills base_ptrs
 * with NULL. The job continues. Free takes the address of the caller's own memory (NULL if the
 * caller requested 0 bytes). It completes all operations to that memory and waits for all members.
 * Memory may be freed after its group only if every member has some: a member that passes NULL and
 * a freed group does not wait. Malloc_local and Free_local are local and allocate memory for the
 * caller's own buffers. Causeway has no memory devices: the _memdev calls do the same as the plain
 * ones. All have twins, except Malloc_group and Free_group. */
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
 * world: an AllFence, then the processes wait for each other. If a process loads or stores its own
 * ARMCI memory while others may transfer to or from it, it does so between Access_begin and
 * Access_end. All have twins. */
void ARMCI_Barrier(void);
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_Access_begin(void *ptr);
void ARMCI_Access_end(void *ptr);

/* Contiguous transfers of `size` or `bytes` bytes from src to dst; 0 bytes are legal. Put and Acc
 * write to dst in the target's memory. Get reads src in the target's memory. Put and Acc return
 * when the caller may use its buffer again. Get returns when the buffer holds the data. ARMCI_Fence
 * waits until the data of Put and Acc is visible at the target. Acc adds scale * src[i] to dst[i],
 * element by element, atomically against other Acc. datatype is one of ARMCI_Acc_e, *scale has that
 * type, and bytes is a multiple of its size. All have twins. */
int ARMCI_Get(void *src, void *dst, int size, int target);
int ARMCI_Put(void *src, void *dst, int size, int target);
int ARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc);

/* Strided transfers. count[0] is the number of bytes in a contiguous run. At level i (1 to
 * stride_levels), there are count[i] blocks that begin stride_ar[i-1] bytes apart. count has
 * stride_levels + 1 numbers, and each stride_ar has stride_levels. With 0 levels the transfer is
 * contiguous. The calls complete as the contiguous ones do. All have twins. */
int ARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr,
               int dst_stride_ar[], int count[], int stride_levels, int proc);

/* Puts that also set a flag: once the data is visible at proc, *flag in the memory of proc becomes
 * value. Both have twins. */
int ARMCI_Put_flag(void *src, void *dst, int size, int *flag, int value, int proc);
int ARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[],
                    int count[], int stride_levels, int *flag, int value, int proc);

/* Non-blocking transfers: the caller must not touch its buffer until a wait. A handle may stand for
 * several operations. ARMCI_Wait returns when all of them have completed in the same sense as the
 * blocking calls. ARMCI_Test returns 0 if they have, otherwise 1. Without a handle (NULL),
 * ARMCI_WaitProc(proc) or ARMCI_WaitAll completes them. An aggregate handle collects operations to
 * one process, which are then sent together, at the wait at the latest. All have twins, except the
 * three calls about handles. */
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

/* Vector transfers: iov has iov_len descriptors, each with segments of one size. The calls complete
 * as the contiguous ones do. All have twins. */
int ARMCI_PutV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t *iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc);
int ARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *handle);
int ARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc,
                 armci_hdl_t *handle);

/* Put or get one value. The calls complete as ARMCI_Put, ARMCI_NbPut and ARMCI_Get do. All have
 * twins. */
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
 * first come, first served. ARMCI_Rmw updates *prem at proc atomically against other Rmw; op is one
 * of ARMCI_Rmw_e. It adds `value` to *prem and stores the old value in *ploc, or it swaps *ploc and
 * *prem. It returns when the update is complete. All have twins. */
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);
int ARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc);

/* armci_write_strided gathers strided memory of the caller into buf; armci_read_strided scatters
 * buf into it. Local. */
void armci_write_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);
void armci_read_strided(void *ptr, int stride_levels, int stride_arr[], int count[], char *buf);

/* Groups. Group_create and Group_create_child are collective over the new group. pid_list has
 * grp_size ranks of the parent, which is the default group or group_parent. Those processes must
 * call; other members of the parent may. Group_rank stores the caller's rank, or -1 if the caller
 * is not a member. Group_size stores the number of members. Group_set_default sets the default
 * group, which Group_create and armci_msg_sel use. ARMCI_Absolute_id returns the rank in the
 * world. */
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

/* Domains. Each process is one domain; with CW_DOMAINS=node, each node is one. The calls are local.
 * ARMCI_Same_node returns nonzero if proc is in the caller's domain. Set_shm_limit has no effect:
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
