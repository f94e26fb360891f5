/* What all commands of queues share. */
#ifndef VOCL_CLIENT_CLIENT_ENQUEUE_H
#define VOCL_CLIENT_CLIENT_ENQUEUE_H

#include "client/client_objects.h"

/* What each call that puts a command into a queue is given. */
struct vocl_enqueue_arguments {
  cl_command_queue queue;
  cl_uint wait_count;
  const cl_event *waits;
  cl_event *event;
};

/* Check what the call was given, and have the command performed. Memory and kernel of the command
 * are handles; they become the executor's objects here. */
cl_int vocl_enqueue(struct vocl_command *command, const struct vocl_enqueue_arguments *call);
#endif
