/* The service: what a proxy does for one session. It reads what the program says, has the executor
 * do it, and tells what came of it.
 *
 * session.h    what a session has
 * serve.c      the session's thread: one message after the other
 * objects.c    what the program's numbers mean
 * make.c       objects are made and dropped
 * argument.c   kernels and their arguments
 * builder.c    programs are built, in a thread of its own
 * answer.c     questions
 * decode.c     commands as the program says them, and the data that they write
 * cut.c        where data lies in memory
 * issue.c      commands go to the vendor, when they can
 * queue.c      what waits in queues, what their vendors have
 * wait.c       what comes of it, in a thread for each queue
 * pieces.c     the program may use its ring of data again
 * say.c        what the program is told
 * notice.c     what vendors tell by callbacks
 *
 * A session has a thread that reads messages, one for each of its queues that waits for what is
 * under way there (a vendor's callbacks are not relied on), and one that builds. A thread never
 * waits for the program while others of the session could go on, but for room in its ring of
 * messages: so a program must always hear. What was made dies with the session. */
#ifndef CWI_SERVICE_SERVICE_H
#define CWI_SERVICE_SERVICE_H

#include "wire/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_service_counts {
  uint64_t messages, commands, bytes_in, bytes_out, objects, device_bytes;
};

/* Serves the session until its channel is over (whoever learns that the program is gone closes its
 * end for it), then ends all that it has; commands under way come to their end first. counts: kept
 * up to date, for whoever lists sessions; may be NULL. Blocks: call it in a thread of its own. */
void cwi_service_run(struct cwi_channel_memory *memory, struct cwi_service_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
