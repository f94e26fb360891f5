/* Plans of tasks: the calls that make them, their checks, and the transfers of patches. Used by
 * classes with a plan. */
#include "device_task/plan.h"

#include "array/array.h"
#include "base/settings.h"
#include "mpi/mpi_progress.h"

#include <string.h>

/* --- The calls -------------------------------------------------------------------------------- */

static cw_error plan_append(cw_plan *plan, const cw_planned_patch *patch)
{
  if (plan->patches >= CW_PLAN_PATCHES)
    return cwi_misuse("the plan has %d patches already, the maximum", plan->patches);
  plan->patch[plan->patches++] = *patch;
  return CW_OK;
}

/* Checks a patch of an array, which cw_plan_patch or the program itself has put into a plan. */
static cw_error check_patch(cw_patch_mode mode, cw_array array, const int64_t *lo,
                            const int64_t *hi)
{
  CWI_TRY(cwi_check_patch(array, lo, hi));
  if ((unsigned)mode > CW_PATCH_ADD)
    return cwi_misuse("mode is %d; it may be CW_PATCH_CONSTANT (0) to CW_PATCH_ADD (4)", (int)mode);
  if (mode == CW_PATCH_ADD && array->type == CW_OPAQUE)
    return cwi_misuse("mode is CW_PATCH_ADD, but the elements of array '%s' are CW_OPAQUE: they "
                      "cannot be added to",
                      array->name);
  return CW_OK;
}

static cw_error plan_patch(cw_plan *plan, cw_patch_mode mode, cw_array array, const int64_t *lo,
                           const int64_t *hi)
{
  CWI_TRY(cwi_check_not_null("plan", plan));
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  CWI_TRY(check_patch(mode, array, lo, hi));
  cw_planned_patch patch = {.array = array, .mode = mode};
  memcpy(patch.lo, lo, (size_t)array->dimensions * sizeof *lo);
  memcpy(patch.hi, hi, (size_t)array->dimensions * sizeof *hi);
  return plan_append(plan, &patch);
}

cw_error cw_plan_patch(cw_plan *plan, cw_patch_mode mode, cw_array array, const int64_t *lo,
                       const int64_t *hi)
{
  return cwi_in_call("cw_plan_patch", plan_patch(plan, mode, array, lo, hi));
}

/* Checks memory of a task, which cw_plan_memory or the program itself has put into a plan. */
static cw_error check_memory(cw_patch_mode mode, const void *from, size_t bytes)
{
  if (mode != CW_PATCH_IN && mode != CW_PATCH_OUT && mode != CW_PATCH_INOUT)
    return cwi_misuse("mode is %d; memory of a task may be CW_PATCH_IN (1), CW_PATCH_OUT (2) or "
                      "CW_PATCH_INOUT (3)",
                      (int)mode);
  if (bytes == 0)
    return cwi_misuse("bytes is 0; memory of a task has 1 or more");
  return mode != CW_PATCH_OUT ? cwi_check_not_null("from", from) : CW_OK;
}

static cw_error plan_memory(cw_plan *plan, cw_patch_mode mode, const void *from, size_t bytes)
{
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(cwi_check_not_null("plan", plan));
  CWI_TRY(check_memory(mode, from, bytes));
  const cw_planned_patch patch = {.mode = mode, .from = from, .bytes = bytes};
  return plan_append(plan, &patch);
}

cw_error cw_plan_memory(cw_plan *plan, cw_patch_mode mode, const void *from, size_t bytes)
{
  return cwi_in_call("cw_plan_memory", plan_memory(plan, mode, from, bytes));
}

static cw_error check_scalar(size_t bytes)
{
  if (bytes == 0 || bytes > CW_PLAN_SCALAR_BYTES)
    return cwi_misuse("bytes is %zu; a scalar has 1 to %d", bytes, CW_PLAN_SCALAR_BYTES);
  return CW_OK;
}

static cw_error plan_scalar(cw_plan *plan, const void *value, size_t bytes)
{
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(cwi_check_not_null("plan", plan));
  CWI_TRY(cwi_check_not_null("value", value));
  CWI_TRY(check_scalar(bytes));
  if (plan->scalars >= CW_PLAN_SCALARS)
    return cwi_misuse("the plan has %d scalars already, the maximum", plan->scalars);
  cw_planned_scalar *scalar = &plan->scalar[plan->scalars++];
  *scalar = (cw_planned_scalar){.bytes = bytes};
  memcpy(scalar->value, value, bytes);
  return CW_OK;
}

cw_error cw_plan_scalar(cw_plan *plan, const void *value, size_t bytes)
{
  return cwi_in_call("cw_plan_scalar", plan_scalar(plan, value, bytes));
}

/* - Querying a plan - */

/* Checks the counts of a plan, because a program may fill the fields itself. */
static cw_error plan_check(const cw_plan *plan)
{
  if (plan->patches < 0 || plan->patches > CW_PLAN_PATCHES)
    return cwi_misuse("a plan has %d patches; it may have 0 to %d", plan->patches, CW_PLAN_PATCHES);
  if (plan->scalars < 0 || plan->scalars > CW_PLAN_SCALARS)
    return cwi_misuse("a plan has %d scalars; it may have 0 to %d", plan->scalars, CW_PLAN_SCALARS);
  if (!(plan->work > 0))
    return cwi_misuse("the work of a plan is %g; it has to be above 0", plan->work);
  for (int i = 0; i < plan->scalars; i++) {
    const cw_error error = check_scalar(plan->scalar[i].bytes);
    if (error != CW_OK)
      return cwi_error_append(error, "scalar %d of a plan", i);
  }
  return CW_OK;
}

