/* Where a world's zone lies: where no other world of the job has its own. */
#ifndef CWI_MEMORY_SITE_H
#define CWI_MEMORY_SITE_H

#include "base/check.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The zone's address: CW_ZONE_ADDRESS, or above it, if some processes of the job are not in this
 * world: there no other world's zone lies. *bytes: how long the zone is to be; less, if there is no
 * room for so much. Collective over all processes and server ranks, with one outcome for all.
 * Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_site_choose(size_t *bytes, void **address);

/* After the zone: others may have the addresses. Local. */
void cwi_site_leave(void);

#ifdef __cplusplus
}
#endif
#endif
