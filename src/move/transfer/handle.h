/* Handles: 8-byte tickets for started operations, and the list of all that is pending.
 *
 * A route that cannot complete an operation at once embeds a cwi_pending in its own record and
 * attaches it. Operations that complete at once attach nothing, so their handle stays empty. */
#ifndef CWI_TRANSFER_HANDLE_H
#define CWI_TRANSFER_HANDLE_H

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>

/* What an operation is chained with: all of its origin; those of its handle, or those that are
 * implicit. */
enum cwi_chain { CWI_CHAIN_ALL, CWI_CHAIN_HANDLE, CWI_CHAINS };

/* Its owner fills in process and the functions. */
struct cwi_pending {
  struct cwi_pending *next[CWI_CHAINS], *previous[CWI_CHAINS];
  uint32_t slot;  /* handle slot + 1; 0: implicit */
  uint32_t users; /* threads that look or wait; the last one releases it when it is done */
  bool done;
  bool
      apart; /* no operation, but something to wait for: by its handle alone, not with all others */
  bool reported; /* who waits for it has heard how it went */
  int process;
  const void *starter; /* the thread */
  /* Somebody else has found that it was refused: still to be reported to who waits for its handle,
   * or, if it is implicit, to its thread. NULL: nothing. */
  struct cwi_first_error *failed;
  /* Look (wait false) or wait for local completion, and do what then is to do (unpack). The
   * bookkeeping lock is held; a thread may let go of it while it waits, and other threads may then
   * call this, too. When done the handle room unlinks it and calls release. */
  cw_error (*complete)(struct cwi_pending *pending, bool wait, bool *done);
  void (*release)(struct cwi_pending *pending);
};

/* Attach an operation that the present origin has started. handle NULL: implicit. Errors:
 * CW_OUTSIDE (no memory): the caller still owns the pending and must complete it itself. */
CWI_CHECKED cw_error cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending);

/* Take back the latest attachment of an operation that was not started after all. The handle is
 * what it was `before`. */
void cwi_handle_detach(cw_handle *handle, cw_handle before, const struct cwi_pending *pending);

/* Complete the operations of a handle locally, or look whether they are. *done: they are, and the
 * handle is empty. */
CWI_CHECKED cw_error cwi_handle_finish(cw_handle *handle, bool wait, bool *done);

/* The origin whose operations it names. NULL, or empty: the present one, or the process. */
uint32_t cwi_handle_origin(const cw_handle *handle);

/* Wait for local completion of all that the present origin has started to a process; -1: to all.
 * aside: for an operation of another kind; what their own waits will tell is no error of this. */
CWI_CHECKED cw_error cwi_pending_finish(int process, bool aside);

/* Is there anything that it waits for, to whatever process? Takes no lock. */
bool cwi_pending_any(void);

/* Forget the implicit operations at a process (-1: at all) that are complete, as a fence has just
 * made those it is for: programs that only ever fence never wait for them. */
CWI_CHECKED cw_error cwi_implicit_settle(int process);

/* Is this a handle that may be used: empty, or one that was given, whether or not its operations
 * are done? NULL is. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_handle_check(const cw_handle *handle);

/* Is an operation pending on it? Of any handle, also one that no call has given. */
bool cwi_handle_runs(const cw_handle *handle);

/* A handle names operations of one origin: of the present one, or of none. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_handle_claim(cw_handle *handle);

/* Is the handle marked for aggregation? */
bool cwi_handle_aggregates(const cw_handle *handle);

/* Nothing may be pending. Handles of before stay known: they are empty. */
void cwi_handles_stop(void);

/* How many operations on handles have not been waited for, of all origins. */
size_t cwi_handles_pending(void);
#endif
