/* Submits commands to the executor of their queue's location. */
#include "command/command_submit.h"

#include <stdlib.h>

/* A command with at most this number of objects and events needs no allocation. */
enum { FEW = 32 };

/* Adds the event's replica to the wait list, if it has one at this location. Events of other
 * locations are complete by now, and so are events without a replica. */
static void add_wait(struct vocl_command *c, void **waits,
                     const struct vocl_replicated_event *event, uint32_t location)
{
  void *replica = event->location == location ? vocl_replica_existing(event, location) : NULL;
  if (replica != NULL)
    waits[c->wait_count++] = replica;
}

/* Replaces the objects and the wait list by replicas, which are stored in `replicas`. */
static cl_int lists_translate(struct vocl_command *c, const struct vocl_wait_list *more,
                              uint32_t location, void **replicas)
{
  const cl_uint wait_count = c->wait_count;
  void *const *waits = c->waits;
  const cl_int code = vocl_replicas_get(c->objects, c->object_count, location, replicas);
  if (c->object_count > 0)
    c->objects = replicas;
  replicas += c->object_count;
  c->wait_count = 0;
  for (cl_uint i = 0; i < wait_count; i++)
    add_wait(c, replicas, waits[i], location);
  for (cl_uint i = 0; more != NULL && i < more->count; i++)
    add_wait(c, replicas, more->events[i], location);
  c->waits = c->wait_count > 0 ? replicas : NULL;
  return code;
}

/* Replaces the queue, the memory and the kernel by their replicas. */
static cl_int command_translate(struct vocl_command *c,
                                const struct vocl_replicated_argument *arguments, uint32_t location)
{
  cl_int code = CL_SUCCESS;
  c->queue = vocl_replica_get(c->queue, location, &code);
  for (int i = 0; i < 2 && code == CL_SUCCESS; i++)
    if (c->memory[i] != NULL)
      c->memory[i] = vocl_replica_get(c->memory[i], location, &code);
  if (code == CL_SUCCESS && c->kernel != NULL)
    code = vocl_kernel_replica(c->kernel, arguments, location, &c->kernel);
  return code;
}

bool vocl_command_cannot_fail(const struct vocl_command *given, uint32_t location)
{
  struct vocl_command c = *given;
  return command_translate(&c, NULL, location) == CL_SUCCESS && vocl_is_remote(c.queue) &&
         vocl_remote_cannot_fail(&c);
}

cl_int vocl_command_submit(const struct vocl_command *given,
                           const struct vocl_replicated_argument *arguments,
                           const struct vocl_wait_list *more, uint32_t location, void **event)
{
  struct vocl_command c = *given;
  void *few[FEW];
  const size_t all = (size_t)c.object_count + c.wait_count + (more != NULL ? more->count : 0);
  void **replicas = all <= FEW ? few : malloc(all * sizeof *replicas);
  if (replicas == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  cl_int code = lists_translate(&c, more, location, replicas);
  if (code == CL_SUCCESS)
    code = command_translate(&c, arguments, location);
  if (code == CL_SUCCESS) {
    c.event = event;
    code = vocl_replica_execute(&c);
    if (arguments != NULL)
      vocl_replica_drop(VOCL_KERNEL, c.kernel);
  }
  if (replicas != few)
    free(replicas);
  return code;
}
