/* Addresses of slices that lie on devices, where no load or store reaches them. They come from one
 * range of addresses, the same in all processes, in which nothing is ever mapped. */
#pragma once

#include "base/error.h"

#include <causeway/memory.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First address and length of the range. No zone overlaps it. ThreadSanitizer leaves a gap there,
 * which nothing else uses. */
static const uintptr_t CWI_DEVICE_ADDRESS_FIRST = (uintptr_t)1 << 46;
static const size_t CWI_DEVICE_ADDRESS_BYTES = (size_t)1 << 44;

static inline bool cwi_is_device_address(const void *address)
{
  return (uintptr_t)address - CWI_DEVICE_ADDRESS_FIRST < CWI_DEVICE_ADDRESS_BYTES;
}

/* Returns true if some of these bytes lie in the range. */
static inline bool cwi_touches_device_address(uintptr_t begin, size_t bytes)
{
  return begin < CWI_DEVICE_ADDRESS_FIRST + CWI_DEVICE_ADDRESS_BYTES &&
         begin + bytes > CWI_DEVICE_ADDRESS_FIRST;
}

struct cwi_region_terms; /* region/region.h */

/* Placement of this member's slice, which may lie outside the zone. */
struct cwi_slice_placement {
  char *address; /* NULL if it lies in the zone, like the slices of cwi_region_create */

  /* Called with my slice in the zone, which starts at a granule, before the members agree that all
   * slices exist. An error is reported as this member's error. NULL if nothing has to be done. */
  cw_error (*use)(void *context, char *address, size_t bytes);
  void *context;
};

/* A function that frees the memory at the address of my slice, or ends its use. */
typedef void (*cwi_slice_release)(char *address);

/* Like cwi_region_create, but with a placement of my slice. `release`, if it is not NULL, is called
 * for my slice when the region is freed. Errors: also those of the terms. */
CWI_CHECKED cw_error cwi_region_create_placed(cw_team team, size_t bytes,
                                              const struct cwi_region_terms *terms,
                                              const struct cwi_slice_placement *mine,
                                              cwi_slice_release release, cw_region *out);
