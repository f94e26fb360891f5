/* AXPY epochs: members add local matrices to a distributed matrix, or its elements to local
 * matrices. Owners take part by messages. */
#include "array/array_arguments.h"
#include "base/stop_hooks.h"
#include "collective_call/collective_check.h"
#include "matrix/axpy_messages.h"
#include "matrix/local_patch.h"
#include "profile/profile.h"
#include "route/route.h"
#include "team/survivors.h"
#include "wait/object_table.h"
#include "wait/wait_report.h"

#include <stdio.h>

static const char *const direction_names[] = {"CW_LOCAL_TO_GLOBAL", "CW_GLOBAL_TO_LOCAL"};
static const char *const end_names[] = {"CW_END_OF_MESSAGES", "CW_CONSENSUS"};

static struct cwi_objects objects = {CWI_OBJECTS_OF(struct cwi_axpy), .name = "AXPY epoch",
                                     .null_text = "",
                                     .dead_text = "not an open epoch (was it detached?)"};

/* Describes the wait, for wait/wait_report.h. */
static void axpy_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_axpy *axpy = what;
  snprintf(text, size, "members of the AXPY epoch on array '%s' that are not in a call of it",
           axpy->array->name);
}

/* --- Attach ----------------------------------------------------------------------------------- */

static cw_error check_choices(cw_array array, cw_axpy_direction direction, cw_axpy_end end)
{
  if (direction != CW_LOCAL_TO_GLOBAL && direction != CW_GLOBAL_TO_LOCAL)
    return cwi_misuse("direction is %d; it may be CW_LOCAL_TO_GLOBAL (0) or CW_GLOBAL_TO_LOCAL (1)",
                      (int)direction);
  if (end != CW_END_OF_MESSAGES && end != CW_CONSENSUS)
    return cwi_misuse("end is %d; it may be CW_END_OF_MESSAGES (0) or CW_CONSENSUS (1)", (int)end);
  return array->type != CW_OPAQUE
             ? CW_OK
             : cwi_misuse("the elements of array '%s' are CW_OPAQUE: they cannot be added to",
                          array->name);
}

/* Takes a slot for the epoch. Consecutive epochs get different slots. All members take and leave
 * slots in the same order, so they get the same one. */
static cw_error axpy_take_slot(cw_axpy axpy)
{
  cw_team team = axpy->array->team;
  for (unsigned i = 1; i <= CWI_EPOCHS; i++) {
    const unsigned number = (team->last_epoch + i) % CWI_EPOCHS;
    if ((team->epochs >> number & 1) != 0)
      continue;
    team->epochs |= UINT64_C(1) << number;
    team->last_epoch = number;
    axpy->slot = (int)number;
    return CW_OK;
  }
  return cwi_misuse("%d AXPY epochs of the team are open, the maximum", CWI_EPOCHS);
}

static void axpy_discard(cw_axpy axpy)
{
  cwi_axpy_drop(axpy);
  cwi_object_end(&objects, axpy);
}

/* Frees the epochs when Causeway stops. The arrays are freed separately. */
static void axpy_forget_all(void)
{
  for (cw_axpy axpy = cwi_object_next(&objects, NULL), next; axpy != NULL; axpy = next) {
    next = cwi_object_next(&objects, axpy);
    axpy_discard(axpy);
  }
}

/* Makes an epoch without a slot. Slots are taken later, after all members have succeeded. */
static cw_error new_axpy(const struct cwi_axpy *given, cw_axpy *out)
{
  static struct cwi_stop_hook end = {.run = axpy_forget_all};
  CWI_TRY(cwi_attach_check(given->array, given->order));
  CWI_TRY(check_choices(given->array, given->direction, given->end));
  CWI_TRY(cwi_check_not_null("axpy", out));
  cwi_stop_hook_add(&end);
  cw_axpy axpy = cwi_object_make(&objects);
  if (axpy == NULL)
    return cwi_outside("no memory for an AXPY epoch");
  *axpy = *given;
  *out = axpy;
  return cwi_axpy_begin(axpy);
}

static cw_error axpy_attach(const struct cwi_axpy *given, cw_axpy *made)
{
  cw_axpy axpy = NULL;
  cw_error error = new_axpy(given, made == NULL ? NULL : &axpy);
  const bool whole = error == CW_OK;
  const struct cwi_argument same[] = {
      cwi_agreed_array("array", given->array),
      cwi_argument_choice("order", cwi_matrix_order_names, whole ? (size_t)given->order : 0),
      cwi_argument_choice("direction", direction_names, whole ? (size_t)given->direction : 0),
      cwi_argument_choice("end", end_names, whole ? (size_t)given->end : 0), CWI_ARGUMENTS_END};
  const uint64_t key =
      (uint64_t)given->order + 2 * (uint64_t)given->direction + 4 * (uint64_t)given->end;
  if (error == CW_OK)
    error = cwi_team_check_messages(given->array->team);
  error = cwi_attach_agree(given->array, error, key, same);
  if (error == CW_OK && axpy != NULL)
    error = axpy_take_slot(axpy);
  if (error != CW_OK) {
    if (axpy != NULL)
      axpy_discard(axpy);
    return error;
  }
  CWI_ASSERT(made != NULL && axpy != NULL);
  cwi_array_attach(axpy->array);
  cwi_axpy_open(axpy);
  *made = axpy;
  return CW_OK;
}

