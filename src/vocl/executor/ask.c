/* Answers what only the vendor knows, for queries that are not answered at home. */
#include "executor/executor.h"

cl_int cwi_native_ask(const struct cwi_native_question *q, size_t size, void *value,
                      size_t *size_needed)
{
  const cl_icd_dispatch *calls = cwi_vendor_calls(q->object);
  switch (q->about) {
  case CWI_ABOUT_MEMORY:
    return calls->clGetMemObjectInfo(q->object, q->what, size, value, size_needed);
  case CWI_ABOUT_IMAGE:
    return calls->clGetImageInfo(q->object, q->what, size, value, size_needed);
  case CWI_ABOUT_PROGRAM:
    return calls->clGetProgramInfo(q->object, q->what, size, value, size_needed);
  case CWI_ABOUT_BUILD:
    return calls->clGetProgramBuildInfo(q->object, q->device, q->what, size, value, size_needed);
  case CWI_ABOUT_KERNEL:
    return calls->clGetKernelInfo(q->object, q->what, size, value, size_needed);
  case CWI_ABOUT_WORK_GROUP:
    return calls->clGetKernelWorkGroupInfo(q->object, q->device, q->what, size, value, size_needed);
  case CWI_ABOUT_ARGUMENT:
    return calls->clGetKernelArgInfo(q->object, q->index, q->what, size, value, size_needed);
  case CWI_ABOUT_EVENT:
    return calls->clGetEventInfo(q->object, q->what, size, value, size_needed);
  case CWI_ABOUT_PROFILE:
    return calls->clGetEventProfilingInfo(q->object, q->what, size, value, size_needed);
  default:
    return CL_INVALID_VALUE;
  }
}

cl_int cwi_native_ask_formats(void *context, cl_mem_flags flags, cl_mem_object_type type,
                              cl_uint most, cl_image_format *formats, cl_uint *count)
{
  return cwi_vendor_calls(context)->clGetSupportedImageFormats(context, flags, type, most, formats,
                                                               count);
}
