/* Views: creates and frees them, and finds the memory that they name. */
#include "view/view.h"

#include "base/stop_hooks.h"
#include "profile/profile.h"
#include "route/route.h"

#include <stdlib.h>

static struct cwi_objects views = {CWI_OBJECTS_OF(struct cwi_view), .name = "view",
                                   .null_text = ": there is no view, cw_view_of makes one",
                                   .dead_text = "not an existing view (was it freed?)"};
_Static_assert((sizeof(struct cwi_view) + 16) >> CWI_VIEW_SHIFT == 0, "one place, one entry");

__thread struct cwi_known_view cwi_known_views[CWI_KNOWN_VIEWS];

static void end_view(cw_view view)
{
  struct cwi_named_memory *named = view->named;
  cwi_object_end(&views, view);
  if (named != NULL && __atomic_fetch_sub(&named->views, 1, __ATOMIC_ACQ_REL) == 1)
    free(named);
}

/* Frees the views that the program has not freed, when Causeway stops. */
static void view_end_all(void)
{
  cw_view view = NULL;
  while ((view = cwi_object_next(&views, NULL)) != NULL)
    end_view(view);
}

cw_view cwi_view_make(void)
{
  static struct cwi_stop_hook end = {.run = view_end_all};
  cwi_stop_hook_add(&end);
  return cwi_object_make(&views);
}

static bool has_region(cw_view view)
{
  return view->region != NULL && cwi_is_region(view->region) && view->region->key == view->key;
}

bool cwi_view_learn(cw_view view)
{
  const uint64_t ended = __atomic_load_n(&cwi_objects_ended, __ATOMIC_ACQUIRE);
  if (!cwi_object_lives(&views, view) || !has_region(view))
    return false;
  cwi_known_views[((uintptr_t)view >> CWI_VIEW_SHIFT) % CWI_KNOWN_VIEWS] =
      (struct cwi_known_view){view, ended};
  return true;
}

cw_error cwi_view_check(cw_view view)
{
  CWI_TRY(cwi_check_object(&views, "view", view));
  if (CWI_LIKELY(view->named != NULL || has_region(view)))
    return CW_OK;
  return cwi_misuse("view is %p, whose region has been freed", (const void *)view);
}

static cw_error place_named(const struct cwi_memory_handle *memory, int process,
                            struct cwi_slice *place)
{
  *place = (struct cwi_slice){.address = memory->address, .bytes = memory->bytes};
  return CWI_LIKELY(process == memory->owner)
             ? CW_OK
             : cwi_misuse("process is %d; the view is of memory of process %d", process,
                          memory->owner);
}

cw_error cwi_view_slice(cw_view view, int process, struct cwi_slice *place)
{
  CWI_TRY(cwi_check_process(process));
  if (view->named != NULL)
    return place_named(&view->named->memory, process, place);
  const int rank = view->whole ? process : cwi_team_rank_of(view->region->team, process);
  if (CWI_UNLIKELY(rank < 0))
    return cwi_misuse("process is %d, which is not a member of the team of the view's region",
                      process);
  *place = view->slices[rank];
  return CW_OK;
}

static cw_error view_outside(int process, const void *remote, size_t bytes,
                             const struct cwi_slice *slice)
{
  return cwi_misuse(
      "remote is %p and bytes %zu at process %d, whose slice of the view is %zu bytes "
      "at %p",
      remote, bytes, process, slice->bytes, (void *)slice->address);
}

cw_error cwi_view_holds(cw_view view, int process, const void *remote, size_t bytes)
{
  struct cwi_slice slice = {0};
  CWI_TRY(cwi_view_slice(view, process, &slice));
  const size_t offset = (uintptr_t)remote - (uintptr_t)slice.address;
  return CWI_LIKELY(offset < slice.bytes && bytes <= slice.bytes - offset)
             ? CW_OK
             : view_outside(process, remote, bytes, &slice);
}

