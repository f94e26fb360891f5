/* The client: OpenCL's calls as programs make them. It checks handles and arguments, counts
 * references, answers queries whose answer is known, and calls the executor for the rest.
 *
 * client_handle.c           common parts of all handles: kind, reference counts; lists of handles
 * fact_cache.c              answers that do not change, kept with their objects
 * client_query.c            answers to clGet...Info, from tables
 * client_fork.c             fork handlers
 * client_refcount.c         retain and release of all kinds
 * client_platform.c         the platform, and how loaders find it
 * client_device.c           devices, sub-devices
 * client_context.c          contexts
 * client_queue.c            queues
 * client_memory.c           buffers, sub-buffers
 * client_image.c            images
 * client_sampler.c          samplers
 * client_program.c          programs and queries about them
 * client_build.c            build, compile, link, and queries about builds
 * client_kernel.c           kernels and their arguments
 * client_event.c            events, user events, callbacks
 * client_enqueue.c          common parts of all enqueue calls
 * client_buffer_commands.c  commands on buffers
 * client_image_commands.c   commands on images
 * client_launch.c           kernels, markers, barriers
 * client_unsupported.c      calls that are not virtualised
 * client_table.c            the table of calls, and what the library exports
 *
 * This header defines handles. A program may pass any address, also that of a released object.
 * The address is therefore looked up among the existing handles before it is read
 * (wait/object_table.h). */
#pragma once

#include "replica/dispatch.h"
#include "wait/object_table.h"

struct vocl_handle;

struct vocl_kind {
  struct cwi_objects *objects;
  enum vocl_sort sort; /* sort for dropping the executor's object */
  cl_int invalid;      /* error of a call whose argument is not of this kind */
  void (*left)(
      struct vocl_handle *handle); /* called when the program has released it; may be NULL */
  void (*end)(struct vocl_handle
                  *handle); /* frees what the handle owns; the executor's object is gone by then */
};

/* Common beginning of all handles. The number of a handle among those of its kind
 * (cwi_object_number) is the name of the object. */
struct vocl_handle {
  const cl_icd_dispatch *table; /* table of calls, read by loaders */
  const struct vocl_kind *kind;
  uint32_t count; /* references by the program */
  uint32_t
      held; /* one for all references by the program, others for children, callbacks and the like */
  void *object; /* the executor's object */
};

/* The table of calls. The library sets it before the first handle is made. */
extern const cl_icd_dispatch *vocl_handle_table;

/* Makes a handle of this kind, zeroed except for its header. Returns NULL if there is no memory. */
void *vocl_handle_new(const struct vocl_kind *kind, void *object);

/* Makes an object and a handle for it. On failure returns NULL and sets *code. */
void *vocl_handle_make(const struct vocl_kind *kind, const struct vocl_making *making,
                       cl_int *code);

/* Returns the handle if it is an existing one of this kind, otherwise NULL. */
static inline void *vocl_handle_find(const struct vocl_kind *kind, const void *handle)
{
  return cwi_object_lives(kind->objects, handle) ? (void *)(uintptr_t)handle : NULL;
}

/* Acquire and release a reference by another object. The last release drops the executor's
 * object and frees the handle. */
static inline void vocl_handle_ref(struct vocl_handle *handle)
{
  __atomic_fetch_add(&handle->held, 1, __ATOMIC_RELAXED);
}
void vocl_handle_unref(struct vocl_handle *handle);

/* Count the references of the program. Return CL_SUCCESS, or the kind's error if the handle is
 * invalid. */
cl_int vocl_handle_retain(const struct vocl_kind *kind, const void *handle);
cl_int vocl_handle_release(const struct vocl_kind *kind, const void *handle);

/* Sets the error code of a call that creates an object, and returns the handle or NULL. */
static inline void *vocl_return_created(void *handle, cl_int code, cl_int *errcode_ret)
{
  if (errcode_ret != NULL)
    *errcode_ret = code;
  return code == CL_SUCCESS ? handle : NULL;
}

/* The executor's objects of a list of handles. */
struct vocl_handle_list {
  cl_uint count;
  void **objects;
  void *space[8];
};

/* Looks up a list of handles, which may be NULL if `count` is 0. Returns CL_SUCCESS, the kind's
 * error, or CL_OUT_OF_HOST_MEMORY; after an error vocl_handle_list_end is not called. */
cl_int vocl_handle_list_begin(struct vocl_handle_list *list, const struct vocl_kind *kind,
                              cl_uint count, const void *handles);
void vocl_handle_list_end(struct vocl_handle_list *list);
