/* The OpenCL library, its devices, and the names of its errors. The library is opened at run time
 * and never linked. */
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

/* All functions that we call. */
#define CWI_OPENCL_FUNCTIONS(DO)                                                                   \
  DO(clGetPlatformIDs)                                                                             \
  DO(clGetPlatformInfo)                                                                            \
  DO(clGetDeviceIDs)                                                                               \
  DO(clGetDeviceInfo)                                                                              \
  DO(clCreateContext)                                                                              \
  DO(clRetainContext)                                                                              \
  DO(clGetContextInfo)                                                                             \
  DO(clReleaseContext)                                                                             \
  DO(clCreateCommandQueue)                                                                         \
  DO(clReleaseCommandQueue)                                                                        \
  DO(clCreateBuffer)                                                                               \
  DO(clCreateSubBuffer)                                                                            \
  DO(clRetainMemObject)                                                                            \
  DO(clReleaseMemObject)                                                                           \
  DO(clEnqueueWriteBuffer)                                                                         \
  DO(clEnqueueReadBuffer)                                                                          \
  DO(clEnqueueFillBuffer)                                                                          \
  DO(clEnqueueCopyBuffer)                                                                          \
  DO(clEnqueueWriteBufferRect)                                                                     \
  DO(clEnqueueReadBufferRect)                                                                      \
  DO(clEnqueueCopyBufferRect)                                                                      \
  DO(clEnqueueMarkerWithWaitList)                                                                  \
  DO(clEnqueueBarrierWithWaitList)                                                                 \
  DO(clEnqueueNDRangeKernel)                                                                       \
  DO(clFinish)                                                                                     \
  DO(clFlush)                                                                                      \
  DO(clWaitForEvents)                                                                              \
  DO(clGetEventInfo)                                                                               \
  DO(clRetainEvent)                                                                                \
  DO(clReleaseEvent)                                                                               \
  DO(clCreateProgramWithSource)                                                                    \
  DO(clBuildProgram)                                                                               \
  DO(clGetProgramBuildInfo)                                                                        \
  DO(clReleaseProgram)                                                                             \
  DO(clCreateKernel)                                                                               \
  DO(clSetKernelArg)                                                                               \
  DO(clReleaseKernel)

/* The functions are in a table, so that tests can let a call fail. */
#define CWI_OPENCL_MEMBER(name) __typeof__(&(name)) name;
struct cwi_opencl_library {
  CWI_OPENCL_FUNCTIONS(CWI_OPENCL_MEMBER)
};
#undef CWI_OPENCL_MEMBER
extern struct cwi_opencl_library cwi_opencl;

/* A device that can be used. */
struct cwi_opencl_found {
  cl_platform_id platform;
  cl_device_id device;
  bool is_processor; /* the device is the processor, so its memory is host memory */
  char name[128];
};

/* Returns the number of usable devices. Accelerators come first. If there are none, writes the
 * reason to `why`. If some devices cannot be used, writes their names and the reasons to `why`.
 * Otherwise writes "". The first call opens the library. Any thread may call this. */
int cwi_opencl_count(char *why, size_t size);

/* Returns device `number`, counted from 1, or NULL if there is none. */
const struct cwi_opencl_found *cwi_opencl_device(int number);

/* Fills in *found for a device, except for the platform. The device need not be one of those that
 * cwi_opencl_count has found. Returns NULL if the device can be used, otherwise the reason why not,
 * as a part of a message. */
const char *cwi_opencl_describe(cl_device_id device, struct cwi_opencl_found *found);

/* Returns the name of an error code, such as "CL_OUT_OF_RESOURCES". Returns "an error of its own"
 * for codes that the standard does not name. */
const char *cwi_opencl_error_name(cl_int code);
