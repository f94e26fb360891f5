/* Selects the executor of a call by the first word of an object.
 *
 * vocl_executor_...  is called by the client: native or replicated objects
 * vocl_replica_...   is called by the replica module: native or remote objects */
#pragma once

#include "replica/executor_calls.h"

static inline bool vocl_is_remote(const void *object)
{
  return *(const void *const *)object == &vocl_remote_tag;
}

/* X(name, object that selects the executor, parameters, arguments) */
/* These calls use replicas, which a move replaces, so they wait for the end of a move. */
#define VOCL_FREEZABLE_CALLS(X)                                                                    \
  X(make_kernels, program, (void *program, cl_uint most, void **kernels, cl_uint *count),          \
    (program, most, kernels, count))                                                               \
  X(on_deleted, memory, (void *memory, vocl_memory_callback function, void *data),                 \
    (memory, function, data))                                                                      \
  X(build, building->program, (const struct vocl_building *building), (building))                  \
  X(query, query->object,                                                                          \
    (const struct vocl_query *query, size_t size, void *value, size_t *size_needed),               \
    (query, size, value, size_needed))                                                             \
  X(query_formats, object,                                                                         \
    (void *object, cl_mem_flags flags, cl_mem_object_type type, cl_uint most,                      \
     cl_image_format *formats, cl_uint *count),                                                    \
    (object, flags, type, most, formats, count))                                                   \
  X(execute, command->queue, (struct vocl_command * command), (command))                           \
  X(set_argument, kernel, (void *kernel, cl_uint index, size_t size, const void *value),           \
    (kernel, index, size, value))                                                                  \
  X(flush, object, (void *object), (object))                                                       \
  X(on_event, event, (void *event, cl_int status, vocl_event_function function, void *data),       \
    (event, status, function, data))
/* These calls may block for long. They do not enter the freeze lock here, because their completion
 * may depend on a move, which would then wait for them. */
#define VOCL_BLOCKING_CALLS(X)                                                                     \
  X(finish, object, (void *object), (object))                                                      \
  X(wait, events[0], (cl_uint count, void *const *events), (count, events))

#define VOCL_FOR_CLIENT(name, whose, parameters, arguments)                                        \
  static inline cl_int vocl_executor_##name parameters                                             \
  {                                                                                                \
    if (!vocl_is_replicated(whose))                                                                \
      return vocl_native_##name arguments;                                                         \
    struct vocl_freeze *freeze = vocl_context_enter(whose);                                        \
    const cl_int code = vocl_replicated_##name arguments;                                          \
    vocl_context_leave(freeze);                                                                    \
    return code;                                                                                   \
  }
#define VOCL_FOR_CLIENT_BLOCKING(name, whose, parameters, arguments)                               \
  static inline cl_int vocl_executor_##name parameters                                             \
  {                                                                                                \
    return vocl_is_replicated(whose) ? vocl_replicated_##name arguments                            \
                                     : vocl_native_##name arguments;                               \
  }
#define VOCL_FOR_REPLICA(name, whose, parameters, arguments)                                       \
  static inline cl_int vocl_replica_##name parameters                                              \
  {                                                                                                \
    return vocl_is_remote(whose) ? vocl_remote_##name arguments : vocl_native_##name arguments;    \
  }
VOCL_FREEZABLE_CALLS(VOCL_FOR_CLIENT)
VOCL_BLOCKING_CALLS(VOCL_FOR_CLIENT_BLOCKING)
VOCL_FREEZABLE_CALLS(VOCL_FOR_REPLICA)
VOCL_BLOCKING_CALLS(VOCL_FOR_REPLICA)
#undef VOCL_FOR_CLIENT
#undef VOCL_FOR_CLIENT_BLOCKING
#undef VOCL_FOR_REPLICA
#undef VOCL_FREEZABLE_CALLS
#undef VOCL_BLOCKING_CALLS

/* User events have no replicas. */
static inline cl_int vocl_executor_set_user_event(void *event, cl_int status)
{
  return vocl_is_replicated(event) ? vocl_replicated_set_user_event(event, status)
                                   : vocl_native_set_user_event(event, status);
}

/* A clone is made on the client side and gets replicas of its own. */
static inline cl_int vocl_executor_clone_kernel(void *kernel, void **clone)
{
  if (!vocl_is_replicated(kernel))
    return vocl_native_clone_kernel(kernel, clone);
  struct vocl_freeze *freeze = vocl_context_enter(kernel);
  const cl_int code = vocl_replicated_clone_kernel(kernel, clone);
  vocl_context_leave(freeze);
  return code;
}

static inline cl_int vocl_replica_make(const struct vocl_making *making, void **object)
{
  const void *whose = making->sort == VOCL_CONTEXT ? making->devices[0] : making->parent;
  return vocl_is_remote(whose) ? vocl_remote_make(making, object)
                               : vocl_native_make(making, object);
}

static inline void vocl_replica_drop(enum vocl_sort sort, void *object)
{
  if (vocl_is_remote(object))
    vocl_remote_drop(sort, object);
  else
    vocl_native_drop(sort, object);
}

/* Returns false if all devices of the context belong to one vendor of this process. Its objects are
 * native then. */
static inline bool vocl_needs_replicas(const struct vocl_making *making)
{
  if (making->sort != VOCL_CONTEXT)
    return vocl_is_replicated(making->parent);
  for (cl_uint i = 0; i < making->device_count; i++)
    if (vocl_is_remote(making->devices[i]) || making->vendors[i] != making->vendors[0])
      return true;
  return false;
}

static inline cl_int vocl_executor_make(const struct vocl_making *making, void **object)
{
  if (!vocl_needs_replicas(making))
    return vocl_native_make(making, object);
  struct vocl_freeze *freeze =
      making->sort != VOCL_CONTEXT ? vocl_context_enter(making->parent) : NULL;
  const cl_int code = vocl_replicated_make(making, object);
  vocl_context_leave(freeze);
  return code;
}

static inline void vocl_executor_drop(enum vocl_sort sort, void *object)
{
  if (vocl_is_replicated(object))
    vocl_replicated_drop(object);
  else
    vocl_replica_drop(sort, object);
}

static inline struct vocl_facts *vocl_executor_describe(void *object)
{
  return vocl_is_remote(object) ? vocl_remote_describe(object) : vocl_native_describe(object);
}

static inline cl_int vocl_executor_make_sub_devices(void *object,
                                                    const cl_device_partition_property *properties,
                                                    cl_uint most, void **devices, cl_uint *count)
{
  return vocl_is_remote(object)
             ? vocl_remote_make_sub_devices(object, properties, most, devices, count)
             : vocl_native_make_sub_devices(object, properties, most, devices, count);
}
