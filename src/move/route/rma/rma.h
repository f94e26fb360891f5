/* The inside of route rma: MPI one-sided operations under MPI_Win_lock_all.
 *
 * rma.c     the route's table, fences
 * dynamic_window.c the dynamic window of memory that handles name
 * rma_window.c   an MPI window for each chunk, and what is outstanding for (window, target)
 * window_creation.c    making windows, those of disjoint processes in turn, where MPI needs that
 * hazard.c  program order: which outstanding bytes the next operation would overlap
 * rma_transfer.c   starting and completing a transfer, staging
 * rma_method.c  how a transfer of one shape becomes MPI operations
 * rma_operations.c    the MPI operations
 * rma_update.c  fetching updates; types and operations as MPI knows them
 * rma_flush_request.c requests for remote completion
 * pack_buffer.c buffers for packed data */
#ifndef CWI_ROUTE_RMA_RMA_H
#define CWI_ROUTE_RMA_RMA_H

#include "region/region.h"
#include "route/rma/hazard.h"
#include "route/route.h"

#include <mpi.h>

/* What this process has to do with one rank of one window. */
struct cwi_target {
  struct cwi_exposure *exposure;
  int rank;          /* in the window */
  int process;       /* in the world */
  char *base;        /* where the rank's part begins, as this process names it */
  uint64_t issued;   /* operations so far */
  uint64_t local;    /* of them, the first ones up to here are locally complete */
  uint64_t last_get; /* number of the last get */
  uint64_t updates;  /* puts, accumulates and read-modify-writes so far */
  bool dirty;        /* a put or accumulate is perhaps not remotely complete */
  bool listed;       /* in the list of targets that a fence looks at */
  struct cwi_target *next_listed;
  struct cwi_hazards hazards;
};

/* The MPI window of a chunk. */
struct cwi_exposure {
  MPI_Win window;
  struct cwi_chunk *chunk;
  struct cwi_target **targets; /* [team size] NULL until used */
  int ranks;
  int dirty;      /* targets that are */
  int references; /* the chunk's, and one for each pending operation */
};

/* --- rma_window.c --------------------------------------------------------------------------- */

CWI_CHECKED cw_error cwi_targets_start(void);
void cwi_targets_forget(void);

/* Make and end the window of a chunk. Collective over its team. */
CWI_CHECKED cw_error cwi_chunk_expose(struct cwi_chunk *chunk);
CWI_CHECKED cw_error cwi_chunk_withdraw(struct cwi_chunk *chunk);

/* The target that holds an address of a process. The address is known to lie in a slice. */
CWI_CHECKED cw_error cwi_target_find(int process, const void *address, struct cwi_target **target);

/* The target of a place that has been located. */
CWI_CHECKED cw_error cwi_target_at(const struct cwi_location *place, struct cwi_target **target);

/* Does the target hold this address of its process too? Saves the search. */
static inline bool cwi_target_holds(const struct cwi_target *target, const void *address)
{
  return (uintptr_t)address - (uintptr_t)target->base <
         target->exposure->chunk->sizes[target->rank];
}

/* A put or accumulate is about to be issued: fences have to look here. */
void cwi_target_touch(struct cwi_target *target);

/* Local completion of the operations up to number `ticket`; remote completion of all. */
CWI_CHECKED cw_error cwi_target_finish_local(struct cwi_target *target, uint64_t ticket);
CWI_CHECKED cw_error cwi_target_flush(struct cwi_target *target);

/* MPI has refused one operation of several: those before it use the program's memory, and the
 * buffer (or NULL), until they are complete. Where MPI refuses that, too, nobody uses the buffer
 * again. Returns the error. */
CWI_CHECKED cw_error cwi_target_abandon(struct cwi_target *target, void *buffer, cw_error error);

/* Wait for the data of all gets that MPI has been given. */
CWI_CHECKED cw_error cwi_target_arrive(struct cwi_target *target);

/* Wait until a new operation cannot overtake an outstanding one that touches the same bytes. */
CWI_CHECKED cw_error cwi_target_order(struct cwi_target *target, const struct cwi_trace *trace);

