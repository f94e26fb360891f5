/* Included before every file that is compiled for SimGrid's SMPI (smpicc -include). Replaces the
 * calls that behave differently in a simulation, and those that must let simulated time pass.
 *
 * All ranks of a simulation are coroutines of one process. A rank that sleeps or yields in the real
 * world stops all others. Such calls go to simulated.cpp, which lets simulated time pass until
 * something happens on the rank's node. */
#pragma once

#include "../../tests/faults/counted.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lets simulated time pass until a message to or from this rank's node completes, a process of the
 * node calls FUTEX_WAKE, or an interval ends that grows from call to call. */
int simulated_wait(void);

/* Simulates the system call futex and no other: FUTEX_WAIT is simulated_wait, and FUTEX_WAKE ends
 * the waits of all processes of the node. */
long simulated_syscall(long number, ...);

/* MPI_Test and MPI_Testsome that call MPI only if something has happened since the last call. SMPI
 * 3.32 does not set the flag for MPI_REQUEST_NULL when there is no status, and a loop that only
 * tests would let no time pass. */
int simulated_test(MPI_Request *request, int *flag, MPI_Status *status);
int simulated_testsome(int count, MPI_Request *requests, int *done, int *complete,
                       MPI_Status *statuses);

/* MPI_Send_init and MPI_Startall. SMPI 3.32 packs the data of a request with a derived type when
 * the request is created, so here the request is created again at its first start. No program frees
 * one before that. MPI_Type_free must therefore keep the type; a copy by MPI_Type_dup would not be
 * equivalent. */
int simulated_send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag,
                        MPI_Comm comm, MPI_Request *request);
int simulated_startall(int count, MPI_Request *requests);

/* Traffic between ranks by MPI_Isend and MPI_Send since the last reset. */
struct simulated_traffic {
  uint64_t messages, bytes; /* between nodes */
  uint64_t requests;        /* of these, messages to servers */
  uint64_t credits;         /* of these, returned buffers */
  uint64_t hot_messages;    /* requests to the node that received most */
  uint64_t hot_peers; /* largest number of ranks of other nodes that sent requests to one server */
  uint64_t answer_peers; /* largest number of ranks of other nodes that sent answers or data to one
                            rank */
};
void simulated_traffic_reset(void);
void simulated_traffic_get(struct simulated_traffic *traffic);
void simulated_receive(void);

/* Memory that the library uses on a rank, in bytes: the maximum over processes and that over
 * servers (the last rank of each node); now, and the peak since the last reset. */
struct simulated_memory {
  long process, process_most, server, server_most;
};
void simulated_memory_get(struct simulated_memory *memory);

/* Returns the simulated time. SMPI's own calls also query the kernel for the thread's time on each
 * call. */
double simulated_seconds(void);
int simulated_clock(struct timespec *now);

/* Lets the rank compute for `seconds`. */
void simulated_compute(double seconds);

/* Adds to a number that all ranks share and returns the sum. Takes no simulated time. */
enum { SIMULATED_NODES, SIMULATED_QUESTIONS, SIMULATED_NUMBERS };
int64_t simulated_add(int number, int64_t by);

/* Returns the simulated time of the last addition to SIMULATED_NODES, by the clock of MPI_Wtime.
 * Work of the rank that has not been simulated yet is not included. */
double simulated_last_node(void);
void simulated_count(MPI_Comm comm, int destination, int tag, MPI_Datatype type, int count);

#ifdef __cplusplus
}
#endif

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF while MPI can still be called; SMPI deletes
 * them when it no longer can. The library has one such attribute. */
__attribute__((weak)) MPI_Comm_delete_attr_function *simulated_end;
#define MPI_Comm_create_keyval(copy, end, key, extra)                                              \
  ((void)(copy), (void)(extra), simulated_end = (end), *(key) = 0, MPI_SUCCESS)
