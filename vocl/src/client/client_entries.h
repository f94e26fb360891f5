/* OpenCL's calls as this library implements them: vocl_clFinish is what a program calls as
 * clFinish. */
#pragma once

#include "executor/opencl.h"

/* Calls that are virtualised, each as X(name). */
#define VOCL_ENTRIES(X)                                                                            \
  X(clGetPlatformIDs)                                                                              \
  X(clGetPlatformInfo)                                                                             \
  X(clGetExtensionFunctionAddress)                                                                 \
  X(clGetExtensionFunctionAddressForPlatform)                                                      \
  X(clUnloadCompiler)                                                                              \
  X(clUnloadPlatformCompiler)                                                                      \
  X(clGetDeviceIDs)                                                                                \
  X(clGetDeviceInfo)                                                                               \
  X(clCreateSubDevices)                                                                            \
  X(clRetainDevice)                                                                                \
  X(clReleaseDevice)                                                                               \
  X(clCreateContext)                                                                               \
  X(clCreateContextFromType)                                                                       \
  X(clRetainContext)                                                                               \
  X(clReleaseContext)                                                                              \
  X(clGetContextInfo)                                                                              \
  X(clSetContextDestructorCallback)                                                                \
  X(clCreateCommandQueue)                                                                          \
  X(clCreateCommandQueueWithProperties)                                                            \
  X(clRetainCommandQueue)                                                                          \
  X(clReleaseCommandQueue)                                                                         \
  X(clGetCommandQueueInfo)                                                                         \
  X(clFlush)                                                                                       \
  X(clFinish)                                                                                      \
  X(clCreateBuffer)                                                                                \
  X(clCreateBufferWithProperties)                                                                  \
  X(clCreateSubBuffer)                                                                             \
  X(clRetainMemObject)                                                                             \
  X(clReleaseMemObject)                                                                            \
  X(clGetMemObjectInfo)                                                                            \
  X(clSetMemObjectDestructorCallback)                                                              \
  X(clCreateImage)                                                                                 \
  X(clCreateImageWithProperties)                                                                   \
  X(clCreateImage2D)                                                                               \
  X(clCreateImage3D)                                                                               \
  X(clGetSupportedImageFormats)                                                                    \
  X(clGetImageInfo)                                                                                \
  X(clCreateSampler)                                                                               \
  X(clCreateSamplerWithProperties)                                                                 \
  X(clRetainSampler)                                                                               \
  X(clReleaseSampler)                                                                              \
  X(clGetSamplerInfo)                                                                              \
  X(clCreateProgramWithSource)                                                                     \
  X(clCreateProgramWithBinary)                                                                     \
  X(clCreateProgramWithBuiltInKernels)                                                             \
  X(clRetainProgram)                                                                               \
  X(clReleaseProgram)                                                                              \
  X(clGetProgramInfo)                                                                              \
  X(clGetProgramBuildInfo)                                                                         \
  X(clBuildProgram)                                                                                \
  X(clCompileProgram)                                                                              \
  X(clLinkProgram)                                                                                 \
  X(clCreateKernel)                                                                                \
  X(clCloneKernel)                                                                                 \
  X(clCreateKernelsInProgram)                                                                      \
  X(clRetainKernel)                                                                                \
  X(clReleaseKernel)                                                                               \
  X(clSetKernelArg)                                                                                \
  X(clGetKernelInfo)                                                                               \
  X(clGetKernelWorkGroupInfo)                                                                      \
  X(clGetKernelArgInfo)                                                                            \
  X(clCreateUserEvent)                                                                             \
  X(clSetUserEventStatus)                                                                          \
  X(clSetEventCallback)                                                                            \
  X(clRetainEvent)                                                                                 \
  X(clReleaseEvent)                                                                                \
  X(clGetEventInfo)                                                                                \
  X(clGetEventProfilingInfo)                                                                       \
  X(clWaitForEvents)                                                                               \
  X(clEnqueueReadBuffer)                                                                           \
  X(clEnqueueWriteBuffer)                                                                          \
  X(clEnqueueReadBufferRect)                                                                       \
  X(clEnqueueWriteBufferRect)                                                                      \
  X(clEnqueueCopyBuffer)                                                                           \
  X(clEnqueueCopyBufferRect)                                                                       \
  X(clEnqueueFillBuffer)                                                                           \
  X(clEnqueueMapBuffer)                                                                            \
  X(clEnqueueUnmapMemObject)                                                                       \
  X(clEnqueueMigrateMemObjects)                                                                    \
  X(clEnqueueReadImage)                                                                            \
  X(clEnqueueWriteImage)                                                                           \
  X(clEnqueueCopyImage)                                                                            \
  X(clEnqueueFillImage)                                                                            \
  X(clEnqueueCopyImageToBuffer)                                                                    \
  X(clEnqueueCopyBufferToImage)                                                                    \
  X(clEnqueueMapImage)                                                                             \
  X(clEnqueueNDRangeKernel)                                                                        \
  X(clEnqueueTask)                                                                                 \
  X(clEnqueueMarker)                                                                               \
  X(clEnqueueBarrier)                                                                              \
  X(clEnqueueWaitForEvents)                                                                        \
  X(clEnqueueMarkerWithWaitList)                                                                   \
  X(clEnqueueBarrierWithWaitList)

