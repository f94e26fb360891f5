/* What the present origin has put, added or told to each node since its last fence there. */
#ifndef CWI_ROUTE_SERVER_UNFENCED_UPDATES_H
#define CWI_ROUTE_SERVER_UNFENCED_UPDATES_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

CWI_CHECKED cw_error cwi_updates_start(void);
void cwi_updates_stop(void);

/* An update of a node is on its way: fences have to look there. */
void cwi_updates_add(int node);

/* The two halves of that, for updates that have an answer of their own. This thread has one on its
 * way: it hears if that is refused, whoever finds that out. And: one was refused, and fences have
 * to look why. */
void cwi_updates_add_own(int node);
void cwi_updates_reopen(int node);

/* How many there have been. */
uint64_t cwi_updates_count(int node);

/* A question asked after so many has been answered, when so many batches had been refused
 * (link/wire_format.h). Requests of an origin are executed in turn: all of those updates are
 * complete, and if there were no more, and the batches have been reported, fences need not look
 * there. */
void cwi_updates_answered(int node, uint64_t updates, uint32_t error_batch);

/* Are there any that may not be complete? The next node behind `after` that has some; -1: none. */
bool cwi_updates_open(int node);
int cwi_updates_next(int after);

/* A fence of the node begins: it covers the updates until now. Returns whether there was just one.
 * Until the fence has been answered they stay open for other threads; and when it has not, for
 * ever. */
bool cwi_updates_fence(int node);
void cwi_updates_fenced(int node, bool answered);

/* There is one update, and the last fence of the node was for one: this one may be fenced at once,
 * too. */
bool cwi_updates_expect_fence(int node);

/* The answer to a fence of the node tells of a error_batch of refused ones: has no answer told of
 * it, or of a later one? Then, by the sentence that this thread has just recorded, it is reported.
 * Of which threads' updates it is nobody can tell: all that have some open there hear of it. Under
 * the lock, both. */
bool cwi_updates_is_new_error(int node, uint32_t error_batch);
void cwi_updates_failed(int node, uint32_t error_batch);

/* A fence of the node (-1: of all nodes) by this thread is through. Errors: CW_MISUSE: another
 * thread's has reported what was refused. */
CWI_CHECKED cw_error cwi_updates_error(int node);

/* The same later, and perhaps by another thread, for one that had then errors_seen so much of what
 * was refused there. */
uint64_t cwi_updates_errors_seen(int node);
CWI_CHECKED cw_error cwi_updates_error_since(int node, uint64_t errors_seen);

/* A fence travels with them, or has been answered. */
void cwi_updates_set_piggybacked(int node, bool piggybacked);
#endif