#define MPI_Comm_set_attr(comm, key, value) ((void)(key), MPI_SUCCESS)
#define MPI_Comm_free_keyval(key) ((void)(key), MPI_SUCCESS)
static inline int simulated_finalize(void)
{
  if (simulated_end != NULL)
    simulated_end(MPI_COMM_SELF, 0, NULL, NULL);
  return MPI_Finalize();
}
#define MPI_Finalize simulated_finalize

/* SMPI numbers its actors, and the runtime checks with the kernel whether the processes of a node
 * are alive. */
#undef getpid
#undef nanosleep
#define nanosleep(duration, left) simulated_wait()
#define sched_yield() simulated_wait()
#undef clock_gettime
#define clock_gettime(clock, now) simulated_clock(now)
#define syscall(...) simulated_syscall(__VA_ARGS__)

/* A process has 1024 of these keys, and here are more ranks. No thread ends before its rank. */
#define pthread_key_create(key, end) ((void)(end), *(key) = 0, 0)
#define pthread_setspecific(key, value) ((void)(key), (void)(value), 0)

/* SMPI 3.32 has no MPI_Comm_idup. */
#define MPI_Comm_idup(comm, copy, request) (*(request) = MPI_REQUEST_NULL, MPI_Comm_dup(comm, copy))

/* SMPI returns false on all ranks but the first. Every rank has one thread. */
#define MPI_Is_thread_main(flag) (*(flag) = 1, MPI_SUCCESS)

/* SMPI does not support MPI_WIN_MODEL. All memory is in one process, so loads see all stores. */
static inline int simulated_win_get_attr(MPI_Win window, int key, void *value, int *found)
{
  static int unified = MPI_WIN_UNIFIED;
  if (key != MPI_WIN_MODEL)
    return MPI_Win_get_attr(window, key, value, found);
  *(int **)value = &unified;
  *found = 1;
  return MPI_SUCCESS;
}
#define MPI_Win_get_attr simulated_win_get_attr

/* SMPI's own memory is not counted. */
#define malloc(size) counted_malloc(size)
#define calloc(count, size) counted_calloc(count, size)
#define realloc(old, size) counted_grown(old, size)
#define strdup(text) counted_strdup(text)
#define aligned_alloc(align, size) counted_taken(aligned_alloc(align, size))
#define posix_memalign(made, align, size) counted_aligned(made, align, size)
#define free(memory) counted_free(memory)

#define MPI_Test simulated_test
#define MPI_Testsome simulated_testsome
#define MPI_Send_init simulated_send_init
#define MPI_Startall simulated_startall
#define MPI_Type_free(type) (*(type) = MPI_DATATYPE_NULL, MPI_SUCCESS)

/* SMPI 3.32 has no MPI_Improbe and starts a synchronous send only when it is received. This
 * replacement sends at once under another tag, and completes by an answer without data. A matched
 * message is received next by the same rank, which has one thread. */
enum { SIMULATED_SYNCHRONOUS = 1 << 16, SIMULATED_ANSWER = 1 << 17 };
struct simulated_message {
  MPI_Status status;
  MPI_Comm comm;
};

static inline int simulated_issend(const void *buffer, int count, MPI_Datatype type, int to,
                                   int tag, MPI_Comm comm, MPI_Request *answer)
{
  MPI_Request leaves = MPI_REQUEST_NULL;
  int code = PMPI_Irecv(NULL, 0, MPI_BYTE, to, tag + SIMULATED_ANSWER, comm, answer);
  if (code != MPI_SUCCESS)
    return code;
  simulated_receive();
  simulated_count(comm, to, tag, type, count);
  code = PMPI_Isend(buffer, count, type, to, tag + SIMULATED_SYNCHRONOUS, comm, &leaves);
  return code == MPI_SUCCESS ? PMPI_Wait(&leaves, MPI_STATUS_IGNORE) : code;
}

