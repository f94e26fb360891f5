/* Internals of the rma route: MPI one-sided operations under MPI_Win_lock_all.
 *
 * rma.c                the route's table
 * rma_probe.c          whether MPI's one-sided operations progress without the target
 * dynamic_window.c     the dynamic window of memory named by handles
 * rma_window.c         an MPI window for each chunk, and what is outstanding for (window, target)
 * window_creation.c    making windows, those of disjoint processes in turn where MPI needs that
 * hazard.c             program order: which outstanding bytes the next operation would overlap
 * rma_transfer.c       starting and completing a transfer, staging
 * rma_method.c         how a transfer of one shape becomes MPI operations
 * rma_operations.c     the MPI operations
 * rma_update.c         fetching updates; accumulates that MPI gets wrong
 * rma_flush_request.c  flush requests
 * pack_buffer.c        temporary buffers for packed data */
#pragma once

#include "region/region.h"
#include "route/rma/hazard.h"
#include "route/route.h"

#include <mpi.h>

/* State of this process's operations on one rank of one window. */
struct cwi_target {
  struct cwi_exposure *exposure;
  int rank;          /* in the window */
  int process;       /* in the world */
  char *base;        /* start of the rank's part, as an address of this process */
  uint64_t issued;   /* number of operations issued so far */
  uint64_t local;    /* the operations up to this number are locally complete */
  uint64_t last_get; /* number of the last get */
  uint64_t updates;  /* number of puts, accumulates and read-modify-writes so far */
  bool dirty;        /* a put or accumulate may not be remotely complete */
  bool listed;       /* in the list of targets that fences visit */
  struct cwi_target *next_listed;
  struct cwi_hazards hazards;
};

/* The MPI window of a chunk. */
struct cwi_exposure {
  MPI_Win window;
  struct cwi_chunk *chunk;
  struct cwi_target **targets; /* [team size] NULL until used */
  int ranks;
  int dirty;         /* number of dirty targets */
  int references;    /* one for the chunk, and one for each pending operation */
  bool by_transport; /* see cwi_window_is_by_transport */
};

/* --- rma_window.c --------------------------------------------------------------------------- */

/* Starts the bookkeeping of targets, and registers the functions that make and free the windows of
 * chunks. Collective over the world. */
CWI_CHECKED cw_error cwi_targets_start(void);
/* Free the list of targets after a stop, or after a start that failed. Local. */
void cwi_targets_forget(void);

/* Make and free the window of a chunk. Collective over its team. */
CWI_CHECKED cw_error cwi_chunk_expose(struct cwi_chunk *chunk);
CWI_CHECKED cw_error cwi_chunk_withdraw(struct cwi_chunk *chunk);

/* Finds the target that holds an address of a process. Returns CW_MISUSE if no slice has the
 * address. */
CWI_CHECKED cw_error cwi_target_find(int process, const void *address, struct cwi_target **target);

/* Finds the target of a location. Makes the target at its first use. */
CWI_CHECKED cw_error cwi_target_at(const struct cwi_location *place, struct cwi_target **target);

/* Returns true if the target also holds this address of its process, which saves a search. */
static inline bool cwi_target_holds(const struct cwi_target *target, const void *address)
{
  return (uintptr_t)address - (uintptr_t)target->base <
         target->exposure->chunk->sizes[target->rank];
}

/* Notes that a put or accumulate is about to be issued: fences have to flush the target. */
void cwi_target_touch(struct cwi_target *target);

/* cwi_target_finish_local completes the operations up to number `ticket` locally. cwi_target_flush
 * completes all operations remotely. */
CWI_CHECKED cw_error cwi_target_finish_local(struct cwi_target *target, uint64_t ticket);
CWI_CHECKED cw_error cwi_target_flush(struct cwi_target *target);

/* Ends a transfer after MPI has failed in one of its operations. Until the earlier operations are
 * complete, they use the program's memory and `buffer`, which may be NULL. So this flushes the
 * target, and then releases the buffer. If the flush fails, too, the buffer is never reused.
 * Returns the first error. */
CWI_CHECKED cw_error cwi_target_abandon(struct cwi_target *target, void *buffer, cw_error error);

/* Waits for the data of all gets that have been issued. */
CWI_CHECKED cw_error cwi_target_arrive(struct cwi_target *target);

/* Waits until a new operation cannot overtake an outstanding one that touches the same bytes. */
CWI_CHECKED cw_error cwi_target_order(struct cwi_target *target, const struct cwi_trace *trace);

/* Completes everything at a process, or at all processes if -1, remotely. */
CWI_CHECKED cw_error cwi_targets_fence(int process);

/* Releases a reference. The last one frees the record; the MPI window has been freed before. */
void cwi_exposure_release(struct cwi_exposure *exposure);

