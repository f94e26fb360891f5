/* Regions with slices on devices, for modules that create regions of their own. */
#pragma once

#include "region/region.h"

#include <causeway/device.h>

/* Like cwi_region_create. This process's slice is on `device`, or on the host if `device` is NULL.
 * All members return the errors of cw_region_create_on and of the terms. */
CWI_CHECKED cw_error cwi_device_region_create(cw_team team, cw_device device, size_t bytes,
                                              const struct cwi_region_terms *terms,
                                              cw_region *region);
