/* This machine's devices. */
#ifndef VOCL_CLIENT_CLIENT_DEVICE_H
#define VOCL_CLIENT_CLIENT_DEVICE_H

#include "client/client_objects.h"

/* All of them, in order; the first call finds them. Returns how many there are. */
size_t vocl_devices(struct vocl_cl_device *const **devices);

/* Is it one that a program gets that asks for the type? The default is the first one. */
bool vocl_device_matches(const struct vocl_cl_device *device, cl_device_type type);

/* Are they of one vendor, wherever they are? */
bool vocl_device_shares_vendor(const struct vocl_cl_device *device,
                               const struct vocl_cl_device *other);

/* CL_SUCCESS, or what is wrong with the type. */
cl_int vocl_device_check_type(cl_device_type type);
#endif
