/* Common parts of all enqueue calls. */
#pragma once

#include "client/client_objects.h"

/* Parameters that each enqueue call has. */
struct vocl_enqueue_arguments {
  cl_command_queue queue;
  cl_uint wait_count;
  const cl_event *waits;
  cl_event *event;
};

/* Checks the parameters and executes the command. Memory and kernel of the command are handles,
 * which are replaced by the executor's objects. */
cl_int vocl_enqueue(struct vocl_command *command, const struct vocl_enqueue_arguments *call);
