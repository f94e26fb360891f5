/* This machine's devices. */
#ifndef CWI_CLIENT_DEVICE_H
#define CWI_CLIENT_DEVICE_H

#include "client/kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All of them, in order; the first call finds them. Returns how many there are. */
size_t cwi_devices(struct cwi_cl_device *const **devices);

/* Is it one that a program gets that asks for the type? The default is the first one. */
bool cwi_device_matches(const struct cwi_cl_device *device, cl_device_type type);

/* Are they of one vendor, wherever they are? */
bool cwi_device_shares_vendor(const struct cwi_cl_device *device,
                              const struct cwi_cl_device *other);

/* CL_SUCCESS, or what is wrong with the type. */
cl_int cwi_device_check_type(cl_device_type type);

#ifdef __cplusplus
}
#endif
#endif
