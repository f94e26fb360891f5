/* Operands of all operations: checks, and which elements correspond. */
#include "arithmetic/operate.h"

#include <stdio.h>
#include <string.h>

cw_error cwi_box_array(const char *name, const cw_operand *operand, struct cwi_box *box)
{
  if (operand == NULL)
    return cwi_world.processes == 0 ? cwi_not_running() : cwi_misuse("%s is NULL", name);
  CWI_TRY(cwi_check_array(name, operand->array));
  box->name = name;
  box->array = operand->array;
  return CW_OK;
}

cw_error cwi_box_patch(const cw_operand *operand, struct cwi_box *box)
{
  cw_array array = box->array;
  const int64_t *lo = operand->lo, *hi = operand->hi;
  box->transposed = operand->transposed;
  if (lo != NULL || hi != NULL) {
    const cw_error error = cwi_check_patch(array, lo, hi);
    if (error != CW_OK)
      return cwi_error_append(error, "the patch of %s", box->name);
  }
  for (int d = 0; d < array->dimensions; d++) {
    box->lo[d] = lo != NULL ? lo[d] : 0;
    box->extents[d] = lo != NULL ? hi[d] - lo[d] + 1 : array->axes[d].extent;
  }
  return CW_OK;
}

cw_error cwi_box_of(const char *name, const cw_operand *operand, struct cwi_box *box)
{
  CWI_TRY(cwi_box_array(name, operand, box));
  return cwi_box_patch(operand, box);
}

cw_error cwi_box_make(const char *name, cw_array array, const int64_t *lo, const int64_t *hi,
                      struct cwi_box *box)
{
  return cwi_box_of(name, &(cw_operand){array, lo, hi, false}, box);
}

size_t cwi_box_elements(const struct cwi_box *box)
{
  size_t elements = 1;
  for (int d = 0; d < box->array->dimensions; d++)
    elements *= (size_t)box->extents[d];
  return elements;
}

void cwi_box_walk(const struct cwi_box *box, int holder, struct cwi_walk *walk)
{
  struct cwi_range ranges[CW_MAX_DIMENSIONS];
  for (int d = 0; d < box->array->dimensions; d++)
    ranges[d] = (struct cwi_range){box->lo[d], box->extents[d], 1};
  cwi_walk_begin(walk, box->array, ranges, CWI_WALK_SECTIONS, holder);
}

cw_error cwi_check_numbers(const struct cwi_box *box)
{
  if (box->array->type != CW_OPAQUE)
    return CW_OK;
  return cwi_misuse("the elements of %s, array '%s', are CW_OPAQUE: they have no arithmetic",
                    box->name, box->array->name);
}

cw_error cwi_reject_devices(const struct cwi_box *box)
{
  return cwi_misuse("%s is array '%s', which has parts on devices, and this operation has no "
                    "kernel for devices: copy it to an array on the host with cw_array_copy",
                    box->name, box->array->name);
}

static const char *type_name(cw_array array)
{
  return cwi_type_word(array->type);
}

/* Writes the shape of a box, like "3 x 4". */
static const char *shape_of(const struct cwi_box *box, char *text, size_t size)
{
  size_t used = 0;
  for (int d = 0; d < box->array->dimensions && used < size; d++)
    used += (size_t)snprintf(text + used, size - used, "%s%lld", d > 0 ? " x " : "",
                             (long long)box->extents[d]);
  return text;
}

/* Returns true if the patches have elements in common. */
static bool overlap(const struct cwi_box *a, const struct cwi_box *b)
{
  if (a->array != b->array)
    return false;
  for (int d = 0; d < a->array->dimensions; d++)
    if (a->lo[d] + a->extents[d] <= b->lo[d] || b->lo[d] + b->extents[d] <= a->lo[d])
      return false;
  return true;
}

static bool same_patch(const struct cwi_box *a, const struct cwi_box *b)
{
  const size_t bytes = (size_t)a->array->dimensions * sizeof a->lo[0];
  return a->transposed == b->transposed && memcmp(a->lo, b->lo, bytes) == 0 &&
         memcmp(a->extents, b->extents, bytes) == 0;
}

cw_error cwi_check_processes(const struct cwi_box *target, const struct cwi_box *box)
{
  if (cwi_team_same_members(target->array->team, box->array->team))
    return CW_OK;
  return cwi_misuse("%s, array '%s', and %s, array '%s', are not on the same processes", box->name,
                    box->array->name, target->name, target->array->name);
}

/* Returns true if all processes of one team are members of the other. */
static bool are_nested(cw_team a, cw_team b)
{
  return cwi_team_same_members(a, b) || cwi_team_holds(a, b) || cwi_team_holds(b, a);
}

