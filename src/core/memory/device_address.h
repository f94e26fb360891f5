/* Memory of processes that no processor loads or stores: slices that lie on devices. Their
 * addresses come from one range of numbers, the same in all processes, in which nothing is ever
 * mapped. */
#ifndef CWI_MEMORY_DEVICE_ADDRESS_H
#define CWI_MEMORY_DEVICE_ADDRESS_H

#include "base/error.h"

#include <causeway/memory.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Higher than any zone ends. TSan keeps a gap there, which nobody uses either. */
static const uintptr_t CWI_DEVICE_ADDRESS_FIRST = (uintptr_t)1 << 46;
static const size_t CWI_DEVICE_ADDRESS_BYTES = (size_t)1 << 44;

static inline bool cwi_is_device_address(const void *address)
{
  return (uintptr_t)address - CWI_DEVICE_ADDRESS_FIRST < CWI_DEVICE_ADDRESS_BYTES;
}

/* Are some of these bytes there? */
static inline bool cwi_touches_device_address(uintptr_t begin, size_t bytes)
{
  return begin < CWI_DEVICE_ADDRESS_FIRST + CWI_DEVICE_ADDRESS_BYTES &&
         begin + bytes > CWI_DEVICE_ADDRESS_FIRST;
}

struct cwi_region_terms; /* region/region.h */

/* A region in which this member's slice may lie elsewhere. */
struct cwi_slice_placement {
  char *address; /* NULL: it lies in the zone, as those of cwi_region_create */

  /* Called with my slice in the zone, which begins at a multiple of a granule, before the members
   * agree that all have theirs. An error is this member's. NULL: the zone is all it needs. */
  cw_error (*use)(void *context, char *address, size_t bytes);
  void *context;
};

/* Frees what lies at the address of a slice of mine, or ends its use: if there is any. */
typedef void (*cwi_slice_release)(char *address);

/* As cwi_region_create. release: called for my slice when the region goes. Errors: also those of
 * the terms. */
CWI_CHECKED cw_error cwi_region_create_placed(cw_team team, size_t bytes,
                                              const struct cwi_region_terms *terms,
                                              const struct cwi_slice_placement *mine,
                                              cwi_slice_release release, cw_region *out);
#endif
