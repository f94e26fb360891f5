/* What the client calls: an object of a vendor's goes to the executor of this process, one of ours
 * to its proxy. An object tells by its first word. */
#ifndef CWI_REMOTE_DISPATCH_H
#define CWI_REMOTE_DISPATCH_H

#include "remote/remote.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline bool cwi_is_remote(const void *object)
{
  return *(const void *const *)object == &cwi_remote_mark;
}

/* The devices that this process reaches itself; none if its proxy is to do all. */
size_t cwi_executor_devices(const struct cwi_found_device **devices);

#define CWI_CHOOSE(object, name, ...)                                                              \
  (cwi_is_remote(object) ? cwi_remote_##name(__VA_ARGS__) : cwi_native_##name(__VA_ARGS__))

static inline struct cwi_facts *cwi_executor_describe(void *object)
{
  return CWI_CHOOSE(object, describe, object);
}

static inline cl_int cwi_executor_make(const struct cwi_making *making, void **object)
{
  const void *whose = making->sort == CWI_CONTEXT ? making->devices[0] : making->parent;
  return CWI_CHOOSE(whose, make, making, object);
}

static inline void cwi_executor_drop(enum cwi_sort sort, void *object)
{
  CWI_CHOOSE(object, drop, sort, object);
}

static inline cl_int cwi_executor_make_kernels(void *program, cl_uint most, void **kernels,
                                               cl_uint *count)
{
  return CWI_CHOOSE(program, make_kernels, program, most, kernels, count);
}

static inline cl_int cwi_executor_make_sub_devices(void *object,
                                                   const cl_device_partition_property *properties,
                                                   cl_uint most, void **devices, cl_uint *count)
{
  return CWI_CHOOSE(object, make_sub_devices, object, properties, most, devices, count);
}

static inline cl_int cwi_executor_tell_deleted(void *memory, cwi_memory_deleted function,
                                               void *data)
{
  return CWI_CHOOSE(memory, tell_deleted, memory, function, data);
}

static inline cl_int cwi_executor_build(const struct cwi_building *building)
{
  return CWI_CHOOSE(building->program, build, building);
}

static inline cl_int cwi_executor_ask(const struct cwi_native_question *question, size_t size,
                                      void *value, size_t *size_needed)
{
  return CWI_CHOOSE(question->object, ask, question, size, value, size_needed);
}

static inline cl_int cwi_executor_ask_formats(void *object, cl_mem_flags flags,
                                              cl_mem_object_type type, cl_uint most,
                                              cl_image_format *formats, cl_uint *count)
{
  return CWI_CHOOSE(object, ask_formats, object, flags, type, most, formats, count);
}

static inline cl_int cwi_executor_execute(struct cwi_command *command)
{
  return CWI_CHOOSE(command->queue, execute, command);
}

static inline cl_int cwi_executor_set_argument(void *kernel, cl_uint index, size_t size,
                                               const void *value)
{
  return CWI_CHOOSE(kernel, set_argument, kernel, index, size, value);
}

static inline cl_int cwi_executor_flush(void *object)
{
  return CWI_CHOOSE(object, flush, object);
}

static inline cl_int cwi_executor_finish(void *object)
{
  return CWI_CHOOSE(object, finish, object);
}

static inline cl_int cwi_executor_wait(cl_uint count, void *const *events)
{
  return CWI_CHOOSE(events[0], wait, count, events);
}

static inline cl_int cwi_executor_set_user_event(void *event, cl_int status)
{
  return CWI_CHOOSE(event, set_user_event, event, status);
}

static inline cl_int cwi_executor_tell_event(void *event, cl_int status, cwi_event_notice function,
                                             void *data)
{
  return CWI_CHOOSE(event, tell_event, event, status, function, data);
}

#ifdef __cplusplus
}
#endif
#endif