static inline int simulated_improbe(int source, int tag, MPI_Comm comm, int *found,
                                    MPI_Message *message, MPI_Status *status)
{
  int code = PMPI_Iprobe(source, tag, comm, found, status);
  if (code == MPI_SUCCESS && !*found)
    code = PMPI_Iprobe(source, tag + SIMULATED_SYNCHRONOUS, comm, found, status);
  if (code != MPI_SUCCESS || !*found)
    return code;
  struct simulated_message *made = (struct simulated_message *)malloc(sizeof *made);
  if (made == NULL)
    return MPI_ERR_OTHER;
  *made = (struct simulated_message){*status, comm};
  *message = made;
  return MPI_SUCCESS;
}

static inline int simulated_mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
                                  MPI_Status *status)
{
  struct simulated_message *found = (struct simulated_message *)*message;
  const int source = found->status.MPI_SOURCE, tag = found->status.MPI_TAG;
  const MPI_Comm comm = found->comm;
  free(found);
  *message = MPI_MESSAGE_NULL;
  const int code = PMPI_Recv(buffer, count, type, source, tag, comm, status);
  if (code != MPI_SUCCESS || (tag & SIMULATED_SYNCHRONOUS) == 0)
    return code;
  return PMPI_Send(NULL, 0, MPI_BYTE, source, tag - SIMULATED_SYNCHRONOUS + SIMULATED_ANSWER, comm);
}
#define MPI_Issend simulated_issend
#define MPI_Improbe simulated_improbe
#define MPI_Mrecv simulated_mrecv
#define MPI_Imrecv(buffer, count, type, message, request)                                          \
  (*(request) = MPI_REQUEST_NULL, MPI_Mrecv(buffer, count, type, message, MPI_STATUS_IGNORE))

/* SMPI 3.32's MPI_Ibarrier does not synchronise: it completes before the last rank has begun. */
#define MPI_Ibarrier(comm, request) (*(request) = MPI_REQUEST_NULL, MPI_Barrier(comm))

/* SMPI's allgathers and its MPI_Iallreduce send N * N messages at a time, which takes 50 s to
 * simulate for 64 nodes instead of 0.3 s. Its MPI_Ibcast and MPI_Ireduce send N messages from and
 * to one rank. Blocking calls use the trees that run.sh chooses. */
#define MPI_Iallreduce(from, to, n, type, op, comm, request)                                       \
  (*(request) = MPI_REQUEST_NULL, MPI_Allreduce(from, to, n, type, op, comm))
#define MPI_Ibcast(data, n, type, root, comm, request)                                             \
  (*(request) = MPI_REQUEST_NULL, MPI_Bcast(data, n, type, root, comm))
#define MPI_Ireduce(from, to, n, type, op, root, comm, request)                                    \
  (*(request) = MPI_REQUEST_NULL, MPI_Reduce(from, to, n, type, op, root, comm))
static inline int simulated_allgather(const void *from, int n, MPI_Datatype type, void *to, int m,
                                      MPI_Datatype type_to, MPI_Comm comm)
{
  int size = 0, code = MPI_Comm_size(comm, &size);
  if (code == MPI_SUCCESS)
    code = MPI_Gather(from, n, type, to, m, type_to, 0, comm);
  return code == MPI_SUCCESS ? MPI_Bcast(to, m * size, type_to, 0, comm) : code;
}
#define MPI_Allgather simulated_allgather
#define MPI_Iallgather(from, n, type, to, m, type_to, comm, request)                               \
  (*(request) = MPI_REQUEST_NULL, simulated_allgather(from, n, type, to, m, type_to, comm))

#define MPI_Irecv(buffer, count, type, source, tag, comm, request)                                 \
  (simulated_receive(), MPI_Irecv(buffer, count, type, source, tag, comm, request))
#define MPI_Isend(buffer, count, type, destination, tag, comm, request)                            \
  (simulated_count(comm, destination, tag, type, count),                                           \
   MPI_Isend(buffer, count, type, destination, tag, comm, request))
#define MPI_Send(buffer, count, type, destination, tag, comm)                                      \
  (simulated_count(comm, destination, tag, type, count),                                           \
   MPI_Send(buffer, count, type, destination, tag, comm))
