/* Makes and releases native objects of all sorts. */
#include "executor/executor.h"

#include <stdio.h>

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST_PROPERTIES = 16 };

/* Makes a context. The vendor's platform precedes the properties of the program. */
static cl_context make_context(const struct vocl_making *making, cl_int *code)
{
  const cl_icd_dispatch *calls = vocl_vendor_calls(making->devices[0]);
  cl_context_properties all[2 * MOST_PROPERTIES + 3] = {CL_CONTEXT_PLATFORM};
  cl_platform_id platform = NULL;
  *code = calls->clGetDeviceInfo(making->devices[0], CL_DEVICE_PLATFORM, sizeof platform, &platform,
                                 NULL);
  if (*code != CL_SUCCESS)
    return NULL;
  all[1] = (cl_context_properties)platform;
  const cl_context_properties *each = making->properties;
  for (size_t n = 2; each != NULL && *each != 0 && n < 2 * MOST_PROPERTIES; each += 2) {
    all[n++] = each[0];
    all[n++] = each[1];
  }
  return calls->clCreateContext(all, making->device_count, (const cl_device_id *)making->devices,
                                making->notice, making->notice_data, code);
}

/* Rejects a part whose end wraps, which PoCL accepts. */
static cl_mem make_sub_buffer(const struct vocl_making *making, cl_int *code)
{
  const cl_buffer_region region = {making->offset, making->size};
  if (region.origin > SIZE_MAX - region.size) {
    *code = CL_INVALID_VALUE;
    return NULL;
  }
  return vocl_vendor_calls(making->parent)
      ->clCreateSubBuffer(making->parent, making->flags, CL_BUFFER_CREATE_TYPE_REGION, &region,
                          code);
}

size_t vocl_image_rows(const cl_image_desc *image)
{
  switch (image->image_type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return image->image_array_size;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
  case CL_MEM_OBJECT_IMAGE3D:
  case CL_MEM_OBJECT_IMAGE2D:
    return image->image_height;
  default:
    return 1;
  }
}

size_t vocl_image_slices(const cl_image_desc *image)
{
  switch (image->image_type) {
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return image->image_array_size;
  case CL_MEM_OBJECT_IMAGE3D:
    return image->image_depth;
  default:
    return 1;
  }
}

static void *make_object(const struct vocl_making *m, cl_int *code)
{
  if (m->sort == VOCL_CONTEXT)
    return make_context(m, code);
  const cl_icd_dispatch *calls = vocl_vendor_calls(m->parent);
  switch (m->sort) {
  case VOCL_QUEUE:
    return calls->clCreateCommandQueue(m->parent, m->devices[0], m->flags, code);
  case VOCL_BUFFER:
    return calls->clCreateBuffer(m->parent, m->flags, m->size, m->host, code);
  case VOCL_SUB_BUFFER:
    return make_sub_buffer(m, code);
  case VOCL_IMAGE:
    return calls->clCreateImage(m->parent, m->flags, m->format, m->image, m->host, code);
  case VOCL_SAMPLER:
    return calls->clCreateSampler(m->parent, m->normalized, m->addressing, m->filter, code);
  case VOCL_SOURCE_PROGRAM:
    return calls->clCreateProgramWithSource(m->parent, m->count, (const char **)m->strings,
                                            m->lengths, code);
  case VOCL_BINARY_PROGRAM:
    return calls->clCreateProgramWithBinary(m->parent, m->device_count,
                                            (const cl_device_id *)m->devices, m->lengths,
                                            (const unsigned char **)m->strings, m->statuses, code);
  case VOCL_BUILT_IN_PROGRAM:
    return calls->clCreateProgramWithBuiltInKernels(
        m->parent, m->device_count, (const cl_device_id *)m->devices, m->name, code);
  case VOCL_KERNEL:
    return calls->clCreateKernel(m->parent, m->name, code);
  case VOCL_USER_EVENT:
    return calls->clCreateUserEvent(m->parent, code);
  default:
    *code = CL_INVALID_OPERATION;
    return NULL;
  }
}

cl_int vocl_native_make(const struct vocl_making *making, void **object)
{
  cl_int code = CL_SUCCESS;
  *object = make_object(making, &code);
  return *object == NULL && code == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : code;
}

void vocl_native_drop(enum vocl_sort sort, void *object)
{
  /* Offset of the release function of each sort in a vendor's table. All have the same
   * signature. */
#define RELEASE(name) offsetof(cl_icd_dispatch, clRelease##name)
  static const size_t releases[VOCL_SORT_COUNT] = {
      [VOCL_CONTEXT] = RELEASE(Context),
      [VOCL_QUEUE] = RELEASE(CommandQueue),
      [VOCL_BUFFER] = RELEASE(MemObject),
      [VOCL_SUB_BUFFER] = RELEASE(MemObject),
      [VOCL_IMAGE] = RELEASE(MemObject),
      [VOCL_SAMPLER] = RELEASE(Sampler),
      [VOCL_SOURCE_PROGRAM] = RELEASE(Program),
      [VOCL_BINARY_PROGRAM] = RELEASE(Program),
      [VOCL_BUILT_IN_PROGRAM] = RELEASE(Program),
      [VOCL_KERNEL] = RELEASE(Kernel),
      [VOCL_USER_EVENT] = RELEASE(Event),
      [VOCL_EVENT] = RELEASE(Event),
      [VOCL_DEVICE] = RELEASE(Device),
  };
#undef RELEASE
  typedef cl_int(CL_API_CALL * release)(void *);
  (*(const release *)(const void *)((const char *)vocl_vendor_calls(object) + releases[sort]))(
      object);
}

cl_int vocl_native_make_kernels(void *program, cl_uint most, void **kernels, cl_uint *count)
{
  return vocl_vendor_calls(program)->clCreateKernelsInProgram(program, most, (cl_kernel *)kernels,
                                                              count);
}

/* Returns true if the vendor has clCloneKernel. The table of an older vendor may end before that
 * entry. */
static bool can_clone(void *kernel)
{
  const cl_icd_dispatch *calls = vocl_vendor_calls(kernel);
  cl_context context = NULL;
  cl_device_id devices[64] = {NULL};
  char version[256] = "";
  int major = 0, minor = 0;
  return calls->clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL) ==
             CL_SUCCESS &&
         calls->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL) ==
             CL_SUCCESS &&
         calls->clGetDeviceInfo(devices[0], CL_DEVICE_VERSION, sizeof version, version, NULL) ==
             CL_SUCCESS &&
         sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 && 10 * major + minor >= 21 &&
         calls->clCloneKernel != NULL;
}

cl_int vocl_native_clone_kernel(void *kernel, void **clone)
{
  cl_int code = CL_INVALID_OPERATION;
  *clone = can_clone(kernel) ? vocl_vendor_calls(kernel)->clCloneKernel(kernel, &code) : NULL;
  return *clone == NULL && code == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : code;
}

cl_int vocl_native_make_sub_devices(void *device, const cl_device_partition_property *properties,
                                    cl_uint most, void **devices, cl_uint *count)
{
  return vocl_vendor_calls(device)->clCreateSubDevices(device, properties, most,
                                                       (cl_device_id *)devices, count);
}

cl_int vocl_native_on_deleted(void *memory, vocl_memory_callback function, void *data)
{
  return vocl_vendor_calls(memory)->clSetMemObjectDestructorCallback(memory, function, data);
}
