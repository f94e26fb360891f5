/* The service: what a proxy does for one session. It reads what the program says, has the executor
 * do it, and tells what came of it.
 *
 * session.h    what a session has
 * serve.c      the session's thread: one message after the other
 * objects.c    what the program's numbers mean
 * make.c       objects are made and dropped
 * argument.c   kernels and their arguments
 * builder.c    programs are built, in a thread of its own
 * build_folder.c  the folder in which programs with included files are built
 * answer.c     questions
 * decode.c     commands as the program says them, and the data that they write
 * cut.c        where data lies in memory
 * issue.c      commands go to the vendor, when they can
 * queue.c      what waits in queues, what their vendors have
 * wait.c       what comes of it, in a thread for each queue; of short commands, in the reading one
 * watcher.c    which thread waits for that
 * pieces.c     the program may use its ring of data again
 * say.c        what the program is told
 * notice.c     what vendors tell by callbacks
 * wish.c       the proxy wants a device of the program's moved
 *
 * A session has a thread that reads messages, one for each of its queues that waits for what is
 * under way there (a vendor's callbacks are not relied on), and one that builds. As long as the
 * reading thread is awake it looks itself whether something has come to its end. A thread never
 * waits for the program while others of the session could go on, but for room in its ring of
 * messages: so a program must always hear. What was made dies with the session. */
#ifndef CWI_SERVICE_SERVICE_H
#define CWI_SERVICE_SERVICE_H

#include "wire/channel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_SERVICE_DEVICES = 64, CWI_WISH_TEXT = 512 };

/* What there is of a session on a device. */
struct cwi_service_load {
  uint64_t queues;
  uint64_t unfinished; /* commands that the program has said, and that are not done */
};

/* For whoever lists sessions: kept up to date, to be read at any time. */
struct cwi_service_counts {
  uint64_t messages, commands, bytes_in, bytes_out, objects, device_bytes;
  struct cwi_service_load loads[CWI_SERVICE_DEVICES]; /* of the devices, by their numbers */
};

/* What the program is to be asked for from outside of its session: to move what it has on a device
 * to another one. One wish at a time. */
struct cwi_service_wish {
  uint32_t state; /* enum cwi_wish_state: whose turn it is to touch the rest */
  uint32_t device, target[2];
  void (*told)(void); /* there is an answer: called by the session's thread */
  int32_t code;       /* the answer's */
  uint64_t bytes, nanoseconds;
  char text[CWI_WISH_TEXT];
};

enum cwi_wish_state {
  CWI_WISH_NONE,
  CWI_WISH_MADE,    /* the session is to say it */
  CWI_WISH_SAID,    /* it has; the program has not answered */
  CWI_WISH_ANSWERED /* whoever made it takes the answer, and sets CWI_WISH_NONE */
};

/* The wish is complete but for its state: the session's thread sees it. */
void cwi_service_make_wish(struct cwi_channel_memory *memory, struct cwi_service_wish *wish);
static inline bool cwi_wish_is(const struct cwi_service_wish *wish, enum cwi_wish_state state)
{
  return __atomic_load_n(&wish->state, __ATOMIC_ACQUIRE) == (uint32_t)state;
}

/* Serves the session until its channel is over (whoever learns that the program is gone closes its
 * end for it), then ends all that it has; commands under way come to their end first. wish: may be
 * NULL. Blocks: call it in a thread of its own. */
void cwi_service_run(struct cwi_channel_memory *memory, struct cwi_service_counts *counts,
                     struct cwi_service_wish *wish);

#ifdef __cplusplus
}
#endif
#endif
