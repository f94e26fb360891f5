/* The client: OpenCL's calls as programs make them. It checks handles and arguments, counts
 * references, answers what is known at home, and has the executor do the rest.
 *
 * handle.c     what every handle has: its kind, its counts; lists of handles
 * learnt.c     answers that do not change, kept with their objects
 * query.c      answers to clGet...Info, from tables
 * fork.c       what a child of the program finds
 * counts.c     retain and release of all kinds
 * platform.c   the platform, and how loaders find it
 * device.c     devices, sub-devices
 * context.c    contexts
 * queue.c      queues
 * memory.c     buffers, sub-buffers
 * image.c      images
 * sampler.c    samplers
 * program.c    programs and what is asked about them
 * build.c      build, compile, link, and what is asked about it
 * kernel.c     kernels and their arguments
 * event.c      events, user events, callbacks
 * enqueue.c    what all commands of queues share
 * transfer.c   commands on buffers
 * pixels.c     commands on images
 * launch.c     kernels, markers, barriers, migration
 * refused.c    calls that are not virtualised
 * table.c      the table of calls, and what the library exports
 *
 * This header has handles. Programs may pass any address, also of what was released: places of
 * handles are asked about, never read blindly (base/objects.h). */
#ifndef CWI_CLIENT_HANDLE_H
#define CWI_CLIENT_HANDLE_H

#include "base/objects.h"
#include "sites/dispatch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_handle;

struct cwi_kind {
  struct cwi_objects *objects;
  enum cwi_sort sort;                      /* how the executor's object is dropped */
  cl_int invalid;                          /* what a call says that is given none of this kind */
  void (*left)(struct cwi_handle *handle); /* the program has released it; may be NULL */
  void (*end)(struct cwi_handle *handle);  /* frees what it has; the executor's object is gone */
};

/* What each object begins with. Its number among those of its kind (cwi_object_number) is the name
 * that the client gives it. */
struct cwi_handle {
  const cl_icd_dispatch *table; /* where loaders look for it */
  const struct cwi_kind *kind;
  uint32_t count; /* the program's references */
  uint32_t held;  /* one for all of these, and others for what needs it: children, callbacks */
  void *object;   /* the executor's */
};

/* Our calls: set by the library before there is any handle. */
extern const cl_icd_dispatch *cwi_handle_table;

/* A handle of this kind, all else zero; NULL: no memory. */
void *cwi_handle_new(const struct cwi_kind *kind, void *object);

/* The same with what the executor makes; NULL: *code says why. */
void *cwi_handle_make(const struct cwi_kind *kind, const struct cwi_making *making, cl_int *code);

/* The object if it is one of this kind that lives, else NULL. */
static inline void *cwi_handle_find(const struct cwi_kind *kind, const void *handle)
{
  return cwi_object_lives(kind->objects, handle) ? (void *)(uintptr_t)handle : NULL;
}

static inline void cwi_handle_hold(struct cwi_handle *handle)
{
  __atomic_fetch_add(&handle->held, 1, __ATOMIC_RELAXED);
}
void cwi_handle_let_go(struct cwi_handle *handle);

cl_int cwi_handle_retain(const struct cwi_kind *kind, const void *handle);
cl_int cwi_handle_release(const struct cwi_kind *kind, const void *handle);

/* What a call that creates something returns. */
static inline void *cwi_created(void *handle, cl_int code, cl_int *errcode_ret)
{
  if (errcode_ret != NULL)
    *errcode_ret = code;
  return code == CL_SUCCESS ? handle : NULL;
}

/* The executor's objects of some handles. */
struct cwi_list {
  cl_uint count;
  void **objects;
  void *room[8];
};

/* handles: an array of handles of the kind; NULL with count 0. Errors: the kind's, and
 * CL_OUT_OF_HOST_MEMORY; then there is nothing to end. */
cl_int cwi_list_begin(struct cwi_list *list, const struct cwi_kind *kind, cl_uint count,
                      const void *handles);
void cwi_list_end(struct cwi_list *list);

#ifdef __cplusplus
}
#endif
#endif
