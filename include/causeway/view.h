/* Causeway: views, handles on memory with their own settings: scope, order, intrinsic atomics. The
 * calls of a view start operations, and its flushes complete them. Completion does not distinguish
 * the views of a region: a flush of a view with process scope, cw_fence and cw_barrier complete
 * everything that the process has started through any view. This includes what its threads have
 * started with thread scope before. No call is collective: each member may have its own views of a
 * region, with its own settings. After Schuchart, Niethammer, Gracia, Bosilca: Quo Vadis MPI RMA?
 * (2021).
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_VIEW_H
#define CAUSEWAY_VIEW_H

#include <causeway/error.h>
#include <causeway/memory.h>
#include <causeway/sync.h>
#include <causeway/transfer.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MAX_INTRINSIC = 127 }; /* characters of a list of operations */

/* A view; NULL stands for "no view". A view does not keep its region alive: once the region has
 * been freed, the program can only free the view, too. */
typedef struct cwi_view *cw_view;

/* The threads whose operations a flush completes; these threads share locks. Operations of one
 * thread act in program order even if they have different scopes: between nodes, an operation in
 * one scope first completes those that the thread has started to the target in the other scope. An
 * operation of one thread with process scope and one of another thread with thread scope are
 * ordered only by a flush or fence. */
typedef enum cw_scope {
  CW_SCOPE_PROCESS = 0, /* those of all threads of the process */
  CW_SCOPE_THREAD = 1   /* only the calling thread's: it shares nothing with others */
} cw_scope;

/* The settings of a view. All zeros: process scope, no order, nothing asserted. */
typedef struct cw_view_settings {
  cw_scope scope;
  /* Operations of one origin to one target take place there in the order in which they were issued,
   * without a flush in between. An origin is the process, or with thread scope the thread. */
  bool ordered;
  /* Asserts that the program makes only these atomic updates through the view, "sum,cas" (see
   * cw_view_op_intrinsic). Updates through other views, except those of one element, are not atomic
   * against them. NULL asserts nothing. */
  const char *intrinsic;
  cw_type intrinsic_type; /* of their elements */
  size_t intrinsic_count; /* upper bound on the number of elements, or 0 for any number */
  bool checked; /* calls that break the assertion are errors; otherwise they are undefined */
} cw_view_settings;

/* Returns the default view of a region.
 *
 * view: receives the view; the program frees it.
 * Local, no communication. Complete on return. Errors: CW_MISUSE (no region, view NULL), CW_OUTSIDE
 * (memory). */
CW_CHECKED cw_error cw_view_of(cw_region region, cw_view *view);

/* Creates a view of the same memory with other settings.
 *
 * settings: NULL for those of the view. copy: receives the new view; NULL after an error.
 * Local, no communication. Complete on return. Errors: CW_MISUSE (no view, bad scope, a list of
 * operations that has bad names or is too long); CW_OUTSIDE (memory; a setting that cannot be
 * granted: the message names it and the reason). After MPI_Win_dup_with_info of the paper. */
CW_CHECKED cw_error cw_view_dup(cw_view view, const cw_view_settings *settings, cw_view *copy);

/* Creates a view of the memory that a handle names (causeway/handle.h): the default one;
 * cw_view_dup copies it with other settings.
 *
 * handle: its CW_MEMORY_HANDLE_BYTES bytes. view: receives the view; the program frees it.
 * Local, no communication. Complete on return. Operations on the view name the owner of the memory
 * as their process, and use addresses that cw_view_address returns. They are atomic against
 * operations of all views of the memory. They fail after the owner has released the handle: at once
 * if the owner is on my node; otherwise the next flush returns the error. Errors: CW_MISUSE (NULL;
 * not a handle; one of another job; released), CW_OUTSIDE (memory). */
CW_CHECKED cw_error cw_view_from_memory(const void *handle, cw_view *view);

/* Frees a view and clears its handle. Operations that were started through it continue; any other
 * view of the memory (with thread scope, one of the same thread), cw_fence or cw_barrier completes
 * them. The call first flushes a view from a memory handle. Local. Complete on return. Errors:
 * CW_MISUSE (not an existing view). If *view is NULL, nothing happens. */
CW_CHECKED cw_error cw_view_free(cw_view *view);