CWI_CHECKED cw_error cwi_targets_fence(int process);
CWI_CHECKED cw_error cwi_targets_fence_all(void);

void cwi_exposure_release(struct cwi_exposure *exposure);

/* The team has one member: there is no MPI window. */
static inline bool cwi_exposure_alone(const struct cwi_exposure *exposure)
{
  return exposure->ranks == 1;
}

/* --- window_creation.c
 * ---------------------------------------------------------------------------- */

/* As the size of a member's part: the window is a dynamic one, and has none. */
#define CWI_DYNAMIC_WINDOW SIZE_MAX

/* Make a window that returns errors, on a communicator of these processes. Where MPI cannot make
 * windows of disjoint sets of processes at the same time, they take turns, with those of other
 * worlds too. lock: for loads and stores too, under MPI_Win_lock_all. ready: an error that this
 * member has met already; it takes part all the same. Collective; on failure no member has the
 * window. Errors: CW_OUTSIDE, on all members. */
CWI_CHECKED cw_error cwi_window_make(const int *processes, MPI_Comm comm, cw_error ready,
                                     void *base, size_t bytes, bool lock, MPI_Win *window);

/* --- rma_operations.c ----------------------------------------------------------------------------
 */

/* A transfer to one target on its way to MPI. */
struct cwi_issue {
  struct cwi_target *target;
  cw_operation operation;
  const struct cwi_shape *shape;
  size_t atom; /* bytes of `element` */
  MPI_Datatype element;
  MPI_Op op;            /* of an accumulate */
  char *packed;         /* the local side, without gaps, stands in for the shape's; or NULL */
  MPI_Request *request; /* wanted for a contiguous operation; or NULL */
};

/* A piece of memory as MPI wants it. */
struct cwi_typed {
  void *address;
  int count;
  MPI_Datatype type;
};

static inline MPI_Aint cwi_displacement(const struct cwi_issue *issue, const char *remote)
{
  return (MPI_Aint)(remote - issue->target->base);
}

/* Contiguous bytes, in as many MPI operations as their number takes. */
CWI_CHECKED cw_error cwi_move(const struct cwi_issue *issue, char *local, const char *remote,
                              size_t bytes);

/* One MPI operation; `there`.address: as this process names the target's memory. */
CWI_CHECKED cw_error cwi_move_typed(const struct cwi_issue *issue, struct cwi_typed here,
                                    struct cwi_typed there);

/* --- rma_update.c -------------------------------------------------------------------------- */

/* Elements of a type, and what is done to them, as MPI names them. Types of one size and kind have
 * one name: MPI makes updates of one type atomic with respect to each other. */

/* Is this MPI's accumulate wrong? Then it has to be made of other operations. */
bool cwi_mpi_accumulate_is_wrong(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_rma_accumulate_emulated(const struct cwi_transfer *transfer);

CWI_CHECKED cw_error cwi_rma_update(const struct cwi_update *update, bool blocking,
                                    cw_handle *handle);

/* --- rma_method.c -------------------------------------------------------------------------- */

/* A way to move a shape that is not contiguous. */
struct cwi_method {
  const char *name;
  bool packs;    /* wants the local side without gaps, in issue->packed */
  bool complete; /* the transfer is locally complete when `move` returns */
  cw_error (*move)(const struct cwi_issue *issue);
};

/* The method that the settings, the shape and this MPI library ask for. *method is NULL for a
 * contiguous shape. Errors: CW_OUTSIDE (no memory to check for overlap). */
CWI_CHECKED cw_error cwi_method_choose(const struct cwi_transfer *transfer,
                                       const struct cwi_method **method);

/* --- rma_transfer.c --------------------------------------------------------------------------- */

CWI_CHECKED cw_error cwi_rma_transfer(const struct cwi_transfer *transfer, bool blocking,
                                      cw_handle *handle);

/* Records of operations that are kept for the next ones go. */
void cwi_started_stop(void);

/* --- rma_flush_request.c -------------------------------------------------------------------------
 */

CWI_CHECKED cw_error cwi_rma_flush_request(int process, cw_handle *handle);
void cwi_rma_flush_requests_stop(void);
#endif