cw_error cwi_view_check_request(const cw_handle *handle)
{
  CWI_TRY(cwi_check_not_null("handle, which names the operation,", handle));
  return cwi_handle_check(handle);
}

static bool region_is_here(cw_region region)
{
  bool here = true;
  for (int rank = 0; rank < region->team->size && here; rank++)
    here = !region->slices[rank].on_device;
  return here;
}

static cw_error view_of(cw_region region, cw_view *view)
{
  CWI_TRY(cwi_check_not_null("view", view));
  *view = NULL;
  CWI_TRY(cwi_check_region(region));
  cw_view made = cwi_view_make();
  if (made == NULL)
    return cwi_outside("no memory for a view");
  made->region = region;
  made->key = region->key;
  made->slices = region->slices;
  made->here = region_is_here(region);
  made->whole = made->here && cwi_team_same_members(region->team, cwi_world.team);
  *view = made;
  return CW_OK;
}

cw_error cw_view_of(cw_region region, cw_view *view)
{
  CWI_PROFILED(CW_CALL_MAKE);
  return cwi_in_call("cw_view_of", view_of(region, view));
}

static cw_error from_memory(const void *handle, cw_view *view)
{
  CWI_TRY(cwi_check_not_null("view", view));
  *view = NULL;
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(cwi_check_not_null("handle", handle));
  struct cwi_memory_handle memory;
  CWI_TRY(cwi_memory_handle_resolve(handle, &memory));
  struct cwi_named_memory *named = malloc(sizeof *named);
  cw_view made = named != NULL ? cwi_view_make() : NULL;
  if (made == NULL) {
    free(named);
    return cwi_outside("no memory for a view");
  }
  *named = (struct cwi_named_memory){memory, 1};
  made->named = named;
  *view = made;
  return CW_OK;
}

cw_error cw_view_from_memory(const void *handle, cw_view *view)
{
  CWI_PROFILED(CW_CALL_MAKE);
  return cwi_in_call("cw_view_from_memory", from_memory(handle, view));
}

cw_error cwi_view_finish(int process, bool remotely)
{
  struct cwi_first_error first;
  cwi_first_begin(&first, cwi_routes_finish(process));
  if (remotely)
    cwi_first_note(&first, process < 0 ? cwi_routes_fence_all() : cwi_routes_fence(process));
  return cwi_first_return(&first);
}

/* If the view is of memory that a handle names, completes all operations on that memory, because
 * they use the record that free_view may free. */
static cw_error view_settle(cw_view view)
{
  uint32_t before = 0;
  if (view->named == NULL)
    return CW_OK;
  CWI_TRY(cwi_view_enter(view, &before));
  const cw_error error = cwi_view_finish(view->named->memory.owner, true);
  cwi_origin_enter(before);
  return error;
}

static cw_error free_view(cw_view *view)
{
  CWI_TRY(cwi_check_not_null("the address of the view's handle", view));
  if (*view == NULL)
    return CW_OK;
  CWI_TRY(cwi_check_object(&views, "view", *view));
  const cw_error error = view_settle(*view);
  end_view(*view);
  *view = NULL;
  return error;
}

cw_error cw_view_free(cw_view *view)
{
  CWI_PROFILED(CW_CALL_MAKE);
  return cwi_in_call("cw_view_free", free_view(view));
}

static cw_error address(cw_view view, int process, struct cwi_slice *slice)
{
  CWI_TRY(cwi_view_check(view));
  return cwi_view_slice(view, process, slice);
}

cw_error cw_view_address(cw_view view, int process, void **base, size_t *bytes)
{
  struct cwi_slice slice = {0};
  CWI_TRY(cwi_in_call("cw_view_address", address(view, process, &slice)));
  if (base != NULL)
    *base = slice.address;
  if (bytes != NULL)
    *bytes = slice.bytes;
  return CW_OK;
}