/* Calls that are not virtualised and create an object. client_unsupported.c defines them. */
#define VOCL_UNSUPPORTED_CREATORS(X)                                                               \
  X(clCreateFromGLBuffer, (cl_context a, cl_mem_flags b, cl_GLuint c, cl_int * code), cl_mem)      \
  X(clCreateFromGLTexture2D,                                                                       \
    (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e, cl_int * code), cl_mem)   \
  X(clCreateFromGLTexture3D,                                                                       \
    (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e, cl_int * code), cl_mem)   \
  X(clCreateFromGLTexture,                                                                         \
    (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e, cl_int * code), cl_mem)   \
  X(clCreateFromGLRenderbuffer, (cl_context a, cl_mem_flags b, cl_GLuint c, cl_int * code),        \
    cl_mem)                                                                                        \
  X(clCreateEventFromGLsyncKHR, (cl_context a, cl_GLsync b, cl_int * code), cl_event)              \
  X(clCreateFromEGLImageKHR,                                                                       \
    (cl_context a, CLeglDisplayKHR b, CLeglImageKHR c, cl_mem_flags d,                             \
     const cl_egl_image_properties_khr *e, cl_int *code),                                          \
    cl_mem)                                                                                        \
  X(clCreateEventFromEGLSyncKHR, (cl_context a, CLeglSyncKHR b, CLeglDisplayKHR c, cl_int * code), \
    cl_event)                                                                                      \
  X(clCreatePipe,                                                                                  \
    (cl_context a, cl_mem_flags b, cl_uint c, cl_uint d, const cl_pipe_properties *e,              \
     cl_int *code),                                                                                \
    cl_mem)                                                                                        \
  X(clCreateProgramWithIL, (cl_context a, const void *b, size_t c, cl_int *code), cl_program)

/* Calls that are not virtualised and return a cl_int or nothing. In X(name, of), `of` is the kind
 * of the first argument; the function vocl_unsupported_<of> returns the error. */
