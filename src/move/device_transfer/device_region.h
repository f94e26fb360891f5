/* Regions with slices on devices, for rooms that make regions of their own. */
#ifndef CWI_DEVICE_TRANSFER_DEVICE_REGION_H
#define CWI_DEVICE_TRANSFER_DEVICE_REGION_H

#include "region/region.h"

#include <causeway/device.h>

/* As cwi_region_create; device: that shall have my slice; NULL: the host. Errors, on every member:
 * as cw_region_create_on, and those of the terms. */
CWI_CHECKED cw_error cwi_device_region_create(cw_team team, cw_device device, size_t bytes,
                                              const struct cwi_region_terms *terms,
                                              cw_region *region);
#endif
