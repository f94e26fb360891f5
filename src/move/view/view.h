/* Views: internal functions and types.
 *
 * view.c           creates and frees views, and finds the memory that they name
 * view_request.c   operations with requests, and with notifications
 * view_settings.c  which settings can be granted
 * view_transfer.c  transfers, and their completion
 * view_update.c    atomic updates */
#pragma once

#include "base/error.h"
#include "base/operation_counts.h"
#include "mpi/origin.h"
#include "region/region.h"
#include "route/direct_reach.h"
#include "route/memory_handle/memory_handle.h"
#include "team/world.h"
#include "transfer/fetching_update.h"
#include "wait/object_table.h"

#include <causeway/view.h>

#include <stdbool.h>
#include <stdint.h>

/* The memory that a memory handle names, shared by all views of it. */
struct cwi_named_memory {
  struct cwi_memory_handle memory;
  uint32_t views; /* number of views that use it; the last one frees it */
};

/* A view. */
struct cwi_view {
  cw_region region; /* NULL for a view of memory that a handle names */
  uint64_t key;     /* key of the region, to detect that it was freed and its address reused */
  const struct cwi_slice *slices; /* slices of the region */
  bool here;                      /* true if no slice is on a device */
  bool whole; /* true if `here` is true and the region belongs to the world, so that ranks are
                 process numbers */
  bool thread, ordered, checked;
  uint32_t intrinsic; /* operations that the program has asserted to use, one bit each; 0 if it has
                         asserted nothing */
  cw_type intrinsic_type;
  size_t intrinsic_count;
  struct cwi_named_memory *named; /* NULL for a view of a region */
  char operations[CW_MAX_INTRINSIC + 1];
};

/* Returns a new, zeroed view, or NULL if there is no memory. The view is freed by cw_view_free or
 * when Causeway stops. */
cw_view cwi_view_make(void);

/* Counts one more view of the memory that a handle names. */
static inline void cwi_named_memory_keep(struct cwi_named_memory *named)
{
  __atomic_fetch_add(&named->views, 1, __ATOMIC_RELAXED);
}

/* Checks that the view and its memory exist. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_view_check(cw_view view);

/* A view that this thread has checked. The entry is valid as long as no object has been freed since
 * the check. */
struct cwi_known_view {
  cw_view view;
  uint64_t ended;
};
enum { CWI_KNOWN_VIEWS = 4, CWI_VIEW_SHIFT = 8 };
extern __thread __attribute__((
    tls_model("initial-exec"))) struct cwi_known_view cwi_known_views[CWI_KNOWN_VIEWS];
/* Checks a view and remembers it if it is a valid view of a region. Returns false otherwise. */
bool cwi_view_learn(cw_view view);

/* Like cwi_view_learn, but costs only a few instructions if the view is remembered. */
static inline bool cwi_view_is_good(cw_view view)
{
  const struct cwi_known_view *known =
      &cwi_known_views[((uintptr_t)view >> CWI_VIEW_SHIFT) % CWI_KNOWN_VIEWS];
  return CWI_LIKELY(known->view == view &&
                    known->ended == __atomic_load_n(&cwi_objects_ended, __ATOMIC_ACQUIRE)) ||
         cwi_view_learn(view);
}

/* Returns true if loads and stores can move the bytes at once. The bytes must be in the view's
 * slice of a node peer, no operation to that peer may be pending on another route, and calls must
 * not be observed (enum cwi_observed). */
static inline __attribute__((always_inline)) bool cwi_view_is_near(cw_view view, int process,
                                                                   const void *remote, size_t bytes)
{
  if (CWI_UNLIKELY(!cwi_is_unobserved() || (unsigned)process >= (unsigned)cwi_world.processes ||
                   !cwi_is_ready(process) || !cwi_view_is_good(view) || !view->whole))
    return false;
  const struct cwi_slice *slice = &view->slices[process];
  const size_t offset = (uintptr_t)remote - (uintptr_t)slice->address;
  return offset < slice->bytes && bytes <= slice->bytes - offset;
}

/* Stores the base and size of the view's memory at a process in *place. Errors: CW_MISUSE (the
 * process does not exist or is not a member). */
CWI_CHECKED cw_error cwi_view_slice(cw_view view, int process, struct cwi_slice *place);

/* Checks that these bytes are inside the view's memory at the process. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_view_holds(cw_view view, int process, const void *remote, size_t bytes);

/* Makes the view's origin the current one and stores the previous origin in *before. The caller
 * restores the previous origin by cwi_origin_enter(*before). */
static inline CWI_CHECKED cw_error cwi_view_enter(cw_view view, uint32_t *before)
{
  uint32_t origin = 0;
  if (CWI_UNLIKELY(view->thread))
    CWI_TRY(cwi_origin_mine(&origin));
  *before = cwi_origin_enter(origin);
  return CW_OK;
}

/* The kind of completion for which a handle waits. */
enum cwi_completion { CWI_LOCALLY, CWI_REMOTELY };

/* Checks the handle of an operation with a request. Errors: CW_MISUSE (it is NULL or was not
 * returned by a call). */
CWI_CHECKED cw_error cwi_view_check_request(const cw_handle *handle);

/* Starts a transfer through a view. All calls that start a transfer through a view use this
 * function. */
CWI_CHECKED cw_error cwi_view_start(cw_view view, const cw_transfer *transfer,
                                    enum cwi_completion until, cw_handle *handle);

/* Completes the operations that the current origin has started to a process, or to all processes if
 * `process` is -1. Continues after an error and returns the first one. */
CWI_CHECKED cw_error cwi_view_finish(int process, bool remotely);

/* Arguments of an accumulate of several elements. */
struct cwi_elements {
  cw_reduction op;
  cw_type type;
  const void *local;
  void *remote;
  size_t count;
  int process;
};
CWI_CHECKED cw_error cwi_view_accumulate(cw_view view, const struct cwi_elements *elements);

/* If the view is checked, checks that the operation agrees with what the program has asserted about
 * the view's use. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_view_allows(cw_view view, int operation, cw_type type, size_t count);
