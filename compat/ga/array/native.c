/* The way from GA's handles to native arrays, for programs that use both. */
#include "cwga.h"

#include "ga/base/handle.h"

cw_array cw_array_from_ga(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return entry != NULL ? entry->array : NULL;
}