static cw_error operand_check_type(const struct cwi_box *target, const struct cwi_box *box)
{
  cw_array to = target->array, from = box->array;
  if (to->type == from->type && to->element == from->element)
    return CW_OK;
  return cwi_misuse("the elements of %s, array '%s', are %s of %zu bytes; those of %s, array '%s', "
                    "are %s of %zu bytes",
                    box->name, from->name, type_name(from), from->element, target->name, to->name,
                    type_name(to), to->element);
}

cw_error cwi_check_companions(const struct cwi_box *target, const struct cwi_box *box)
{
  CWI_TRY(cwi_check_processes(target, box));
  return operand_check_type(target, box);
}

/* Checks that the boxes have one type, and that they do not partly overlap if the target is
 * written. */
static cw_error check_pair(const struct cwi_box *target, const struct cwi_box *box, bool written)
{
  CWI_TRY(operand_check_type(target, box));
  if (written && overlap(target, box) && !same_patch(target, box))
    return cwi_misuse(
        "%s and %s are patches of array '%s' that overlap; they may be the same patch "
        "or have nothing in common",
        box->name, target->name, box->array->name);
  return CW_OK;
}

/* Returns the next dimension with more than one element, in the given order, or -1. */
static int next_wide(const struct cwi_box *box, int d, bool backwards)
{
  const int n = box->array->dimensions;
  for (d += backwards ? -1 : 1; d >= 0 && d < n; d += backwards ? -1 : 1)
    if (box->extents[d] != 1)
      return d;
  return -1;
}

/* Returns true if the shapes are equal, ignoring dimensions of one element, and sets `along`. */
static bool match(const struct cwi_box *target, struct cwi_source *source)
{
  const bool backwards = source->box.transposed != target->transposed;
  int d = next_wide(target, -1, false);
  int e = next_wide(&source->box, backwards ? source->box.array->dimensions : -1, backwards);
  while (d >= 0 && e >= 0 && target->extents[d] == source->box.extents[e]) {
    source->along[e] = d;
    d = next_wide(target, d, false);
    e = next_wide(&source->box, e, backwards);
  }
  return d < 0 && e < 0;
}

/* Returns the error for patches of different shapes. */
static cw_error reject_shape(const struct cwi_box *target, const struct cwi_box *box,
                             bool transposes)
{
  char mine[200], its[200];
  return cwi_misuse("the patch of %s has %s elements, that of %s %s%s", box->name,
                    shape_of(box, mine, sizeof mine), target->name,
                    shape_of(target, its, sizeof its),
                    transposes ? "; one of them is transposed: the other must have its dimensions "
                                 "in reverse order"
                               : "");
}

cw_error cwi_source_make(const struct cwi_box *target, bool written, struct cwi_source *source)
{
  CWI_TRY(cwi_check_processes(target, &source->box));
  return cwi_source_make_nested(target, written, source);
}

cw_error cwi_source_make_nested(const struct cwi_box *target, bool written,
                                struct cwi_source *source)
{
  const struct cwi_box *box = &source->box;
  if (!are_nested(target->array->team, box->array->team))
    return cwi_check_processes(target, box);
  CWI_TRY(check_pair(target, box, written));
  for (int d = 0; d < CW_MAX_DIMENSIONS; d++)
    source->along[d] = -1;
  source->reshaped = false;
  if (match(target, source))
    return CW_OK;
  const bool transposes = box->transposed || target->transposed;
  source->reshaped = true;
  const size_t elements = cwi_box_elements(box);
  if (elements == cwi_box_elements(target) && (!transposes || elements == 0))
    return CW_OK;
  return reject_shape(target, box, transposes);
}

cw_error cwi_source_broadcast(const struct cwi_box *target, int dimension,
                              struct cwi_source *source)
{
  CWI_TRY(cwi_check_processes(target, &source->box));
  CWI_TRY(check_pair(target, &source->box, true));
  source->along[0] = dimension;
  source->reshaped = false;
  return CW_OK;
}

cw_team cwi_operation_team(const struct cwi_operation *operation)
{
  if (operation->target.array == NULL ||
      (operation->copies && operation->source[0].box.array == NULL))
    return NULL;
  cw_team team = operation->target.array->team;
  for (int s = 0; s < CWI_CHANNELS - 1; s++) {
    if (operation->source[s].box.array == NULL)
      continue;
    cw_team other = operation->source[s].box.array->team;
    if (cwi_team_same_members(team, other))
      continue;
    if (!operation->copies || !are_nested(team, other))
      return NULL;
    team = other->size < team->size ? other : team;
  }
  return team;
}
