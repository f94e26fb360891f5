/* The one platform. */
#ifndef CWI_CLIENT_PLATFORM_H
#define CWI_CLIENT_PLATFORM_H

#include "executor/opencl.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How loaders and programs name it. */
cl_platform_id cwi_platform(void);

/* The list of a context: is the platform in it ours, and are all of its properties ones that we
 * know? CL_SUCCESS, CL_INVALID_PLATFORM or CL_INVALID_PROPERTY; *count: of its words, with the 0 at
 * the end. A list without a platform, or NULL, means ours. */
cl_int cwi_platform_check(const cl_context_properties *properties, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