#define VOCL_UNSUPPORTED(X)                                                                        \
  X(clSetCommandQueueProperty, queue)                                                              \
  X(clEnqueueNativeKernel, queue)                                                                  \
  X(clGetGLObjectInfo, any)                                                                        \
  X(clGetGLTextureInfo, any)                                                                       \
  X(clEnqueueAcquireGLObjects, any)                                                                \
  X(clEnqueueReleaseGLObjects, any)                                                                \
  X(clGetGLContextInfoKHR, any)                                                                    \
  X(clGetDeviceIDsFromD3D10KHR, any)                                                               \
  X(clEnqueueAcquireD3D10ObjectsKHR, any)                                                          \
  X(clEnqueueReleaseD3D10ObjectsKHR, any)                                                          \
  X(clCreateSubDevicesEXT, any)                                                                    \
  X(clRetainDeviceEXT, any)                                                                        \
  X(clReleaseDeviceEXT, any)                                                                       \
  X(clGetDeviceIDsFromD3D11KHR, any)                                                               \
  X(clGetDeviceIDsFromDX9MediaAdapterKHR, any)                                                     \
  X(clEnqueueAcquireD3D11ObjectsKHR, any)                                                          \
  X(clEnqueueReleaseD3D11ObjectsKHR, any)                                                          \
  X(clEnqueueAcquireDX9MediaSurfacesKHR, any)                                                      \
  X(clEnqueueReleaseDX9MediaSurfacesKHR, any)                                                      \
  X(clEnqueueAcquireEGLObjectsKHR, any)                                                            \
  X(clEnqueueReleaseEGLObjectsKHR, any)                                                            \
  X(clGetPipeInfo, pipe)                                                                           \
  X(clSVMFree, any)                                                                                \
  X(clEnqueueSVMFree, queue)                                                                       \
  X(clEnqueueSVMMemcpy, queue)                                                                     \
  X(clEnqueueSVMMemFill, queue)                                                                    \
  X(clEnqueueSVMMap, queue)                                                                        \
  X(clEnqueueSVMUnmap, queue)                                                                      \
  X(clEnqueueSVMMigrateMem, queue)                                                                 \
  X(clSetKernelArgSVMPointer, kernel)                                                              \
  X(clSetKernelExecInfo, kernel)                                                                   \
  X(clGetKernelSubGroupInfoKHR, kernel)                                                            \
  X(clGetKernelSubGroupInfo, kernel)                                                               \
  X(clGetDeviceAndHostTimer, device)                                                               \
  X(clGetHostTimer, device)                                                                        \
  X(clSetDefaultDeviceCommandQueue, context)                                                       \
  X(clSetProgramReleaseCallback, program)                                                          \
  X(clSetProgramSpecializationConstant, il)

/* Calls that are not virtualised and return a pointer, here NULL. Those of D3D cannot be called
 * with valid arguments on Linux. */
#define VOCL_UNSUPPORTED_POINTERS(X)                                                               \
  X(clSVMAlloc)                                                                                    \
  X(clCreateFromD3D10BufferKHR)                                                                    \
  X(clCreateFromD3D10Texture2DKHR)                                                                 \
  X(clCreateFromD3D10Texture3DKHR)                                                                 \
  X(clCreateFromD3D11BufferKHR)                                                                    \
  X(clCreateFromD3D11Texture2DKHR)                                                                 \
  X(clCreateFromD3D11Texture3DKHR)                                                                 \
  X(clCreateFromDX9MediaSurfaceKHR)

#define VOCL_DECLARE(name) extern __typeof__(*(VOCL_CALL(name))0) vocl_##name;
VOCL_ENTRIES(VOCL_DECLARE)
#undef VOCL_DECLARE
#define VOCL_DECLARE(name, parameters, type) extern __typeof__(*(VOCL_CALL(name))0) vocl_##name;
VOCL_UNSUPPORTED_CREATORS(VOCL_DECLARE)
#undef VOCL_DECLARE
/* Return the error of a call that is not virtualised: the error of an invalid first argument,
 * otherwise CL_INVALID_OPERATION. There are no pipes, and no programs of intermediate language,
 * so the first argument of these calls is always invalid. */
cl_int vocl_unsupported_any(const void *first);
cl_int vocl_unsupported_queue(const void *first);
cl_int vocl_unsupported_kernel(const void *first);
cl_int vocl_unsupported_device(const void *first);
cl_int vocl_unsupported_context(const void *first);
cl_int vocl_unsupported_program(const void *first);
cl_int vocl_unsupported_pipe(const void *first);
cl_int vocl_unsupported_il(const void *first);
void *vocl_unsupported_pointer(void);

/* Returns the platform to loaders. */
cl_int CL_API_CALL vocl_platforms(cl_uint most, cl_platform_id *platforms, cl_uint *count);
