/* Creates and destroys arrays. Each member computes the distribution and allocates its memory, and
 * then all members agree on both. */
#include "array/array.h"
#include "array/array_arguments.h"
#include "array/distribution.h"
#include "base/settings.h"
#include "base/stop_hooks.h"
#include "collective_call/collective_check.h"
#include "device_transfer/device_region.h"
#include "route/region_calls.h"
#include "team/agreement.h"
#include "team/survivors.h"
#include "wait/object_table.h"

#include <causeway/array.h>
#include <causeway/memory.h>

#include <stdlib.h>
#include <string.h>

/* Returns true if this process lists the array in reports. Layout arrays, which have no memory, are
 * not listed. */
static bool array_is_mine(const void *object)
{
  const struct cwi_array *array = object;
  return array->team->rank == 0 && array->region != NULL;
}

static struct cwi_objects objects = {CWI_OBJECTS_OF(struct cwi_array), .name = "array",
                                     .is_mine = array_is_mine, .null_text = "",
                                     .dead_text = "not an existing array (was it destroyed?)"};

bool cwi_is_array(const void *array)
{
  return cwi_object_lives(&objects, array);
}

cw_error cwi_check_array(const char *name, cw_array array)
{
  return cwi_check_object(&objects, name, array);
}

static void array_discard(cw_array array)
{
  if (array == NULL)
    return;
  cwi_distribution_free(array);
  free(array->protection);
  cwi_object_end(&objects, array);
}

/* Frees all arrays when Causeway stops. Their memory has been freed with the regions. */
static void forget_all(void)
{
  for (cw_array array = cwi_object_next(&objects, NULL), next; array != NULL; array = next) {
    next = cwi_object_next(&objects, array);
    array_discard(array);
  }
}

/* Makes a new array without memory. Local. If `from` is not NULL, copies its distribution. */
static cw_error make_layout_array(cw_team team, const cw_array_options *options, cw_array from,
                                  const char *name, cw_array *layout_array)
{
  static struct cwi_stop_hook end = {.run = forget_all};
  cwi_stop_hook_add(&end);
  cw_array array = cwi_object_make(&objects);
  if (array == NULL)
    return cwi_outside("no memory for an array");
  *layout_array = array;
  array->team = team;
  CWI_TRY(from != NULL ? cwi_distribution_copy(from, array)
                       : cwi_distribution_make(options, array));
  strncpy(array->name, name != NULL ? name : "", CW_MAX_NAME);
  array->name[CW_MAX_NAME] = '\0';
  return CW_OK;
}

/* Checks that all members have made the same layout array. Otherwise frees it. `mine` is the result
 * on this process. */
static cw_error layout_agree(cw_team team, cw_error mine, cw_array layout_array, cw_array *agreed)
{
  const struct cwi_argument same[] = {cwi_agreed_distribution(layout_array), CWI_ARGUMENTS_END};
  const struct cwi_entry entry = {.key = mine == CW_OK ? cwi_distribution_print(layout_array) : 0};
  const cw_error error = cwi_team_agree_on(team, mine, &entry, same, NULL);
  if (error == CW_OK)
    *agreed = layout_array;
  else
    array_discard(layout_array);
  return error;
}

cw_error cwi_array_layout(cw_team team, const cw_array_options *options, cw_array *layout_array)
{
  cw_array mine = NULL;
  const cw_error error = make_layout_array(team, options, NULL, options->name, &mine);
  return layout_agree(team, error, mine, layout_array);
}

cw_error cwi_array_layout_like(cw_array from, cw_array *layout_array)
{
  cw_array mine = NULL;
  const cw_error error = make_layout_array(from->team, NULL, from, from->name, &mine);
  return layout_agree(from->team, error, mine, layout_array);
}

void cwi_array_discard(cw_array *layout_array)
{
  if (cwi_is_array(*layout_array))
    array_discard(*layout_array);
  *layout_array = NULL;
}

/* Arguments of a call that creates an array. */
struct array_request {
  const char *call;
  cw_team team;
  cw_error checked; /* result of the checks of the arguments */
  const cw_array_options *options;
  cw_array from; /* array whose distribution is copied, or NULL */
  const char *name;
  cwi_array_fits fits; /* or NULL */
};

/* Allocates memory for the array, if all members have the same distribution. `mine` is the result
 * on this process; if it is an error, the other members fail, too. Errors of the allocation name
 * the array, because the program does not know its region. */
static cw_error array_take_memory(const struct array_request *request, cw_error mine,
                                  cw_device device, cw_array array)
{
  const struct cwi_argument same[] = {cwi_agreed_distribution(array), CWI_ARGUMENTS_END};
  struct cwi_region_terms terms = {.mine = mine, .same = same};
  cw_team team = request->team;
  cw_region region = NULL;
  size_t bytes = 0;
  if (mine == CW_OK) {
    terms.key = cwi_distribution_print(array);
    bytes = cwi_rank_bytes(array, team->rank);
    if (request->fits != NULL)
      terms.mine = request->fits(bytes);
  }
  const cw_error error = cwi_device_region_create(team, device, bytes, &terms, &region);
  if (error != CW_OK)
    return error == CW_OUTSIDE && mine == CW_OK
               ? cwi_error_append(error, "for array '%s'", array->name)
               : error;
  array->region = region;
  array->device = bytes > 0 ? device : NULL;
  for (int rank = 0; rank < team->size; rank++)
    array->on_devices = array->on_devices || region->slices[rank].on_device;
  if (CWI_UNLIKELY(cwi_is_profiled()))
    cwi_array_name(array);
  return CW_OK;
}

