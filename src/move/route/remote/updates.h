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

/* The two halves of that, for updates that have an answer of their own. This thread has one on its
 * way: it hears if that is refused, whoever finds that out. And: one was refused, and fences have
 * to look why. */
void cwi_updates_mine(int node);
void cwi_updates_reopen(int node);

/* How many there have been. */
uint64_t cwi_updates_count(int node);

/* A question asked after so many has been answered, when so many batches had been refused
 * (link/wire.h). Requests of an origin are executed in turn: all of those updates are complete, and
 * if there were no more, and the batches have been reported, fences need not look there. */
void cwi_updates_answered(int node, uint64_t updates, uint32_t batch);

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

/* The answer to a fence of the node tells of a batch of refused ones: has no answer told of it, or
 * of a later one? Then, by the sentence that this thread has just recorded, it is reported. Of
 * which threads' updates it is nobody can tell: all that have some open there hear of it. Under the
 * lock, both. */
bool cwi_updates_is_news(int node, uint32_t batch);
void cwi_updates_refused(int node, uint32_t batch);

/* A fence of the node (-1: of all nodes) by this thread is through. Errors: CW_MISUSE: another
 * thread's has reported what was refused. */
CWI_CHECKED cw_error cwi_updates_judge(int node);

/* The same later, and perhaps by another thread, for one that had then heard so much of what was
 * refused there. */
uint64_t cwi_updates_heard(int node);
CWI_CHECKED cw_error cwi_updates_judge_since(int node, uint64_t heard);

/* A fence travels with them, or has been answered. */
void cwi_updates_ride(int node, bool rides);

#ifdef __cplusplus
}
#endif
#endif
