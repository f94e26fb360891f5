/* What the objects of each kind have, and the kinds. */
#ifndef CWI_CLIENT_KINDS_H
#define CWI_CLIENT_KINDS_H

#include "client/query.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_cl_device {
  struct cwi_handle handle;
  struct cwi_cl_device *parent; /* NULL: the machine has it */
  unsigned vendor;              /* devices of one can be at one site */
  cl_platform_id platform;
  struct cwi_facts *facts;
};

#define CWI_VENDORS_MIXED UINT32_MAX

struct cwi_cl_context {
  struct cwi_handle handle;
  cl_uint device_count;
  unsigned vendor;         /* of all devices, or CWI_VENDORS_MIXED */
  struct cwi_blob devices; /* cl_device_id of ours */
  struct cwi_blob properties;
  struct cwi_context_end *notices; /* of its end, the last one first */
};

struct cwi_cl_queue {
  struct cwi_handle handle;
  struct cwi_cl_context *context;
  struct cwi_cl_device *device;
  cl_command_queue_properties flags;
  struct cwi_blob properties;
  cl_command_queue none; /* a default queue on the device: never */
};

/* Buffers, sub-buffers and images. */
struct cwi_cl_memory {
  struct cwi_handle handle;
  struct cwi_cl_context *context;
  struct cwi_cl_memory *parent; /* of a sub-buffer, or of an image made of a buffer */
  cl_mem_object_type type;
  size_t size;
  size_t offset;
  void *host;
  cl_bool shared_virtual; /* never */
  struct cwi_blob properties;
  struct cwi_learnt learnt;
};

struct cwi_cl_sampler {
  struct cwi_handle handle;
  struct cwi_cl_context *context;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  struct cwi_blob properties;
};

struct cwi_cl_program {
  struct cwi_handle handle;
  struct cwi_cl_context *context;
  cl_uint device_count;
  struct cwi_blob devices; /* cl_device_id of ours */
  bool hides_arguments;    /* who built it did not ask for what is known of its arguments */
  struct cwi_learnt learnt;
};

struct cwi_cl_kernel {
  struct cwi_handle handle;
  struct cwi_cl_program *program;
  struct cwi_cl_context *context;
  cl_uint argument_count;
  unsigned char *arguments; /* enum kernel_argument */
  struct cwi_learnt learnt;
};

struct cwi_cl_event {
  struct cwi_handle handle;
  struct cwi_cl_context *context;
  struct cwi_cl_queue *queue; /* NULL: a user event */
  cl_command_type type;
};

extern const struct cwi_kind cwi_kind_device;
extern const struct cwi_kind cwi_kind_context;
extern const struct cwi_kind cwi_kind_queue;
extern const struct cwi_kind cwi_kind_memory;
extern const struct cwi_kind cwi_kind_sampler;
extern const struct cwi_kind cwi_kind_program;
extern const struct cwi_kind cwi_kind_kernel;
extern const struct cwi_kind cwi_kind_event;

/* From now on a child of this process finds no lock of ours taken. */
void cwi_kinds_prepare_fork(void);

#define CWI_FIND_AS(name, type)                                                                    \
  static inline struct cwi_cl_##name *cwi_##name##_find(type handle)                               \
  {                                                                                                \
    return (struct cwi_cl_##name *)cwi_handle_find(&cwi_kind_##name, handle);                      \
  }
CWI_FIND_AS(device, cl_device_id)
CWI_FIND_AS(context, cl_context)
CWI_FIND_AS(queue, cl_command_queue)
CWI_FIND_AS(memory, cl_mem)
CWI_FIND_AS(sampler, cl_sampler)
CWI_FIND_AS(program, cl_program)
CWI_FIND_AS(kernel, cl_kernel)
CWI_FIND_AS(event, cl_event)
#undef CWI_FIND_AS

/* What is of different contexts may meet in a vendor's call only if all is that vendor's. */
static inline bool cwi_contexts_meet(const struct cwi_cl_context *one,
                                     const struct cwi_cl_context *other)
{
  return one == other || (one->vendor == other->vendor && one->vendor != CWI_VENDORS_MIXED);
}

static inline bool cwi_context_has(const struct cwi_cl_context *context,
                                   const struct cwi_cl_device *device)
{
  const cl_device_id *devices = (const cl_device_id *)context->devices.bytes;
  for (cl_uint i = 0; i < context->device_count; i++)
    if ((const void *)devices[i] == device)
      return true;
  return false;
}

/* Returns true if a program of the context can have the device: it is in the context or, where its
 * vendor may list it in place of its parts, a device of the context is a part of it. */
static inline bool cwi_context_knows(const struct cwi_cl_context *context,
                                     const struct cwi_cl_device *device)
{
  const cl_device_id *devices = (const cl_device_id *)context->devices.bytes;
  for (cl_uint i = 0; i < context->device_count; i++)
    for (const struct cwi_cl_device *each = (const struct cwi_cl_device *)devices[i]; each != NULL;
         each = cwi_is_sited(context->handle.object) ? NULL : each->parent)
      if (each == device)
        return true;
  return false;
}

#ifdef __cplusplus
}
#endif
#endif
