/* The service: what a proxy does for one session. It reads what the program says, has the executor
 * do it, and tells what came of it.
 *
 * service_session.h    what a session has
 *
 * A session has a thread that reads messages, one for each of its queues that waits for what is
 * under way there (a vendor's callbacks are not relied on), and one that builds. As long as the
 * reading thread is awake it looks itself whether something has come to its end. A thread never
 * waits for the program while others of the session could go on, but for room in its ring of
 * messages: so a program must always hear. What was made dies with the session.
 *
 * service_move_request.c  the proxy wants a device of the program's moved
 * service_notice.c        what vendors tell by callbacks
 * service_objects.c       what the program's numbers mean
 * service_pieces.c        the program may use its ring of data again
 * service_send.c          what the program is told
 * service_waiter.c        which thread waits for that */
#ifndef VOCL_SERVICE_SERVICE_H
#define VOCL_SERVICE_SERVICE_H

#include "wire/channel.h"

enum { VOCL_SERVICE_DEVICES = 64, VOCL_MOVE_TEXT = 512 };

/* What there is of a session on a device. */
struct vocl_service_load {
  uint64_t queues;
  uint64_t unfinished; /* commands that the program has said, and that are not done */
};

/* For whoever lists sessions: kept up to date, to be read at any time. */
struct vocl_service_counts {
  uint64_t messages, commands, bytes_in, bytes_out, objects, device_bytes;
  struct vocl_service_load loads[VOCL_SERVICE_DEVICES]; /* of the devices, by their numbers */
};

/* What the program is to be asked for from outside of its session: to move what it has on a device
 * to another one. One wish at a time. */
struct vocl_move_request {
  uint32_t state; /* enum vocl_move_state: whose turn it is to touch the rest */
  uint32_t device, target[2];
  void (*on_reply)(void); /* there is an answer: called by the session's thread */
  int32_t code;           /* the answer's */
  uint64_t bytes, nanoseconds;
  char text[VOCL_MOVE_TEXT];
};

enum vocl_move_state {
  VOCL_MOVE_NONE,
  VOCL_MOVE_REQUESTED, /* the session is to say it */
  VOCL_MOVE_SENT,      /* it has; the program has not answered */
  VOCL_MOVE_REPLIED    /* whoever made it takes the answer, and sets VOCL_MOVE_NONE */
};

/* The wish is complete but for its state: the session's thread sees it. */
void vocl_service_request_move(struct vocl_channel_memory *memory,
                               struct vocl_move_request *request);
static inline bool vocl_move_state_is(const struct vocl_move_request *request,
                                      enum vocl_move_state state)
{
  return __atomic_load_n(&request->state, __ATOMIC_ACQUIRE) == (uint32_t)state;
}

/* Serves the session until its channel is over (whoever learns that the program is gone closes its
 * end for it), then ends all that it has; commands under way come to their end first. wish: may be
 * NULL. Blocks: call it in a thread of its own. */
void vocl_service_run(struct vocl_channel_memory *memory, struct vocl_service_counts *counts,
                      struct vocl_move_request *request);
#endif
