/* Handles: 8-byte tickets for started operations, and the list of all pending operations.
 *
 * A route that cannot complete an operation at once embeds a cwi_pending in its own record and
 * attaches it. Operations that complete at once attach nothing, so their handle stays empty. */
#ifndef CWI_TRANSFER_HANDLE_H
#define CWI_TRANSFER_HANDLE_H

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
  uint32_t users; /* threads that poll or wait; when it is done, the last one releases it */
  bool done;
  bool apart; /* not a transfer: completed by a wait on its own handle, never by a wait for all */
  bool reported; /* the thread that waits for it has received its result */
  int process;
  const void *starter; /* identifies the thread that started it */
  /* Error found by a thread other than the one that waits for this operation. It still has to be
   * returned by a wait for the handle or, if the operation is implicit, to the thread that started
   * it. NULL if there is none. */
  struct cwi_first_error *failed;
  /* Polls (wait false) or waits for local completion, and then does what is left to do (such as
   * unpacking). Called with the origin's lock held. It may release the lock while it waits, and
   * other threads may then call it too. When it is done, handle.c unlinks the operation and calls
   * release. */
  cw_error (*complete)(struct cwi_pending *pending, bool wait, bool *done);
  void (*release)(struct cwi_pending *pending);
};

/* Attaches an operation that the current origin has started to `handle`, or to the implicit
 * operations if `handle` is NULL. Errors: CW_OUTSIDE (no memory): the caller still owns the pending
 * operation and must complete it itself. */
CWI_CHECKED cw_error cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending);

/* Undoes the latest attachment, of an operation that could not be started after all. Restores
 * `*handle` to `before`. */
void cwi_handle_detach(cw_handle *handle, cw_handle before, const struct cwi_pending *pending);

/* Completes the operations of a handle locally or, if `wait` is false, checks whether they are
 * complete. Sets *done to true and empties the handle if all are complete. */
CWI_CHECKED cw_error cwi_handle_finish(cw_handle *handle, bool wait, bool *done);

/* Returns the origin whose operations the handle names: for NULL the current one, for an empty
 * handle the origin of the process. */
uint32_t cwi_handle_origin(const cw_handle *handle);

/* Waits for local completion of all operations that the current origin has started to `process`, or
 * to all processes if it is -1. With `aside`, does not return errors that the operations' own waits
 * will return; used on behalf of an operation of another kind. */
CWI_CHECKED cw_error cwi_pending_finish(int process, bool aside);

/* Returns true if cwi_pending_finish would have anything to wait for, to any process. Takes no
 * lock. */
bool cwi_pending_any(void);

/* Releases the completed implicit operations to `process` (to all, if -1). Called after a
 * fence has completed them, because programs that only fence never wait for them. */
CWI_CHECKED cw_error cwi_implicit_settle(int process);

/* Checks that a handle may be used: it is NULL, empty, or was returned by a call, whether or not
 * its operations are complete. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_handle_check(const cw_handle *handle);

/* Returns true if an operation is pending on the handle. Accepts any value, also one that no call
 * has returned. */
bool cwi_handle_runs(const cw_handle *handle);

/* Checks that new operations of the current origin may be attached to the handle: it is empty or of
 * this origin, or its operations are complete; then the handle is emptied. A handle names
 * operations of one origin only. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_handle_claim(cw_handle *handle);

/* Returns true if the handle is marked for aggregation. */
bool cwi_handle_aggregates(const cw_handle *handle);

/* Releases what is left at cw_finalize. No transfer may be pending. Slots and generations stay, so
 * that old handles are still known as empty. */
void cwi_handles_stop(void);

/* Returns the number of operations on handles, of all origins, that have not been waited for. */
size_t cwi_handles_pending(void);
#endif
