/* Functions that make programs. */
#pragma once

#include "client/client_objects.h"

/* Makes the handle of a program that the executor has made, and queries its devices. Returns
 * NULL if there is no memory; the executor's object is dropped then. */
struct vocl_cl_program *vocl_program_new(struct vocl_cl_context *context, void *object);

/* Looks up the devices of a call, which must all be known to the context. They may be NULL with
 * count 0. Returns CL_SUCCESS, CL_INVALID_VALUE, CL_INVALID_DEVICE or CL_OUT_OF_HOST_MEMORY. */
cl_int vocl_program_devices(struct vocl_handle_list *list, const struct vocl_cl_context *context,
                            cl_uint count, const cl_device_id *devices);
