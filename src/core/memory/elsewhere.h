/* Memory of processes that no processor loads or stores: slices that lie on devices. Their
 * addresses come from one range of numbers, the same in all processes, in which nothing is ever
 * mapped. */
#ifndef CWI_MEMORY_ELSEWHERE_H
#define CWI_MEMORY_ELSEWHERE_H

#include "memory/region.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Higher than any zone ends. TSan keeps a gap there, which nobody uses either. */
static const uintptr_t CWI_ELSEWHERE = (uintptr_t)1 << 46;
static const size_t CWI_ELSEWHERE_BYTES = (size_t)1 << 44;

static inline bool cwi_is_elsewhere(const void *address)
{
  return (uintptr_t)address - CWI_ELSEWHERE < CWI_ELSEWHERE_BYTES;
}

/* Are some of these bytes there? */
static inline bool cwi_touches_elsewhere(uintptr_t begin, size_t bytes)
{
  return begin < CWI_ELSEWHERE + CWI_ELSEWHERE_BYTES && begin + bytes > CWI_ELSEWHERE;
}

/* A region in which this member's slice may lie elsewhere. */
struct cwi_elsewhere {
  char *address; /* NULL: it lies in the zone, as those of cwi_region_create */

  /* Called with my slice in the zone, which begins at a multiple of a granule, before the members
   * agree that all have theirs. An error is this member's. NULL: the zone is all it needs. */
  cw_error (*use)(void *context, char *address, size_t bytes);
  void *context;
};

/* Frees what lies at the address of a slice of mine, or ends its use: if there is any. */
typedef void (*cwi_elsewhere_release)(char *address);

/* As cwi_region_create. release: called for my slice when the region goes. Errors: also those of
 * the terms. */
CWI_CHECKED cw_error cwi_region_create_elsewhere(cw_team team, size_t bytes,
                                                 const struct cwi_region_terms *terms,
                                                 const struct cwi_elsewhere *mine,
                                                 cwi_elsewhere_release release, cw_region *out);

#ifdef __cplusplus
}
#endif
#endif
