/* Arrays and patches that a program names, as operands of native calls. */
#include "ga/array/patch.h"

static cw_error set_transposed(const struct cwi_ga_operand *given, cw_operand *operand)
{
  switch (given->transposed) {
  case 0:
  case 'n':
  case 'N':
    operand->transposed = false;
    return CW_OK;
  case 't':
  case 'T':
    operand->transposed = true;
    return CW_OK;
  default:
    return cwi_misuse("the letter for %s is '%c' (%d); it may be 'n', 'N', 't' or 'T'", given->what,
                      given->transposed >= ' ' ? given->transposed : '?', given->transposed);
  }
}

cw_error cwi_ga_in_patch(const char *what, cw_error error)
{
  return error == CW_OK ? CW_OK : cwi_error_append(error, "of the patch of %s", what);
}

cw_error cwi_ga_operand(const struct cwi_ga_operand *given, cw_operand *operand)
{
  *operand = (cw_operand){.lo = given->lo, .hi = given->hi};
  CWI_TRY(cwi_ga_array(given->what, given->g_a, &operand->array));
  CWI_TRY(set_transposed(given, operand));
  if (given->whole)
    return CW_OK;
  CWI_TRY(cwi_ga_in_patch(given->what, cwi_ga_check_order(operand->array, given->lo, given->hi)));
  return cwi_ga_in_patch(given->what, cwi_check_patch(operand->array, given->lo, given->hi));
}

cw_error cwi_ga_operand_within(const struct cwi_ga_operand *given,
                               struct cwi_ga_index inside_patch[2], cw_operand *operand, bool *none)
{
  struct cwi_ga_operand inside = *given;
  const struct cwi_ga_array *entry = cwi_ga_entry(given->g_a);
  *none = false;
  if (given->whole || entry == NULL)
    return cwi_ga_operand(given, operand);
  CWI_TRY(cwi_check_not_null("lo", given->lo));
  CWI_TRY(cwi_check_not_null("hi", given->hi));
  for (int d = 0; d < entry->ndim; d++) {
    const int64_t last = entry->dims[d] - 1;
    inside_patch[0].at[d] = given->lo[d] > 0 ? given->lo[d] : 0;
    inside_patch[1].at[d] = given->hi[d] < last ? given->hi[d] : last;
    *none |= inside_patch[0].at[d] > inside_patch[1].at[d];
  }
  inside.lo = inside_patch[0].at;
  inside.hi = inside_patch[1].at;
  return *none ? cwi_ga_array(given->what, given->g_a, &operand->array)
               : cwi_ga_operand(&inside, operand);
}

bool cwi_ga_all_empty(int count, const struct cwi_ga_operand given[])
{
  for (int i = 0; i < count; i++) {
    const int ndim = cwi_ga_ndim(given[i].g_a);
    if (ndim == 0 || given[i].lo == NULL || given[i].hi == NULL ||
        !cwi_patch_empty(ndim, given[i].lo, given[i].hi))
      return false;
  }
  return true;
}

cw_error cwi_ga_do_nothing(const struct cwi_ga_operand *given)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array(given->what, given->g_a, &array));
  CWI_TRY(cw_wait_all());
  return cw_array_sync(array);
}

cw_error cwi_ga_same_shape(const char *what, cw_array a, cw_array b)
{
  if (a->dimensions != b->dimensions)
    return cwi_misuse("%s is array '%s' of %d dimensions; g_a, array '%s', has %d", what, b->name,
                      b->dimensions, a->name, a->dimensions);
  for (int d = 0; d < a->dimensions; d++)
    if (a->axes[d].extent != b->axes[d].extent)
      return cwi_misuse(
          "%s is array '%s', whose dimension %d has %lld elements; that of g_a, array "
          "'%s', has %lld",
          what, b->name, d, (long long)b->axes[d].extent, a->name, (long long)a->axes[d].extent);
  return CW_OK;
}

cw_error cwi_ga_check_type(const char *what, int g_a, int code, const char *name)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry->type == code)
    return CW_OK;
  return cwi_misuse("%s is %d, array '%s' of type %d; this call takes %s (%d)", what, g_a,
                    entry->name, entry->type, name, code);
}

cw_error cwi_ga_create_turned(cw_array like, cw_array *turned)
{
  const int64_t extents[] = {like->axes[1].extent, like->axes[0].extent};
  const cw_array_options options = {
      .name = like->name, .type = like->type, .dimensions = 2, .extents = extents};
  return cw_array_create(like->team, &options, turned);
}
