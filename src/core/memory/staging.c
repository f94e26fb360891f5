/* Temporary buffers for data in transit. */
#include "memory/staging.h"

#include "memory/zone.h"

#include <stdlib.h>

void *cwi_staging_take(size_t bytes)
{
  void *memory = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  return memory != NULL ? memory : malloc(bytes > 0 ? bytes : 1);
}

void cwi_staging_give(void *memory)
{
  if (memory != NULL && cwi_zone_has(memory))
    cwi_heap_free(&cwi_zone.internal, memory);
  else
    free(memory);
}