/* cw_view_would_grant returns those of the wanted settings that cw_view_dup would grant here;
 * cw_view_granted returns the settings of the view.
 *
 * granted: receives them. Its `intrinsic` is NULL, or the caller's string (would_grant), or the
 * view's (granted), which is valid until the view is freed.
 * Local. Errors: CW_MISUSE (no view, NULL, bad scope, a bad list of operations). */
CW_CHECKED cw_error cw_view_would_grant(cw_view view, const cw_view_settings *wanted,
                                        cw_view_settings *granted);
CW_CHECKED cw_error cw_view_granted(cw_view view, cw_view_settings *granted);

/* Returns whether the processor makes these atomic updates of this view's memory by itself, without
 * a lock and without help of the memory's owner.
 *
 * operations: names, separated by commas: sum prod min max land lor lxor band bor bxor replace
 * no_op cas. max_count: elements of one call. flag: receives true if the processor makes all of
 * them. Local. Errors: CW_MISUSE (no view; NULL; an unknown name, or a list longer than
 * CW_MAX_INTRINSIC; bad type). After MPI_Win_op_intrinsic of the paper. */
CW_CHECKED cw_error cw_view_op_intrinsic(cw_view view, const char *operations, size_t max_count,
                                         cw_type type, bool *flag);

/* Returns the address at which the view's memory of a process begins, as transfers name it, and its
 * size; NULL and 0 if the view has no memory there.
 *
 * process: world rank. base, bytes: may be NULL.
 * Local. Errors: CW_MISUSE (no view; process out of range or not a member of the region's team). */
CW_CHECKED cw_error cw_view_address(cw_view view, int process, void **base, size_t *bytes);

/* Starts a put or a get of contiguous memory.
 *
 * local: my buffer; do not touch it until a flush of the process. remote: address in the view's
 * memory of the process (world rank). With 0 bytes the call checks no address.
 * Local. Complete on return: nothing, until a flush. Without order, operations act as those of
 * causeway/transfer.h. Errors: CW_MISUSE (no view; its region was freed; process; bytes outside the
 * view; NULL buffer), CW_OUTSIDE; nothing was moved. */
CW_CHECKED cw_error cw_view_put(cw_view view, const void *local, void *remote, size_t bytes,
                                int process);
CW_CHECKED cw_error cw_view_get(cw_view view, void *local, const void *remote, size_t bytes,
                                int process);

/* Starts a transfer of any shape. handle: as for cw_transfer_start; if it is NULL, a
 * flush completes the transfer. local_device must not be set if the view's memory has a handle
 * (cw_view_from_memory).
 *
 * Local. Complete on return: nothing, until a flush or a wait for the handle. Errors as
 * cw_view_put and cw_transfer_start. */
CW_CHECKED cw_error cw_view_start(cw_view view, const cw_transfer *transfer, cw_handle *handle);

/* Updates remote[i] to remote[i] op local[i], for `count` elements, each by itself; get_accumulate
 * also returns the old values.
 *
 * type, reduction: as causeway/atomic.h allows them. local: the operands; do not touch them until a
 * flush; CW_NO_OP ignores them. before: holds the old elements after a flush of the process; may be
 * NULL. count: 0 is legal. Updates through views that are not asserted (intrinsic) are atomic
 * against cw_accumulate and each other, on elements of one type. Those that fetch one aligned
 * element of up to 8 bytes are also atomic against asserted views and causeway/atomic.h. Asserted
 * views need aligned elements. Local. Complete on return: nothing, until a flush. Errors: as
 * cw_view_put; also CW_MISUSE (operation, type, count; an operation that the assertion of a checked
 * view excludes). After MPI_Accumulate and MPI_Get_accumulate, MPI 3.0, section 11.3.4. */
CW_CHECKED cw_error cw_view_accumulate(cw_view view, cw_type type, cw_reduction reduction,
                                       const void *local, void *remote, size_t count, int process);
CW_CHECKED cw_error cw_view_get_accumulate(cw_view view, cw_type type, cw_reduction reduction,
                                           const void *local, void *before, void *remote,
                                           size_t count, int process);

/* cw_view_fetch_op updates one element like cw_view_get_accumulate; cw_view_compare_swap stores
 * *value if *remote holds *expected, bit by bit.
 *
 * operand, expected, value: one element; read before the call returns. before: holds the old value
 * after a flush of the process; may be NULL.
 * Local. Complete on return: nothing, until a flush. Errors: as cw_view_accumulate. After
 * MPI_Fetch_and_op and MPI_Compare_and_swap. */
