/* OpenCL's headers as this product uses them, and how a vendor's functions are called. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

/* Type of a pointer to the call. Headers of 2023 call it cl_api_clFinish, those of 2024 have only
 * clFinish_t, the function's type. The variable is never defined; only types are used. */
extern cl_icd_dispatch vocl_call_types;
#define VOCL_CALL(name) __typeof__(vocl_call_types.name)

/* Returns the functions of the vendor that made the object: its first word points to them
 * (cl_khr_icd). */
static inline const cl_icd_dispatch *vocl_vendor_calls(const void *object)
{
  return *(const cl_icd_dispatch *const *)object;
}
