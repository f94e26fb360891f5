/* Views, as the inside sees them.
 *
 * view.c      making, copying and freeing them, and the memory that they name
 * view_settings.c  which settings can be granted
 * view_transfer.c      transfers, and their completion
 * view_update.c    atomic updates
 * view_request.c   operations with requests, and with notifications */
#ifndef CWI_VIEW_VIEW_H
#define CWI_VIEW_VIEW_H

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

/* What a memory handle names, for all views of it. */
struct cwi_named_memory {
  struct cwi_memory_handle memory;
  uint32_t views;
};

struct cwi_view {
  cw_region region;               /* NULL: a view of memory that a handle names */
  uint64_t key;                   /* of the region: a later one may have its place */
  const struct cwi_slice *slices; /* the region's */
  bool here;                      /* no slice lies elsewhere, on a device */
  bool whole;                     /* here, and of the world: ranks are processes */
  bool thread, ordered, checked;
  uint32_t intrinsic; /* asserted operations, a bit for each; 0: none */
  cw_type intrinsic_type;
  size_t intrinsic_count;
  struct cwi_named_memory *named; /* or NULL */
  char operations[CW_MAX_INTRINSIC + 1];
};

/* A new view with nothing set. NULL: no memory. It ends with cw_view_free, or when Causeway stops.
 */
cw_view cwi_view_make(void);

/* One more view of the memory that a handle names. */
static inline void cwi_named_memory_keep(struct cwi_named_memory *named)
{
  __atomic_fetch_add(&named->views, 1, __ATOMIC_RELAXED);
}

/* May the view be used: it lives, and its memory does? */
CWI_CHECKED cw_error cwi_view_check(cw_view view);

/* Views that this thread has found good, while no object has ended since. */
struct cwi_known_view {
  cw_view view;
  uint64_t ended;
};
enum { CWI_KNOWN_VIEWS = 4, CWI_VIEW_SHIFT = 8 };
extern __thread __attribute__((
    tls_model("initial-exec"))) struct cwi_known_view cwi_known_views[CWI_KNOWN_VIEWS];
bool cwi_view_learn(cw_view view);

/* The same in a few instructions, without a sentence. */
static inline bool cwi_view_is_good(cw_view view)
{
  const struct cwi_known_view *known =
      &cwi_known_views[((uintptr_t)view >> CWI_VIEW_SHIFT) % CWI_KNOWN_VIEWS];
  return CWI_LIKELY(known->view == view &&
                    known->ended == __atomic_load_n(&cwi_objects_ended, __ATOMIC_ACQUIRE)) ||
         cwi_view_learn(view);
}

/* Do these bytes lie in the view's slice of a node peer, where nothing of another route is
 * outstanding, and does nobody look at what the program does? Then they may be moved at once. */
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

/* The view's memory of a process: base and size. Errors: CW_MISUSE (process; no member). */
CWI_CHECKED cw_error cwi_view_slice(cw_view view, int process, struct cwi_slice *place);

/* Do these bytes lie in the view's memory of the process? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_view_holds(cw_view view, int process, const void *remote, size_t bytes);

/* Act for the view's origin until cwi_origin_enter(*before). */
static inline CWI_CHECKED cw_error cwi_view_enter(cw_view view, uint32_t *before)
{
  uint32_t origin = 0;
  if (CWI_UNLIKELY(view->thread))
    CWI_TRY(cwi_origin_mine(&origin));
  *before = cwi_origin_enter(origin);
  return CW_OK;
}

/* When a handle is to be complete. */
enum cwi_completion { CWI_LOCALLY, CWI_REMOTELY };

/* The handle of an operation with a request. Errors: CW_MISUSE (NULL; no call has given it). */
CWI_CHECKED cw_error cwi_view_check_request(const cw_handle *handle);

/* Start a transfer through a view: what all calls that start one do. */
CWI_CHECKED cw_error cwi_view_start(cw_view view, const cw_transfer *transfer,
                                    enum cwi_completion until, cw_handle *handle);

/* Complete what the present origin has started to a process; -1: to all. The first error counts,
 * and stops nothing. */
CWI_CHECKED cw_error cwi_view_finish(int process, bool remotely);

/* Several elements of an accumulate. */
struct cwi_elements {
  cw_reduction op;
  cw_type type;
  const void *local;
  void *remote;
  size_t count;
  int process;
};
CWI_CHECKED cw_error cwi_view_accumulate(cw_view view, const struct cwi_elements *elements);

/* Has the view been asserted to be used otherwise, and is it checked? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_view_allows(cw_view view, int operation, cw_type type, size_t count);
#endif
