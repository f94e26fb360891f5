/* OpenCL's headers as this product uses them, and how a vendor's functions are called. */
#ifndef VOCL_EXECUTOR_OPENCL_H
#define VOCL_EXECUTOR_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

/* Returns the functions of the vendor that made the object: its first word points to them
 * (cl_khr_icd). */
static inline const cl_icd_dispatch *vocl_vendor_calls(const void *object)
{
  return *(const cl_icd_dispatch *const *)object;
}
#endif
