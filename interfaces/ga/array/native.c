/* Converts between GA's handles and native arrays, for programs that use both. */
#include "cwga.h"

#include "ga/array/patch.h"
#include "ga/array/settings.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include "array/array.h"

cw_array cw_array_from_ga(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return entry != NULL ? entry->array : NULL;
}

/* Returns the GA handle of a native array, or 0 if it has none. */
static int native_handle(cw_array array)
{
  for (int g_a = CWI_GA_FIRST; g_a < CWI_GA_FIRST + CWI_GA_HANDLES; g_a++)
    if (cw_array_from_ga(g_a) == array)
      return g_a;
  return 0;
}

static cw_error check_extents(cw_array array)
{
  if (array->dimensions > GA_MAX_DIM)
    return cwi_misuse("array '%s' has %d dimensions; with GA it has at most %d", array->name,
                      array->dimensions, GA_MAX_DIM);
  for (int d = 0; d < array->dimensions; d++)
    if (array->axes[d].extent == 0)
      return cwi_misuse("array '%s' has no elements in dimension %d; with GA it needs at least one",
                        array->name, d);
  return CW_OK;
}

cw_error cwi_ga_adopt(cw_array array, int group, int *g_a)
{
  struct cwi_ga_array *entry = NULL;
  int type = 0;
  CWI_TRY(check_extents(array));
  CWI_TRY(cwi_ga_code(array->type, array->element, &type));
  CWI_TRY(cwi_ga_handle_new(group, g_a, &entry));
  cwi_ga_set_name(entry, array->name);
  entry->adopted = true;
  entry->type = type;
  entry->ndim = array->dimensions;
  cwi_ga_take(entry, cwi_rank_bytes(array, array->team->rank));
  for (int d = 0; d < array->dimensions; d++) {
    entry->dims[d] = array->axes[d].extent;
    entry->ghosts[d] = array->axes[d].ghosts;
  }
  entry->array = array;
  return CW_OK;
}

static cw_error native_adopt(cw_array array, int *g_a)
{
  int group = CWI_GA_WORLD;
  CWI_TRY(cwi_ga_running());
  CWI_TRY(cwi_check_array("array", array));
  CWI_TRY(cwi_check_not_null("g_a", g_a));
  *g_a = native_handle(array);
  if (*g_a != 0)
    return CW_OK;
  CWI_TRY(cwi_ga_group_of(array->team, &group));
  return cwi_ga_adopt(array, group, g_a);
}

cw_error cw_array_to_ga(cw_array array, int *g_a)
{
  return cwi_in_call("cw_array_to_ga", native_adopt(array, g_a));
}
