/* A vendor for tests: one device, contexts, user events, and nothing else. It has no lock and no
 * thread. Its device can be partitioned into many sub-devices with a long name, but not into
 * sub-devices of two compute units. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <stdlib.h>
#include <string.h>

struct object {
  const cl_icd_dispatch *table;
};

enum { PARTS = 200, LONG_NAME = 4096 };

static const cl_icd_dispatch table;
static struct object fake_platform = {&table}, fake_device = {&table};

static void *fake_make(cl_int *code)
{
  struct object *object = malloc(sizeof *object);
  if (object != NULL)
    object->table = &table;
  if (code != NULL)
    *code = object != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  return object;
}

static cl_int CL_API_CALL fake_platforms(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  if (platforms != NULL && most > 0)
    *platforms = (cl_platform_id)(void *)&fake_platform;
  if (count != NULL)
    *count = 1;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fake_devices(cl_platform_id platform, cl_device_type type, cl_uint most,
                                       cl_device_id *devices, cl_uint *count)
{
  (void)platform;
  (void)type;
  if (devices != NULL && most > 0)
    *devices = (cl_device_id)(void *)&fake_device;
  if (count != NULL)
    *count = 1;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fake_query(cl_device_id device, cl_device_info what, size_t size,
                                     void *value, size_t *size_ret)
{
  static const cl_device_type type = CL_DEVICE_TYPE_CUSTOM | CL_DEVICE_TYPE_CPU;
  static struct object *const platform = &fake_platform;
  static const char version[] = "OpenCL 1.2 fake", name[LONG_NAME] = "fake";
  const void *answer = what == CL_DEVICE_TYPE       ? (const void *)&type
                       : what == CL_DEVICE_PLATFORM ? (const void *)&platform
                       : what == CL_DEVICE_VERSION  ? version
                       : what == CL_DEVICE_NAME     ? name
                                                    : NULL;
  const size_t bytes = what == CL_DEVICE_VERSION ? sizeof version
                       : what == CL_DEVICE_NAME  ? sizeof name
                                                 : 8;
  (void)device;
  if (answer == NULL || (value != NULL && size < bytes))
    return CL_INVALID_VALUE;
  if (value != NULL)
    memcpy(value, answer, bytes);
  if (size_ret != NULL)
    *size_ret = bytes;
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fake_parts(cl_device_id device,
                                     const cl_device_partition_property *properties, cl_uint most,
                                     cl_device_id *parts, cl_uint *count)
{
  (void)device;
  if (count != NULL)
    *count = PARTS;
  if (parts != NULL && (most < PARTS || properties[1] == 2))
    return CL_OUT_OF_HOST_MEMORY;
  for (int i = 0; parts != NULL && i < PARTS; i++)
    parts[i] = fake_make(NULL);
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fake_release_part(cl_device_id part)
{
  free(part);
  return CL_SUCCESS;
}

static cl_context CL_API_CALL fake_context(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
    void(CL_CALLBACK *notice)(const char *, const void *, size_t, void *), void *data, cl_int *code)
{
  (void)properties;
  (void)count;
  (void)devices;
  (void)notice;
  (void)data;
  return fake_make(code);
}

static cl_event CL_API_CALL fake_event(cl_context context, cl_int *code)
{
  (void)context;
  return fake_make(code);
}

static cl_int CL_API_CALL fake_release_context(cl_context context)
{
  free(context);
  return CL_SUCCESS;
}

static cl_int CL_API_CALL fake_release_event(cl_event event)
{
  free(event);
  return CL_SUCCESS;
}

static const cl_icd_dispatch table = {
    .clGetDeviceIDs = fake_devices,
    .clGetDeviceInfo = fake_query,
    .clCreateSubDevices = fake_parts,
    .clReleaseDevice = fake_release_part,
    .clCreateContext = fake_context,
    .clReleaseContext = fake_release_context,
    .clCreateUserEvent = fake_event,
    .clReleaseEvent = fake_release_event,
};

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)fake_platforms : NULL;
}
