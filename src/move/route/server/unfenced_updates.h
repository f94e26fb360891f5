/* The updates that the current origin has sent to each node since its last fence there: puts,
 * accumulates, notifications. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Make and free the records of the current origin. */
CWI_CHECKED cw_error cwi_updates_start(void);
void cwi_updates_stop(void);

/* Notes an update of a node: fences have to cover it. */
void cwi_updates_add(int node);

/* For updates that have an answer of their own. cwi_updates_add_own notes that this thread has such
 * an update in flight. If the update is rejected, this thread receives the error, whichever thread
 * processes the answer. cwi_updates_reopen notes that such an update was rejected, so that a fence
 * fetches the reason. */
void cwi_updates_add_own(int node);
void cwi_updates_reopen(int node);

/* Returns the number of updates of the node so far. */
uint64_t cwi_updates_count(int node);

/* Notes the answer to a query that was sent after `updates` updates. `error_batch` is the number of
 * the last error batch (link/wire_format.h). The server executes requests of an origin in order, so
 * all of those updates are complete. If no updates have followed and all errors have been reported,
 * fences need not cover the node any longer. */
void cwi_updates_answered(int node, uint64_t updates, uint32_t error_batch);

/* cwi_updates_open returns true if updates of the node are open: they may not be complete.
 * cwi_updates_next returns the next such node after `after`, or -1. */
bool cwi_updates_open(int node);
int cwi_updates_next(int after);

/* cwi_updates_fence begins a fence of the node, which covers the updates until now. Returns true if
 * that is just one update. They stay open for other threads until cwi_updates_fenced; if the fence
 * was not `answered`, they stay open after it, too. */
bool cwi_updates_fence(int node);
void cwi_updates_fenced(int node, bool answered);

/* Returns true if just one update of the node is open, and the last fence of the node also covered
 * just one. A fence should then travel with this update. */
bool cwi_updates_expect_fence(int node);

/* cwi_updates_is_new_error returns true if no answer has reported this error batch, or a later one,
 * before. Then the caller records the error and calls cwi_updates_failed, which keeps its message.
 * The number does not identify the threads whose updates failed, so all threads with open updates
 * at the node receive the error. Callers of both hold the origin's lock. */
bool cwi_updates_is_new_error(int node, uint32_t error_batch);
void cwi_updates_failed(int node, uint32_t error_batch);

/* Ends a fence of the node (of all nodes if -1) by this thread. Returns CW_MISUSE if another
 * thread's fence has found errors there that this thread has not received yet. */
CWI_CHECKED cw_error cwi_updates_error(int node);

/* For errors that are to be returned later, perhaps by another thread: cwi_updates_errors_seen
 * returns the state of this thread, and cwi_updates_error_since the errors found since that state.
 */
uint64_t cwi_updates_errors_seen(int node);
CWI_CHECKED cw_error cwi_updates_error_since(int node, uint64_t errors_seen);

/* Notes whether a fence travels with the updates of the node. */
void cwi_updates_set_piggybacked(int node, bool piggybacked);
