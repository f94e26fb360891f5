/* Handles: 8-byte tickets for started operations, and the list of all pending operations.
 *
 * A route that cannot complete an operation at once embeds a cwi_pending in its own record and
 * attaches it. Operations that complete at once attach nothing, so their handle stays empty. */
#pragma once

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>

/* The two lists that each pending operation is in: all operations of its origin, and either the
 * operations of its handle or the implicit ones. */
enum cwi_chain { CWI_CHAIN_ALL, CWI_CHAIN_HANDLE, CWI_CHAINS };

/* A pending operation. Its owner sets process, apart and the functions; cwi_handle_attach sets the
 * rest. */
struct cwi_pending {
  struct cwi_pending *next[CWI_CHAINS], *previous[CWI_CHAINS];
  uint32_t slot;  /* handle slot + 1; 0 if the operation is implicit */
  uint32_t users; /* number of threads that poll or wait; the last one releases the operation when
                     it is done */
  bool done;
  bool apart; /* not a transfer: completed by a wait on its own handle, never by a wait for all */
  bool reported; /* the thread that waits for it has received its result */
  int process;
  const void *starter; /* identifies the thread that started it */
  /* Error found by a thread other than the one that waits for this operation. A wait for the handle
   * still has to return it or, if the operation is implicit, a wait of the thread that started it.
   * NULL if there is no such error. */
  struct cwi_first_error *failed;
  /* Waits for local completion or, if `wait` is false, polls once. When the operation is complete,
   * does what is left to do (such as unpacking) and sets *done; handle.c then unlinks the operation
   * and calls `release`. Called with the origin's lock held. The function may release the lock
   * while it waits, and other threads may then call it, too. */
  cw_error (*complete)(struct cwi_pending *pending, bool wait, bool *done);
  void (*release)(struct cwi_pending *pending);
};

/* Attaches to `handle` an operation that the current origin has started. If `handle` is NULL, makes
 * it an implicit operation. Errors: CW_OUTSIDE (no memory): the caller still owns the pending
 * operation and must complete it itself. */
CWI_CHECKED cw_error cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending);

/* Undoes the latest cwi_handle_attach, because the operation could not be started after all.
 * Restores `*handle` to `before`. */
void cwi_handle_detach(cw_handle *handle, cw_handle before, const struct cwi_pending *pending);

/* Waits until the operations of a handle are locally complete or, if `wait` is false, polls them
 * once. If all are complete, empties the handle and sets *done to true, else to false. */
CWI_CHECKED cw_error cwi_handle_finish(cw_handle *handle, bool wait, bool *done);

/* Returns the origin whose operations the handle names: the current origin for NULL, the process's
 * origin for an empty handle. */
uint32_t cwi_handle_origin(const cw_handle *handle);

/* Waits for local completion of all operations that the current origin has started to `process`, or
 * to all processes if it is -1. If `aside`, the caller waits on behalf of an operation of another
 * kind. Errors that later waits for the operations will return are then not returned here. */
CWI_CHECKED cw_error cwi_pending_finish(int process, bool aside);

/* Returns true if cwi_pending_finish would have anything to wait for, to any process. Takes no
 * lock. */
bool cwi_pending_any(void);

/* Releases the completed implicit operations to `process`, or to all processes if it is -1. Called
 * after a fence, because a program that only fences never waits for its implicit operations. */
CWI_CHECKED cw_error cwi_implicit_settle(int process);

/* Checks that a handle may be used: it is NULL, empty, or was returned by a call, whether or not
 * its operations are complete. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_handle_check(const cw_handle *handle);

/* Returns true if an operation is pending on the handle. Accepts any value, also one that no call
 * has returned. */
bool cwi_handle_runs(const cw_handle *handle);

/* Checks that new operations of the current origin may be attached to the handle. A handle names
 * operations of one origin only. So the handle must be empty, belong to this origin, or have only
 * complete operations. In the last case this empties it. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_handle_claim(cw_handle *handle);

/* Returns true if the handle is marked for aggregation. */
bool cwi_handle_aggregates(const cw_handle *handle);

/* Releases what is left at cw_finalize. No transfer may be pending. Slots and generations stay, so
 * that old handles are still known as empty. */
void cwi_handles_stop(void);

/* Returns the number of operations of all origins that are attached to handles and not known to be
 * complete. */
size_t cwi_handles_pending(void);
