/* The OpenCL library: opened at run time, never linked; its devices; names of its errors. */
#ifndef CWI_DEVICE_OPENCL_OPENCL_LIBRARY_H
#define CWI_DEVICE_OPENCL_OPENCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

/* Every function that we call. */
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

/* A table, so that tests can let a call fail. */
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
  bool is_processor; /* its memory is the host's */
  char name[128];
};

/* How many devices can be used, accelerators first. why: receives why there are none, or which were
 * left out and why; "" where nothing is to say. The first call opens the library. Any thread. */
int cwi_opencl_count(char *why, size_t size);

/* Device `number` of them, from 1; NULL: there is none of that number. */
const struct cwi_opencl_found *cwi_opencl_device(int number);

/* Of a device that need not be among those: all but its platform. Why it cannot be used, as a part
 * of a sentence; NULL: it can. */
const char *cwi_opencl_describe(cl_device_id device, struct cwi_opencl_found *found);

/* "CL_OUT_OF_RESOURCES"; "an error of its own" for what the standard has no name for. */
const char *cwi_opencl_error_name(cl_int code);
#endif
