/* What the present origin has put, added or told to each node since its last fence there. */
#ifndef CWI_ROUTE_REMOTE_UPDATES_H
#define CWI_ROUTE_REMOTE_UPDATES_H

#include "base/check.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

CWI_CHECKED cw_error cwi_updates_start(void);
void cwi_updates_stop(void);

/* An update of a node is on its way: fences have to look there. */
void cwi_updates_add(int node);

/* How many there have been. */
uint32_t cwi_updates_count(int node);

/* A question asked after so many has been answered. Requests of an origin are executed in turn: all
 * of those updates are complete, and if there were no more, fences need not look there. */
void cwi_updates_answered(int node, uint32_t updates);

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

/* The answer to a fence of the node tells that some were refused, by the sentence that this thread
 * has just recorded: of which threads' it does not tell. So all that have updates open there hear
 * of it, each once. */
void cwi_updates_refused(int node);

/* A fence of the node (-1: of all nodes) by this thread is through. Errors: CW_MISUSE: another
 * thread's has been told what was refused. */
CWI_CHECKED cw_error cwi_updates_judge(int node);

/* A fence travels with them, or has been answered. */
void cwi_updates_ride(int node, bool rides);

#ifdef __cplusplus
}
#endif
#endif