/* Returns true if the team has one member: then there is no MPI window. */
static inline bool cwi_exposure_alone(const struct cwi_exposure *exposure)
{
  return exposure->ranks == 1;
}

/* --- window_creation.c ------------------------------------------------------------------------ */

/* Passed as the size of a member's part to make a dynamic window. */
#define CWI_DYNAMIC_WINDOW SIZE_MAX

/* Makes a window over `comm`, whose ranks are `processes`. MPI returns errors of operations on the
 * window. If MPI cannot make windows of disjoint sets of processes at the same time, such sets take
 * turns, even those of different worlds. If `lock`, the window must have the unified memory model,
 * so that loads and stores work, and is locked by MPI_Win_lock_all. `ready` is an earlier error of
 * this member, or CW_OK. After an earlier error the member takes part nevertheless, and the call
 * fails on all members. Collective; on failure no member has the window. Errors: CW_OUTSIDE, on all
 * members. */
CWI_CHECKED cw_error cwi_window_make(const int *processes, MPI_Comm comm, cw_error ready,
                                     void *base, size_t bytes, bool lock, MPI_Win *window);

/* Returns true if the transport may carry out updates of single integers, so that the bugs
 * CWI_OPENMPI_SWAP_SELF and CWI_OPENMPI_SWAP_APART are possible. Open MPI's osc/rdma is of this
 * kind. Its osc/ucx makes all updates under one lock, so that they are atomic with respect to each
 * other, but not to the processor's. */
bool cwi_window_is_by_transport(MPI_Win window);

/* --- rma_operations.c ------------------------------------------------------------------------- */

/* A transfer to one target, as it is passed to MPI. */
struct cwi_issue {
  struct cwi_target *target;
  cw_operation operation;
  const struct cwi_shape *shape;
  size_t atom; /* bytes of `element` */
  MPI_Datatype element;
  MPI_Op op;            /* operation of an accumulate */
  char *packed;         /* packed local side, used instead of the shape's; or NULL */
  MPI_Request *request; /* receives the request of a contiguous operation; or NULL */
};

/* A piece of memory as MPI describes it. */
struct cwi_typed {
  void *address;
  int count;
  MPI_Datatype type;
};

/* Returns the displacement of an address in the target's window. */
static inline MPI_Aint cwi_displacement(const struct cwi_issue *issue, const char *remote)
{
  return (MPI_Aint)(remote - issue->target->base);
}

/* Moves contiguous bytes, by several MPI operations if one cannot move them all. */
CWI_CHECKED cw_error cwi_move(const struct cwi_issue *issue, char *local, const char *remote,
                              size_t bytes);

/* Issues one MPI operation. there.address is this process's address of the target's memory, from
 * which cwi_displacement computes the displacement. */
CWI_CHECKED cw_error cwi_move_typed(const struct cwi_issue *issue, struct cwi_typed here,
                                    struct cwi_typed there);

/* --- rma_update.c -------------------------------------------------------------------------- */

/* cwi_mpi_accumulate_is_wrong returns true if this MPI's result would be wrong. Then
 * cwi_rma_accumulate_emulated does the accumulate by other operations. */
bool cwi_mpi_accumulate_is_wrong(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_rma_accumulate_emulated(const struct cwi_transfer *transfer);

/* The route's `update`. Every update is remotely complete on return. */
CWI_CHECKED cw_error cwi_rma_update(const struct cwi_update *update, bool blocking,
                                    cw_handle *handle);

/* --- rma_method.c -------------------------------------------------------------------------- */

/* A way to move a shape that is not contiguous. */
struct cwi_method {
  const char *name;
  bool packs;    /* needs the local side packed, in issue->packed */
  bool complete; /* the transfer is locally complete when `move` returns */
  cw_error (*move)(const struct cwi_issue *issue);
};

/* Chooses the method by the settings, the shape and this MPI library. *method is NULL for a
 * contiguous shape. Errors: CW_OUTSIDE (no memory to check for overlap). */
CWI_CHECKED cw_error cwi_method_choose(const struct cwi_transfer *transfer,
                                       const struct cwi_method **method);

/* --- rma_transfer.c --------------------------------------------------------------------------- */

/* The route's `start`. */
CWI_CHECKED cw_error cwi_rma_transfer(const struct cwi_transfer *transfer, bool blocking,
                                      cw_handle *handle);

/* Frees the spare records of operations. */
void cwi_started_stop(void);

/* --- rma_flush_request.c ---------------------------------------------------------------------- */

/* The route's `flush_request`. */
CWI_CHECKED cw_error cwi_rma_flush_request(int process, cw_handle *handle);
void cwi_rma_flush_requests_stop(void);
