/* What all commands of queues share. */
#ifndef CWI_CLIENT_ENQUEUE_H
#define CWI_CLIENT_ENQUEUE_H

#include "client/kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What each call that puts a command into a queue is given. */
struct cwi_call {
  cl_command_queue queue;
  cl_uint wait_count;
  const cl_event *waits;
  cl_event *event;
};

/* Check what the call was given, and have the command performed. Memory and kernel of the command
 * are handles; they become the executor's objects here. */
cl_int cwi_enqueue(struct cwi_command *command, const struct cwi_call *call);

#ifdef __cplusplus
}
#endif
#endif
