/* The devices that programs see. */
#pragma once

#include "client/client_objects.h"

/* Returns the number of devices; *devices receives them in order. The first call finds them. */
size_t vocl_devices(struct vocl_cl_device *const **devices);

/* Returns true if a request for this type includes the device. The default device is the first
 * one. */
bool vocl_device_matches(const struct vocl_cl_device *device, cl_device_type type);

/* Returns true if both devices are of one vendor, even if they are on different machines. */
bool vocl_device_shares_vendor(const struct vocl_cl_device *device,
                               const struct vocl_cl_device *other);

/* Returns CL_SUCCESS, or the error of an invalid type. */
cl_int vocl_device_check_type(cl_device_type type);
