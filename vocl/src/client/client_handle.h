/* The client: OpenCL's calls as programs make them. It checks handles and arguments, counts
 * references, answers what is known at home, and has the executor do the rest.
 *
 * client_handle.c     what every handle has: its kind, its counts; lists of handles
 * fact_cache.c     answers that do not change, kept with their objects
 * client_query.c      answers to clGet...Info, from tables
 * client_fork.c       what a child of the program finds
 * client_refcount.c     retain and release of all kinds
 * client_platform.c   the platform, and how loaders find it
 * client_device.c     devices, sub-devices
 * client_context.c    contexts
 * client_queue.c      queues
 * client_memory.c     buffers, sub-buffers
 * client_image.c      images
 * client_sampler.c    samplers
 * client_program.c    programs and what is asked about them
 * client_build.c      build, compile, link, and what is asked about it
 * client_kernel.c     kernels and their arguments
 * client_event.c      events, user events, callbacks
 * client_enqueue.c    what all commands of queues share
 * client_buffer_commands.c   commands on buffers
 * client_image_commands.c     commands on images
 * client_launch.c     kernels, markers, barriers, migration
 * client_unsupported.c    calls that are not virtualised
 * client_table.c      the table of calls, and what the library exports
 *
 * This header has handles. Programs may pass any address, also of what was released: places of
 * handles are asked about, never read blindly (wait/object_table.h). */
#ifndef VOCL_CLIENT_CLIENT_HANDLE_H
#define VOCL_CLIENT_CLIENT_HANDLE_H

#include "replica/dispatch.h"
#include "wait/object_table.h"

struct vocl_handle;

struct vocl_kind {
  struct cwi_objects *objects;
  enum vocl_sort sort;                      /* how the executor's object is dropped */
  cl_int invalid;                           /* what a call says that is given none of this kind */
  void (*left)(struct vocl_handle *handle); /* the program has released it; may be NULL */
  void (*end)(struct vocl_handle *handle);  /* frees what it has; the executor's object is gone */
};

/* What each object begins with. Its number among those of its kind (cwi_object_number) is the name
 * that the client gives it. */
struct vocl_handle {
  const cl_icd_dispatch *table; /* where loaders look for it */
  const struct vocl_kind *kind;
  uint32_t count; /* the program's references */
  uint32_t held;  /* one for all of these, and others for what needs it: children, callbacks */
  void *object;   /* the executor's */
};

/* Our calls: set by the library before there is any handle. */
extern const cl_icd_dispatch *vocl_handle_table;

/* A handle of this kind, all else zero; NULL: no memory. */
void *vocl_handle_new(const struct vocl_kind *kind, void *object);

/* The same with what the executor makes; NULL: *code says why. */
void *vocl_handle_make(const struct vocl_kind *kind, const struct vocl_making *making,
                       cl_int *code);

/* The object if it is one of this kind that lives, else NULL. */
static inline void *vocl_handle_find(const struct vocl_kind *kind, const void *handle)
{
  return cwi_object_lives(kind->objects, handle) ? (void *)(uintptr_t)handle : NULL;
}

static inline void vocl_handle_ref(struct vocl_handle *handle)
{
  __atomic_fetch_add(&handle->held, 1, __ATOMIC_RELAXED);
}
void vocl_handle_unref(struct vocl_handle *handle);

cl_int vocl_handle_retain(const struct vocl_kind *kind, const void *handle);
cl_int vocl_handle_release(const struct vocl_kind *kind, const void *handle);

/* What a call that creates something returns. */
static inline void *vocl_return_created(void *handle, cl_int code, cl_int *errcode_ret)
{
  if (errcode_ret != NULL)
    *errcode_ret = code;
  return code == CL_SUCCESS ? handle : NULL;
}

/* The executor's objects of some handles. */
struct vocl_handle_list {
  cl_uint count;
  void **objects;
  void *space[8];
};

/* handles: an array of handles of the kind; NULL with count 0. Errors: the kind's, and
 * CL_OUT_OF_HOST_MEMORY; then there is nothing to end. */
cl_int vocl_handle_list_begin(struct vocl_handle_list *list, const struct vocl_kind *kind,
                              cl_uint count, const void *handles);
void vocl_handle_list_end(struct vocl_handle_list *list);
#endif
