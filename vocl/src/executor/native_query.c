/* Answers queries that only the vendor can answer. */
#include "executor/executor.h"

cl_int vocl_native_query(const struct vocl_query *q, size_t size, void *value, size_t *size_needed)
{
  const cl_icd_dispatch *calls = vocl_vendor_calls(q->object);
  switch (q->about) {
  case VOCL_ABOUT_MEMORY:
    return calls->clGetMemObjectInfo(q->object, q->what, size, value, size_needed);
  case VOCL_ABOUT_IMAGE:
    return calls->clGetImageInfo(q->object, q->what, size, value, size_needed);
  case VOCL_ABOUT_PROGRAM:
    return calls->clGetProgramInfo(q->object, q->what, size, value, size_needed);
  case VOCL_ABOUT_BUILD:
    return calls->clGetProgramBuildInfo(q->object, q->device, q->what, size, value, size_needed);
  case VOCL_ABOUT_KERNEL:
    return calls->clGetKernelInfo(q->object, q->what, size, value, size_needed);
  case VOCL_ABOUT_WORK_GROUP:
    return calls->clGetKernelWorkGroupInfo(q->object, q->device, q->what, size, value, size_needed);
  case VOCL_ABOUT_ARGUMENT:
    return calls->clGetKernelArgInfo(q->object, q->index, q->what, size, value, size_needed);
  case VOCL_ABOUT_EVENT:
    return calls->clGetEventInfo(q->object, q->what, size, value, size_needed);
  case VOCL_ABOUT_PROFILE:
    return calls->clGetEventProfilingInfo(q->object, q->what, size, value, size_needed);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int vocl_native_query_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                                 cl_uint most, cl_image_format *formats, cl_uint *count)
{
  return vocl_vendor_calls(context)->clGetSupportedImageFormats(context, flags, type, most, formats,
                                                                count);
}
