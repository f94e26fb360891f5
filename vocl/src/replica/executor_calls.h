/* Replicated objects: the executor's functions for contexts whose devices are not all of one vendor
 * of this process. An object represents what the program has made, and exists on the client side.
 * At each location where it is used, it has a replica. A replica is an object of that location's
 * executor.
 *
 * executor_calls.h     the functions, as in executor.h
 * dispatch.h           selects executors: for the client, and for replicas
 * replicated.h         contexts, queues, samplers, and what all objects have in common
 * replicated_event.h   events and deferred commands
 * replicated_memory.h  data structures of memory
 *
 * A location is a place for one executor's context: a vendor in this process, or a vendor at a
 * proxy.
 *
 * bound_devices.c       devices that have moved
 * context_list.c        all contexts: for moves, fork, sessions that are over
 * context_objects.c     the objects of each context
 * context_worker.c      the thread that submits deferred commands
 * freeze.c              the lock that calls enter and a move closes
 * replicated.c          common parts of all objects: references, replicas
 * replicated_context.c  contexts and their locations; queues, samplers
 * replicated_event.c    events: waits, callbacks, user events */
#pragma once

#include "remote/remote.h"

/* Maximum number of locations of a context. */
enum { VOCL_CONTEXT_LOCATIONS = 15 };

/* The address of this tag is the first field of each replicated object. Devices are never
 * replicated. */
extern const char vocl_replicated_tag;

static inline bool vocl_is_replicated(const void *object)
{
  return *(const void *const *)object == &vocl_replicated_tag;
}

/* Enters the freeze lock of the object's context, before a call on the object. */
struct vocl_freeze *vocl_context_enter(const void *object);
/* Leaves it when the call returns; `freeze` may be NULL. */
void vocl_context_leave(struct vocl_freeze *freeze);

/* The functions correspond to those of executor.h, which has their comments. */
cl_int vocl_replicated_make(const struct vocl_making *making, void **object);
void vocl_replicated_drop(void *object);
cl_int vocl_replicated_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count);
cl_int vocl_replicated_clone_kernel(void *kernel, void **clone);
cl_int vocl_replicated_on_deleted(void *memory, vocl_memory_callback function, void *data);
cl_int vocl_replicated_build(const struct vocl_building *building);
cl_int vocl_replicated_query(const struct vocl_query *query, size_t size, void *value,
                             size_t *size_needed);
cl_int vocl_replicated_query_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                                     cl_uint most, cl_image_format *formats, cl_uint *count);
cl_int vocl_replicated_execute(struct vocl_command *command);
cl_int vocl_replicated_set_argument(void *kernel, cl_uint index, size_t size, const void *value);
cl_int vocl_replicated_flush(void *queue);
cl_int vocl_replicated_finish(void *queue);
cl_int vocl_replicated_wait(cl_uint count, void *const *events);
cl_int vocl_replicated_set_user_event(void *event, cl_int status);
cl_int vocl_replicated_on_event(void *event, cl_int status, vocl_event_function function,
                                void *data);
