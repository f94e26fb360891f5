/* How programs come into being. */
#ifndef VOCL_CLIENT_CLIENT_PROGRAM_H
#define VOCL_CLIENT_CLIENT_PROGRAM_H

#include "client/client_objects.h"

/* The program that the executor has made in a context; it learns its devices. NULL: no memory, and
 * the executor's object is dropped. */
struct vocl_cl_program *vocl_program_new(struct vocl_cl_context *context, void *object);

/* Devices that a call names, all of the context, as the executor's objects. None of them: NULL with
 * 0. Errors: CL_INVALID_VALUE, CL_INVALID_DEVICE, CL_OUT_OF_HOST_MEMORY. */
cl_int vocl_program_devices(struct vocl_handle_list *list, const struct vocl_cl_context *context,
                            cl_uint count, const cl_device_id *devices);
#endif