static cw_error array_create(const struct array_request *request, cw_array *made)
{
  cw_array array = NULL;
  cw_device device = NULL;
  cw_error error = request->checked;
  if (error == CW_OK) {
    device = request->from != NULL ? request->from->device : request->options->device;
    error =
        make_layout_array(request->team, request->options, request->from, request->name, &array);
  }
  error = array_take_memory(request, error, device, array);
  if (error == CW_OK)
    *made = array;
  else
    array_discard(array);
  return error;
}

/* Creates an array collectively. If `array` is NULL, request->checked is already an error. */
static cw_error create_collective(const struct array_request *request, cw_array *array)
{
  cw_array made = NULL;
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", request->from),
                                        CWI_ARGUMENTS_END};
  const cw_error error =
      CWI_COLLECTIVELY(request->call, request->team, request->from != NULL ? agreed : NULL,
                       array_create(request, &made));
  if (array != NULL)
    *array = made;
  return error;
}

cw_error cwi_array_create(cw_team team, const cw_array_options *options, cwi_array_fits fits,
                          cw_array *array)
{
  CWI_PROFILED(CW_CALL_MAKE);
  const struct array_request request = {
      .call = "cw_array_create",
      .team = team,
      .checked = array == NULL || options == NULL
                     ? cwi_misuse("%s is NULL", array == NULL ? "array" : "options")
                     : CW_OK,
      .options = options,
      .name = options != NULL ? options->name : NULL,
      .fits = fits};
  return create_collective(&request, array);
}

cw_error cw_array_create(cw_team team, const cw_array_options *options, cw_array *array)
{
  CWI_PROFILED(CW_CALL_MAKE);
  CWI_TRY(cwi_in_call("cw_array_create", cwi_check_team("team", team)));
  return cwi_array_create(team, options, NULL, array);
}

cw_error cwi_array_duplicate(cw_array array, const char *name, cwi_array_fits fits, cw_array *copy)
{
  CWI_PROFILED(CW_CALL_MAKE);
  static const char call[] = "cw_array_duplicate";
  CWI_TRY(cwi_in_call(call, cwi_check_array("array", array)));
  const struct array_request request = {
      .call = call,
      .team = array->team,
      .checked = copy == NULL ? cwi_misuse("copy is NULL; it receives the array") : CW_OK,
      .from = array,
      .name = name != NULL ? name : array->name,
      .fits = fits};
  return create_collective(&request, copy);
}

cw_error cw_array_duplicate(cw_array array, const char *name, cw_array *copy)
{
  CWI_PROFILED(CW_CALL_MAKE);
  return cwi_array_duplicate(array, name, NULL, copy);
}

/* Checks that the array is not in use. Accesses are counted with CW_CHECK=1 only. */
static cw_error check_unused(cw_array array)
{
  const int attached = __atomic_load_n(&array->attached, __ATOMIC_RELAXED);
  if (attached != 0)
    return cwi_misuse("array '%s' is attached (matrices and epochs: %d): call cw_matrix_detach or "
                      "cw_axpy_detach first",
                      array->name, attached);
  const int open = __atomic_load_n(&array->accesses, __ATOMIC_RELAXED);
  if (open == 0)
    return CW_OK;
  return cwi_misuse("%d accesses to array '%s' are open here: cw_array_release ends them", open,
                    array->name);
}

cw_error cwi_array_unprotect(cw_array array)
{
  const cw_error error = cwi_region_free(array->team, &array->protection->region);
  if (array->protection->region != NULL)
    return error;
  free(array->protection);
  array->protection = NULL;
  return error;
}

/* Frees the copies of the array, and leaves its region, which other arrays may share. The last
 * array in it frees it. */
static cw_error array_leave_memory(cw_array array)
{
  cw_team team = array->team;
  cw_region *region = &array->region;
  if (array->protection != NULL)
    CWI_TRY(cwi_array_unprotect(array));
  if ((*region)->sharers == 0)
    return cwi_region_free(team, region);
  CWI_TRY(cwi_team_barrier(team));
  (*region)->sharers--;
  *region = NULL;
  return CW_OK;
}

cw_error cw_array_destroy(cw_array *array)
{
  CWI_PROFILED(CW_CALL_MAKE);
  if (array == NULL)
    return cwi_in_call("cw_array_destroy", cwi_misuse("the address of the array's handle is NULL"));
  CWI_TRY(cwi_in_call("cw_array_destroy", cwi_check_array("array", *array)));
  CWI_ASSERT(*array != NULL);
  CWI_TRY(cwi_in_call("cw_array_destroy", check_unused(*array)));
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", *array), CWI_ARGUMENTS_END};
  cw_team team = (*array)->team;
  const uint64_t key = (*array)->region->key;
  const cw_error error = CWI_COLLECTIVELY("cw_array_destroy", team, agreed,
                                          CWI_AMONG_SURVIVORS(array_leave_memory(*array)));
  if ((*array)->region != NULL) /* the array is unchanged */
    return error;
  if (CWI_UNLIKELY(error != CW_OK && cwi_is_profiled()))
    cwi_profile_unname(
        key); /* the region may still exist, but the profile must not use the array for it */
  array_discard(*array);
  *array = NULL;
  return error;
}

bool cw_array_valid(cw_array array)
{
  return cwi_is_array(array);
}
