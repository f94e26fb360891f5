/* The service of one session at a proxy. It reads the messages of the program, executes them
 * through the executor, and sends the results.
 *
 * service_session.h    data structures of a session
 *
 * A session has a thread that reads messages, a thread that builds, and for each queue a thread
 * that waits for its operations (the service does not rely on callbacks of vendors). While the
 * reading thread is awake, it polls for completed operations itself. A thread that waits for the
 * program lets the other threads of the session continue, with one exception: when the proxy's ring
 * of messages is full, the whole session waits. The program must therefore always drain that ring.
 * All objects of a session are freed at its end.
 *
 * service_move_request.c  requests that the program move what it has on a device
 * service_notice.c        callbacks of vendors, passed on to the program
 * service_objects.c       the table of objects by their numbers
 * service_pieces.c        release of space in the program's data ring
 * service_send.c          messages to the program
 * service_waiter.c        choice of the thread that waits for a queue */
#pragma once

#include "wire/channel.h"

enum { VOCL_SERVICE_DEVICES = 64, VOCL_MOVE_TEXT = 512 };

/* Load of a session on one device. */
struct vocl_service_load {
  uint64_t queues;
  uint64_t unfinished; /* commands that were received and are not done */
};

/* Counters for the list of sessions. They are kept up to date and may be read at any time. */
struct vocl_service_counts {
  uint64_t messages, commands, bytes_in, bytes_out, objects, device_bytes;
  struct vocl_service_load loads[VOCL_SERVICE_DEVICES]; /* by device number */
};

/* A request to the program from outside its session: to move what it has on one device to
 * another device. There is at most one at a time. */
struct vocl_move_request {
  uint32_t state; /* enum vocl_move_state: says which side may access the other fields */
  uint32_t device, target[2];
  void (*on_reply)(void); /* called by the session's thread when the reply has arrived */
  int32_t code;           /* result code of the reply */
  uint64_t bytes, nanoseconds;
  char text[VOCL_MOVE_TEXT];
};

enum vocl_move_state {
  VOCL_MOVE_NONE,
  VOCL_MOVE_REQUESTED, /* the session's thread must send it */
  VOCL_MOVE_SENT,      /* the program has not replied yet */
  VOCL_MOVE_REPLIED    /* the requester takes the reply and sets VOCL_MOVE_NONE */
};

/* Submits `request` and wakes the session's thread. The caller has set all fields of the request
 * except the state. */
void vocl_service_request_move(struct vocl_channel_memory *memory,
                               struct vocl_move_request *request);
static inline bool vocl_move_state_is(const struct vocl_move_request *request,
                                      enum vocl_move_state state)
{
  return __atomic_load_n(&request->state, __ATOMIC_ACQUIRE) == (uint32_t)state;
}

/* Serves the session until the program's end of the channel is closed, or the program sends a
 * malformed message. If the program is gone, the proxy closes that end. Then waits for the commands
 * in progress and frees everything that the session has. `request` may be NULL. Blocks, so call it
 * in a thread of its own. */
void vocl_service_run(struct vocl_channel_memory *memory, struct vocl_service_counts *counts,
                      struct vocl_move_request *request);