cw_error cw_axpy_attach(cw_array array, cw_matrix_order order, cw_axpy_direction direction,
                        cw_axpy_end end, cw_axpy *axpy)
{
  CWI_PROFILED(CW_CALL_MAKE);
  const struct cwi_axpy given = {
      .array = array, .order = order, .direction = direction, .end = end};
  CWI_TRY(cwi_in_call("cw_axpy_attach", cwi_check_array("array", array)));
  return CWI_COLLECTIVELY("cw_axpy_attach", array->team, NULL, axpy_attach(&given, axpy));
}

/* --- Add -------------------------------------------------------------------------------------- */

/* Adds a strip of a local matrix, which is small enough for one message. */
static cw_error add_strip(cw_axpy axpy, const void *alpha, const cw_local_matrix *local, int64_t i,
                          int64_t j)
{
  struct cwi_local_patch patch;
  struct cwi_selection selection;
  bool empty = false;
  CWI_TRY(cwi_local_patch(axpy->array, axpy->order, local, i, j, &patch, &empty));
  if (empty)
    return CW_OK;
  CWI_TRY(cwi_patch_select(axpy->array, &patch.patch, &selection, &empty));
  return axpy->direction == CW_LOCAL_TO_GLOBAL
             ? cwi_axpy_send_elements(axpy, &selection, local->data, alpha)
             : cwi_axpy_fetch_elements(axpy, &selection, local->data, alpha);
}

/* Adds a local matrix in strips of whole rows of memory, as many as fit into a message. A row that
 * does not fit is split, too. */
static cw_error add_strips(cw_axpy axpy, const void *alpha, const cw_local_matrix *local, int64_t i,
                           int64_t j)
{
  const bool by_rows = local->order == CW_ROW_MAJOR;
  const int64_t most = CWI_AXPY_MOST / (int64_t)axpy->array->element;
  const int64_t inner = by_rows ? local->width : local->height;
  const int64_t outer = by_rows ? local->height : local->width;
  const int64_t ld = local->ld != 0 ? local->ld : inner;
  const int64_t wide = inner < most ? inner : most, high = most / wide;
  for (int64_t row = 0; row < outer; row += high)
    for (int64_t at = 0; at < inner; at += wide) {
      const int64_t rows = outer - row < high ? outer - row : high;
      const int64_t count = inner - at < wide ? inner - at : wide;
      const cw_local_matrix strip = {.data = (char *)local->data +
                                             (size_t)(row * ld + at) * axpy->array->element,
                                     .height = by_rows ? rows : count,
                                     .width = by_rows ? count : rows,
                                     .ld = ld,
                                     .order = local->order};
      CWI_TRY(by_rows ? add_strip(axpy, alpha, &strip, i + row, j + at)
                      : add_strip(axpy, alpha, &strip, i + at, j + row));
    }
  return CW_OK;
}

/* Checks the whole matrix before any of it is moved. */
static cw_error axpy_add(cw_axpy axpy, const void *alpha, const cw_local_matrix *local, int64_t i,
                         int64_t j)
{
  struct cwi_local_patch patch;
  bool empty = false;
  CWI_TRY(cwi_local_patch(axpy->array, axpy->order, local, i, j, &patch, &empty));
  if (empty)
    return CW_OK;
  CWI_TRY(cwi_axpy_enter());
  const cw_error error = add_strips(axpy, alpha, local, i, j);
  cwi_axpy_leave();
  return error;
}

cw_error cw_axpy_add(cw_axpy axpy, const void *alpha, const cw_local_matrix *local, int64_t i,
                     int64_t j)
{
  CWI_PROFILED(CW_CALL_PATCH);
  CWI_TRY(cwi_in_call("cw_axpy_add", cwi_check_object(&objects, "axpy", axpy)));
  const struct cwi_waiting outer = cwi_waiting_begin("cw_axpy_add", axpy_awaited, axpy);
  const cw_error error = cwi_in_call("cw_axpy_add", axpy_add(axpy, alpha, local, i, j));
  cwi_waiting_end(&outer);
  return error;
}

/* --- Detach ----------------------------------------------------------------------------------- */

/* Ends the epoch and sets *handle to NULL. */
static cw_error axpy_detach(cw_axpy *handle)
{
  struct cwi_first_error first;
  cw_axpy axpy = *handle;
  CWI_ASSERT(axpy != NULL);
  CWI_TRY(cwi_axpy_enter());
  *handle = NULL;
  cwi_waiting.awaited = axpy_awaited;
  cwi_waiting.what = axpy;
  cwi_first_begin(&first, cwi_axpy_finish(axpy));
  cwi_first_note(&first, cwi_routes_fence(cwi_world.process));
  cwi_waiting.awaited = NULL;
  axpy->array->team->epochs &= ~(UINT64_C(1) << axpy->slot);
  cwi_array_detach(axpy->array);
  axpy_discard(axpy);
  cwi_axpy_leave();
  return cwi_first_return(&first);
}

/* With CW_CHECK=1 this call is not compared with the calls of other members: they may be in
 * cw_axpy_add and wait for this process to serve them. */
cw_error cw_axpy_detach(cw_axpy *axpy)
{
  CWI_PROFILED(CW_CALL_BARRIER);
  struct cwi_waiting outer;
  CWI_TRY(cwi_in_call("cw_axpy_detach", cwi_check_not_null("axpy", axpy)));
  CWI_TRY(cwi_in_call("cw_axpy_detach", cwi_check_object(&objects, "axpy", *axpy)));
  CWI_ASSERT(*axpy != NULL);
  cw_error error = cwi_collective_enter("cw_axpy_detach", (*axpy)->array->team, &outer);
  if (error == CW_OK)
    error = axpy_detach(axpy);
  cwi_collective_end(&outer);
  return cwi_in_call("cw_axpy_detach", error);
}
