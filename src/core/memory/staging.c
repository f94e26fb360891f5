/* Memory for data on its way. */
#include "memory/staging.h"

#include "memory/zone.h"

#include <stdlib.h>

static bool lies_in_zone(const void *memory)
{
  return (uintptr_t)memory - (uintptr_t)cwi_zone.base < cwi_zone.size;
}

void *cwi_staging_take(size_t bytes)
{
  void *memory = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  return memory != NULL ? memory : malloc(bytes > 0 ? bytes : 1);
}

void cwi_staging_give(void *memory)
{
  if (memory != NULL && lies_in_zone(memory))
    cwi_heap_free(&cwi_zone.internal, memory);
  else
    free(memory);
}
