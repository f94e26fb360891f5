/* Data of each kind of object, and the kinds. */
#pragma once

#include "client/client_query.h"

struct vocl_cl_device {
  struct vocl_handle handle;
  struct vocl_cl_device *parent; /* NULL unless it is a sub-device */
  unsigned vendor;               /* devices of one vendor can share a location */
  cl_platform_id platform;
  struct vocl_facts *facts;
};

#define VOCL_VENDORS_MIXED UINT32_MAX

struct vocl_cl_context {
  struct vocl_handle handle;
  cl_uint device_count;
  unsigned vendor;          /* vendor of all devices, or VOCL_VENDORS_MIXED */
  struct vocl_blob devices; /* handles (cl_device_id) */
  struct vocl_blob properties;
  struct vocl_context_callback *notices; /* callbacks for its end, the last registered one first */
};

struct vocl_cl_queue {
  struct vocl_handle handle;
  struct vocl_cl_context *context;
  struct vocl_cl_device *device;
  cl_command_queue_properties flags;
  struct vocl_blob properties;
  cl_command_queue none; /* always NULL, because devices have no default queue */
};

/* Buffers, sub-buffers and images. */
struct vocl_cl_memory {
  struct vocl_handle handle;
  struct vocl_cl_context *context;
  struct vocl_cl_memory
      *parent; /* for a sub-buffer, its buffer; for an image made from memory, that memory */
  cl_mem_object_type type;
  size_t size;
  size_t offset;
  void *host;
  cl_bool shared_virtual; /* always false */
  struct vocl_blob properties;
  struct vocl_fact_cache cache;
};

struct vocl_cl_sampler {
  struct vocl_handle handle;
  struct vocl_cl_context *context;
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  struct vocl_blob properties;
};

struct vocl_cl_program {
  struct vocl_handle handle;
  struct vocl_cl_context *context;
  cl_uint device_count;
  struct vocl_blob devices; /* handles (cl_device_id) */
  bool hides_arguments; /* it was built without -cl-kernel-arg-info, so argument information must
                           not be reported */
  struct vocl_fact_cache cache;
};

struct vocl_cl_kernel {
  struct vocl_handle handle;
  struct vocl_cl_program *program;
  struct vocl_cl_context *context;
  cl_uint argument_count;
  unsigned char *arguments; /* enum kernel_argument */
  struct vocl_fact_cache cache;
};

struct vocl_cl_event {
  struct vocl_handle handle;
  struct vocl_cl_context *context;
  struct vocl_cl_queue *queue; /* NULL for a user event */
  cl_command_type type;
};

extern const struct vocl_kind vocl_kind_device;
extern const struct vocl_kind vocl_kind_context;
extern const struct vocl_kind vocl_kind_queue;
extern const struct vocl_kind vocl_kind_memory;
extern const struct vocl_kind vocl_kind_sampler;
extern const struct vocl_kind vocl_kind_program;
extern const struct vocl_kind vocl_kind_kernel;
extern const struct vocl_kind vocl_kind_event;

/* Registers fork handlers, so that a child finds no lock of ours taken. */
void vocl_kinds_prepare_fork(void);

#define VOCL_FIND_AS(name, type)                                                                   \
  static inline struct vocl_cl_##name *vocl_##name##_find(type handle)                             \
  {                                                                                                \
    return (struct vocl_cl_##name *)vocl_handle_find(&vocl_kind_##name, handle);                   \
  }
VOCL_FIND_AS(device, cl_device_id)
VOCL_FIND_AS(context, cl_context)
VOCL_FIND_AS(queue, cl_command_queue)
VOCL_FIND_AS(memory, cl_mem)
VOCL_FIND_AS(sampler, cl_sampler)
VOCL_FIND_AS(program, cl_program)
VOCL_FIND_AS(kernel, cl_kernel)
VOCL_FIND_AS(event, cl_event)
#undef VOCL_FIND_AS

/* Returns true if objects of both contexts may be used in one call of a vendor: both are the same
 * context, or all devices of both are of the same vendor. */
static inline bool vocl_contexts_match(const struct vocl_cl_context *one,
                                       const struct vocl_cl_context *other)
{
  return one == other || (one->vendor == other->vendor && one->vendor != VOCL_VENDORS_MIXED);
}

static inline bool vocl_context_has(const struct vocl_cl_context *context,
                                    const struct vocl_cl_device *device)
{
  const cl_device_id *devices = (const cl_device_id *)context->devices.bytes;
  for (cl_uint i = 0; i < context->device_count; i++)
    if ((const void *)devices[i] == device)
      return true;
  return false;
}

/* Returns true if a program of the context can have the device. That is the case if the device is
 * in the context. It is also the case if one of its sub-devices is in the context, because a vendor
 * may list the device in place of the sub-device. */
static inline bool vocl_context_knows(const struct vocl_cl_context *context,
                                      const struct vocl_cl_device *device)
{
  const cl_device_id *devices = (const cl_device_id *)context->devices.bytes;
  for (cl_uint i = 0; i < context->device_count; i++)
    for (const struct vocl_cl_device *each = (const struct vocl_cl_device *)devices[i];
         each != NULL; each = vocl_is_replicated(context->handle.object) ? NULL : each->parent)
      if (each == device)
        return true;
  return false;
}
