/* Chooses an executor for what is to be done. An object tells by its first word whose it is.
 *
 * cwi_executor_...  is what the client calls: objects of a vendor of this process, or of sites
 * cwi_copy_...      is what sites call: objects of a vendor of this process, or of a proxy */
#ifndef CWI_SITES_DISPATCH_H
#define CWI_SITES_DISPATCH_H

#include "sites/sites.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline bool cwi_is_remote(const void *object)
{
  return *(const void *const *)object == &cwi_remote_mark;
}

/* X(name, whose object decides, parameters, arguments) */
/* These use copies, which a move changes: they wait for its end. */
#define CWI_GATED_CALLS(X)                                                                         \
  X(make_kernels, program, (void *program, cl_uint most, void **kernels, cl_uint *count),          \
    (program, most, kernels, count))                                                               \
  X(tell_deleted, memory, (void *memory, cwi_memory_deleted function, void *data),                 \
    (memory, function, data))                                                                      \
  X(build, building->program, (const struct cwi_building *building), (building))                   \
  X(ask, question->object,                                                                         \
    (const struct cwi_native_question *question, size_t size, void *value, size_t *size_needed),   \
    (question, size, value, size_needed))                                                          \
  X(ask_formats, object,                                                                           \
    (void *object, cl_mem_flags flags, cl_mem_object_type type, cl_uint most,                      \
     cl_image_format *formats, cl_uint *count),                                                    \
    (object, flags, type, most, formats, count))                                                   \
  X(execute, command->queue, (struct cwi_command * command), (command))                            \
  X(set_argument, kernel, (void *kernel, cl_uint index, size_t size, const void *value),           \
    (kernel, index, size, value))                                                                  \
  X(flush, object, (void *object), (object))                                                       \
  X(tell_event, event, (void *event, cl_int status, cwi_event_notice function, void *data),        \
    (event, status, function, data))
/* These may wait long; a move need not wait for them, and may have to for what they do. */
#define CWI_FREE_CALLS(X)                                                                          \
  X(finish, object, (void *object), (object))                                                      \
  X(wait, events[0], (cl_uint count, void *const *events), (count, events))

#define CWI_FOR_CLIENT(name, whose, parameters, arguments)                                         \
  static inline cl_int cwi_executor_##name parameters                                              \
  {                                                                                                \
    if (!cwi_is_sited(whose))                                                                      \
      return cwi_native_##name arguments;                                                          \
    struct cwi_gate *gate = cwi_sites_enter(whose);                                                \
    const cl_int code = cwi_sites_##name arguments;                                                \
    cwi_sites_leave(gate);                                                                         \
    return code;                                                                                   \
  }
#define CWI_FOR_CLIENT_FREELY(name, whose, parameters, arguments)                                  \
  static inline cl_int cwi_executor_##name parameters                                              \
  {                                                                                                \
    return cwi_is_sited(whose) ? cwi_sites_##name arguments : cwi_native_##name arguments;         \
  }
#define CWI_FOR_COPY(name, whose, parameters, arguments)                                           \
  static inline cl_int cwi_copy_##name parameters                                                  \
  {                                                                                                \
    return cwi_is_remote(whose) ? cwi_remote_##name arguments : cwi_native_##name arguments;       \
  }
CWI_GATED_CALLS(CWI_FOR_CLIENT)
CWI_FREE_CALLS(CWI_FOR_CLIENT_FREELY)
CWI_GATED_CALLS(CWI_FOR_COPY)
CWI_FREE_CALLS(CWI_FOR_COPY)
#undef CWI_FOR_CLIENT
#undef CWI_FOR_CLIENT_FREELY
#undef CWI_FOR_COPY
#undef CWI_GATED_CALLS
#undef CWI_FREE_CALLS

/* The program's events have no copies. */
static inline cl_int cwi_executor_set_user_event(void *event, cl_int status)
{
  return cwi_is_sited(event) ? cwi_sites_set_user_event(event, status)
                             : cwi_native_set_user_event(event, status);
}

/* A clone is made at home, and has copies of its own. */
static inline cl_int cwi_executor_clone_kernel(void *kernel, void **clone)
{
  if (!cwi_is_sited(kernel))
    return cwi_native_clone_kernel(kernel, clone);
  struct cwi_gate *gate = cwi_sites_enter(kernel);
  const cl_int code = cwi_sites_clone_kernel(kernel, clone);
  cwi_sites_leave(gate);
  return code;
}

static inline cl_int cwi_copy_make(const struct cwi_making *making, void **object)
{
  const void *whose = making->sort == CWI_CONTEXT ? making->devices[0] : making->parent;
  return cwi_is_remote(whose) ? cwi_remote_make(making, object) : cwi_native_make(making, object);
}

static inline void cwi_copy_drop(enum cwi_sort sort, void *object)
{
  if (cwi_is_remote(object))
    cwi_remote_drop(sort, object);
  else
    cwi_native_drop(sort, object);
}

/* A context of one vendor of this process needs no sites. */
static inline bool cwi_needs_sites(const struct cwi_making *making)
{
  if (making->sort != CWI_CONTEXT)
    return cwi_is_sited(making->parent);
  for (cl_uint i = 0; i < making->device_count; i++)
    if (cwi_is_remote(making->devices[i]) || making->vendors[i] != making->vendors[0])
      return true;
  return false;
}

static inline cl_int cwi_executor_make(const struct cwi_making *making, void **object)
{
  if (!cwi_needs_sites(making))
    return cwi_native_make(making, object);
  struct cwi_gate *gate = making->sort != CWI_CONTEXT ? cwi_sites_enter(making->parent) : NULL;
  const cl_int code = cwi_sites_make(making, object);
  cwi_sites_leave(gate);
  return code;
}

static inline void cwi_executor_drop(enum cwi_sort sort, void *object)
{
  if (cwi_is_sited(object))
    cwi_sites_drop(object);
  else
    cwi_copy_drop(sort, object);
}

static inline struct cwi_facts *cwi_executor_describe(void *object)
{
  return cwi_is_remote(object) ? cwi_remote_describe(object) : cwi_native_describe(object);
}

static inline cl_int cwi_executor_make_sub_devices(void *object,
                                                   const cl_device_partition_property *properties,
                                                   cl_uint most, void **devices, cl_uint *count)
{
  return cwi_is_remote(object)
             ? cwi_remote_make_sub_devices(object, properties, most, devices, count)
             : cwi_native_make_sub_devices(object, properties, most, devices, count);
}

#ifdef __cplusplus
}
#endif
#endif
