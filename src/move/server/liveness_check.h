/* Whether the servers of other nodes live: asked when somebody waits long, for whatever. */
#ifndef CWI_SERVER_LIVENESS_CHECK_H
#define CWI_SERVER_LIVENESS_CHECK_H

#include "base/error.h"

/* From now on, processes that wait long have their server ask. Local. */
void cwi_liveness_allow(void);

/* Ask no more, and wait until nothing that was asked is under way. All processes of the node do so
 * before the last barrier: a server that hears of a question after that would be gone. Local. */
void cwi_liveness_close(void);

/* The server's side, with its turns. */
void cwi_liveness_start(void);
void cwi_liveness_stop(void);
void cwi_liveness_progress(void);

/* A neighbour asks, for one that is so many forwards away from me. */
void cwi_liveness_received(unsigned forwards);

/* The neighbour has answered. */
void cwi_liveness_answered(int link);

/* The server of the node has been silent for CW_SERVER_TIMEOUT seconds: end the job. */
CWI_NORETURN void cwi_liveness_abort(int node);
#endif
