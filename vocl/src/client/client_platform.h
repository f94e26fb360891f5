/* The one platform. */
#ifndef VOCL_CLIENT_CLIENT_PLATFORM_H
#define VOCL_CLIENT_CLIENT_PLATFORM_H

#include "executor/opencl.h"

#include <stdbool.h>

/* How loaders and programs name it. */
cl_platform_id vocl_platform(void);

/* The list of a context: is the platform in it ours, and are all of its properties ones that we
 * know? CL_SUCCESS, CL_INVALID_PLATFORM or CL_INVALID_PROPERTY; *count: of its words, with the 0 at
 * the end. A list without a platform, or NULL, means ours. */
cl_int vocl_platform_check(const cl_context_properties *properties, size_t *count);
#endif
