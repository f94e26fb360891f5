/* The one platform. */
#pragma once

#include "executor/opencl.h"

#include <stdbool.h>

/* Returns the platform's handle. */
cl_platform_id vocl_platform(void);

/* Checks the properties of a context: the platform must be ours, or missing, and all properties
 * must be known. Returns CL_SUCCESS, CL_INVALID_PLATFORM or CL_INVALID_PROPERTY, and sets *count
 * to the number of words including the final 0. The list may be NULL. */
cl_int vocl_platform_check(const cl_context_properties *properties, size_t *count);