static cw_error patch_size(const cw_planned_patch *patch, size_t *bytes)
{
  static const char name[] = "the array of a plan's patch";
  *bytes = patch->bytes;
  if (patch->array == NULL)
    return patch->bytes > 0 ? check_memory(patch->mode, patch->from, patch->bytes)
                            : cwi_check_array(name, NULL);
  CWI_TRY(cwi_check_array(name, patch->array));
  const cw_error error = check_patch(patch->mode, patch->array, patch->lo, patch->hi);
  if (error != CW_OK)
    return cwi_error_append(error, "a patch of a plan");
  *bytes =
      patch->array->element * cwi_patch_elements(patch->array->dimensions, patch->lo, patch->hi);
  return CW_OK;
}

cw_error cwi_needs_query(const cw_task *task, cw_task_plan plan, void *argument,
                         struct cwi_needs *needs)
{
  needs->plan = (cw_plan){.work = 1};
  needs->written = 0;
  CWI_TRY(plan(task, argument, &needs->plan));
  CWI_TRY(plan_check(&needs->plan));
  for (int i = 0; i < needs->plan.patches; i++) {
    CWI_TRY(patch_size(&needs->plan.patch[i], &needs->bytes[i]));
    needs->written += cwi_mode_writes(needs->plan.patch[i].mode) ? cwi_needs_moved(needs, i) : 0;
  }
  return CW_OK;
}

/* --- Conflicts -------------------------------------------------------------------------------- */

static bool plan_overlaps(const cw_planned_patch *a, const cw_planned_patch *b)
{
  bool overlaps = a->array == b->array && a->array != NULL;
  for (int d = 0; overlaps && d < a->array->dimensions; d++)
    overlaps = a->lo[d] <= b->hi[d] && b->lo[d] <= a->hi[d] && a->lo[d] <= a->hi[d] &&
               b->lo[d] <= b->hi[d];
  return overlaps;
}

static bool is_alone(cw_patch_mode mode)
{
  return mode == CW_PATCH_OUT || mode == CW_PATCH_INOUT;
}

static cw_error conflict_of(const cw_planned_patch *a, const cw_planned_patch *b)
{
  static const char *const names[] = {"CONSTANT", "IN", "OUT", "INOUT", "ADD"};
  const bool exclude = is_alone(a->mode) || is_alone(b->mode) ||
                       (a->mode == CW_PATCH_CONSTANT && b->mode == CW_PATCH_ADD) ||
                       (a->mode == CW_PATCH_ADD && b->mode == CW_PATCH_CONSTANT);
  if (!exclude || !plan_overlaps(a, b))
    return CW_OK;
  return cwi_misuse(
      "two patches of array '%s' overlap, one %s (it begins at index %lld of dimension "
      "0) and one %s (at %lld), in one task or in two that run at a time",
      a->array->name, names[a->mode], (long long)a->lo[0], names[b->mode], (long long)b->lo[0]);
}

static cw_error conflict_with(const struct cwi_needs *mine, const struct cwi_needs *other)
{
  for (int i = 0; i < mine->plan.patches; i++)
    for (int j = mine == other ? i + 1 : 0; j < other->plan.patches; j++)
      CWI_TRY(conflict_of(&mine->plan.patch[i], &other->plan.patch[j]));
  return CW_OK;
}

static cw_error conflict_any(const struct cwi_needs *mine, const struct cwi_needs *others)
{
  CWI_TRY(conflict_with(mine, mine));
  for (; others != NULL; others = others->next)
    CWI_TRY(conflict_with(mine, others));
  return CW_OK;
}

cw_error cwi_needs_enter(struct cwi_underway *underway, struct cwi_needs *needs)
{
  if (CWI_LIKELY(cwi_settings.check == 0))
    return CW_OK;
  pthread_mutex_lock(&underway->lock);
  const cw_error error = conflict_any(needs, underway->first);
  if (error == CW_OK) {
    needs->next = underway->first;
    underway->first = needs;
  }
  pthread_mutex_unlock(&underway->lock);
  return error;
}

void cwi_needs_leave(struct cwi_underway *underway, struct cwi_needs *needs)
{
  if (CWI_LIKELY(cwi_settings.check == 0))
    return;
  pthread_mutex_lock(&underway->lock);
  struct cwi_needs **link = &underway->first;
  while (*link != NULL && *link != needs)
    link = &(*link)->next;
  if (*link != NULL)
    *link = needs->next;
  pthread_mutex_unlock(&underway->lock);
}

/* - Transfers of patches - */

static cw_error patch_start(const cw_planned_patch *patch, cw_operation operation, void *buffer,
                            cw_handle *handle)
{
  const cw_patch transfer = {
      .operation = operation, .lo = patch->lo, .hi = patch->hi, .buffer = buffer};
  return cwi_array_start(patch->array, &transfer, handle);
}

cw_error cwi_patch_fetch(const cw_planned_patch *patch, void *buffer, cw_handle *handle)
{
  if (patch->array != NULL)
    return patch_start(patch, CW_GET, buffer, handle);
  memcpy(buffer, patch->from, patch->bytes);
  return CW_OK;
}

cw_error cwi_patch_store(const cw_planned_patch *patch, void *buffer, cw_handle *handle)
{
  if (patch->array == NULL)
    return CW_OK;
  return patch_start(patch, patch->mode == CW_PATCH_ADD ? CW_ACCUMULATE : CW_PUT, buffer, handle);
}