CW_CHECKED cw_error cw_view_fetch_op(cw_view view, cw_type type, cw_reduction reduction,
                                     const void *operand, void *remote, int process, void *before);
CW_CHECKED cw_error cw_view_compare_swap(cw_view view, cw_type type, const void *expected,
                                         const void *value, void *remote, int process,
                                         void *before);

/* Start puts, gets and accumulates, and return requests. A request completes at local completion;
 * those of cw_view_rrput, cw_view_rraccumulate and cw_view_rrget_accumulate complete when the
 * target's memory is updated. A request is a handle: wait for it, test it, or test several
 * (causeway/transfer.h).
 *
 * handle: receives it, in addition to what it names already; empty if all is complete. Flushes
 * complete the operation, too. A handle names operations of one scope.
 * Local. Complete on return: nothing, until the handle is complete. Errors: as cw_view_put; also
 * CW_MISUSE (handle NULL, or it names operations of another scope). After MPI_Rput and MPI_Rget,
 * and the paper's MPIX_Rrput. */
CW_CHECKED cw_error cw_view_rput(cw_view view, const void *local, void *remote, size_t bytes,
                                 int process, cw_handle *handle);
CW_CHECKED cw_error cw_view_rget(cw_view view, void *local, const void *remote, size_t bytes,
                                 int process, cw_handle *handle);
CW_CHECKED cw_error cw_view_rrput(cw_view view, const void *local, void *remote, size_t bytes,
                                  int process, cw_handle *handle);
CW_CHECKED cw_error cw_view_raccumulate(cw_view view, cw_type type, cw_reduction reduction,
                                        const void *local, void *remote, size_t count, int process,
                                        cw_handle *handle);
CW_CHECKED cw_error cw_view_rraccumulate(cw_view view, cw_type type, cw_reduction reduction,
                                         const void *local, void *remote, size_t count, int process,
                                         cw_handle *handle);
CW_CHECKED cw_error cw_view_rget_accumulate(cw_view view, cw_type type, cw_reduction reduction,
                                            const void *local, void *before, void *remote,
                                            size_t count, int process, cw_handle *handle);
CW_CHECKED cw_error cw_view_rrget_accumulate(cw_view view, cw_type type, cw_reduction reduction,
                                             const void *local, void *before, void *remote,
                                             size_t count, int process, cw_handle *handle);

/* Start puts, gets and accumulates with a notification, which adds 1 to counter `number` of the
 * process: for put and accumulate when the data is visible there; for the get when the data has
 * been read, so that the target may overwrite it.
 *
 * bytes: 0 makes a notification alone. notifications: a set of counters (causeway/sync.h).
 * Local. Complete on return: nothing, until a flush; but the call waits for outstanding bulk
 * transfers and MPI operations to the process. Errors: as cw_view_put; also CW_MISUSE (no set,
 * number, process has no counters). */
CW_CHECKED cw_error cw_view_put_notify(cw_view view, const void *local, void *remote, size_t bytes,
                                       int process, cw_notifications notifications, size_t number);
CW_CHECKED cw_error cw_view_get_notify(cw_view view, void *local, const void *remote, size_t bytes,
                                       int process, cw_notifications notifications, size_t number);
CW_CHECKED cw_error cw_view_accumulate_notify(cw_view view, cw_type type, cw_reduction reduction,
                                              const void *local, void *remote, size_t count,
                                              int process, cw_notifications notifications,
                                              size_t number);

/* Complete what I have started to a process (world rank), or to all: the operations of my process,
 * or with thread scope those of this thread. After flush the targets are updated, visibly to all
 * processes. After flush_local only my buffers may be reused, and the data of gets has arrived.
 *
 * Local. Costs nothing when nothing is outstanding. Errors: CW_MISUSE (no view, process out of
 * range or not a member), CW_OUTSIDE; also those of earlier operations. After MPI_Win_flush and its
 * variants. */
CW_CHECKED cw_error cw_view_flush(cw_view view, int process);
CW_CHECKED cw_error cw_view_flush_all(cw_view view);
CW_CHECKED cw_error cw_view_flush_local(cw_view view, int process);
CW_CHECKED cw_error cw_view_flush_local_all(cw_view view);

#ifdef __cplusplus
}
#endif
#endif
