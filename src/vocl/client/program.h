/* How programs come into being. */
#ifndef CWI_CLIENT_PROGRAM_H
#define CWI_CLIENT_PROGRAM_H

#include "client/kinds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The program that the executor has made in a context; it learns its devices. NULL: no memory, and
 * the executor's object is dropped. */
struct cwi_cl_program *cwi_program_new(struct cwi_cl_context *context, void *object);

/* Devices that a call names, all of the context, as the executor's objects. None of them: NULL with
 * 0. Errors: CL_INVALID_VALUE, CL_INVALID_DEVICE, CL_OUT_OF_HOST_MEMORY. */
cl_int cwi_program_devices(struct cwi_list *list, const struct cwi_cl_context *context,
                           cl_uint count, const cl_device_id *devices);

#ifdef __cplusplus
}
#endif
#endif
