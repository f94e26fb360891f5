/* Opens the OpenCL library when a device is first needed, and finds the devices that the back end
 * can use. */
#include "device/opencl/opencl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/symbols.h"

static const char library_name[] = "libOpenCL.so.1";

/* Further platforms and devices are ignored. */
enum { MOST_PLATFORMS = 16, MOST_DEVICES = 64 };

struct cwi_opencl_library cwi_opencl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct cwi_opencl_found devices[MOST_DEVICES];
static int device_count;
static char reason[512];

static const struct opencl_word {
  cl_int code;
  const char *word;
} words[] = {
#define WORD(name)                                                                                 \
  {                                                                                                \
    name, #name                                                                                    \
  }
    WORD(CL_SUCCESS),
    WORD(CL_DEVICE_NOT_FOUND),
    WORD(CL_DEVICE_NOT_AVAILABLE),
    WORD(CL_COMPILER_NOT_AVAILABLE),
    WORD(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    WORD(CL_OUT_OF_RESOURCES),
    WORD(CL_OUT_OF_HOST_MEMORY),
    WORD(CL_PROFILING_INFO_NOT_AVAILABLE),
    WORD(CL_MEM_COPY_OVERLAP),
    WORD(CL_IMAGE_FORMAT_MISMATCH),
    WORD(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    WORD(CL_BUILD_PROGRAM_FAILURE),
    WORD(CL_MAP_FAILURE),
    WORD(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    WORD(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    WORD(CL_COMPILE_PROGRAM_FAILURE),
    WORD(CL_LINKER_NOT_AVAILABLE),
    WORD(CL_LINK_PROGRAM_FAILURE),
    WORD(CL_DEVICE_PARTITION_FAILED),
    WORD(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    WORD(CL_INVALID_VALUE),
    WORD(CL_INVALID_DEVICE_TYPE),
    WORD(CL_INVALID_PLATFORM),
    WORD(CL_INVALID_DEVICE),
    WORD(CL_INVALID_CONTEXT),
    WORD(CL_INVALID_QUEUE_PROPERTIES),
    WORD(CL_INVALID_COMMAND_QUEUE),
    WORD(CL_INVALID_HOST_PTR),
    WORD(CL_INVALID_MEM_OBJECT),
    WORD(CL_INVALID_BINARY),
    WORD(CL_INVALID_BUILD_OPTIONS),
    WORD(CL_INVALID_PROGRAM),
    WORD(CL_INVALID_PROGRAM_EXECUTABLE),
    WORD(CL_INVALID_KERNEL_NAME),
    WORD(CL_INVALID_KERNEL_DEFINITION),
    WORD(CL_INVALID_KERNEL),
    WORD(CL_INVALID_ARG_INDEX),
    WORD(CL_INVALID_ARG_VALUE),
    WORD(CL_INVALID_ARG_SIZE),
    WORD(CL_INVALID_KERNEL_ARGS),
    WORD(CL_INVALID_WORK_DIMENSION),
    WORD(CL_INVALID_WORK_GROUP_SIZE),
    WORD(CL_INVALID_WORK_ITEM_SIZE),
    WORD(CL_INVALID_GLOBAL_OFFSET),
    WORD(CL_INVALID_EVENT_WAIT_LIST),
    WORD(CL_INVALID_EVENT),
    WORD(CL_INVALID_OPERATION),
    WORD(CL_INVALID_BUFFER_SIZE),
    WORD(CL_INVALID_GLOBAL_WORK_SIZE),
    WORD(CL_INVALID_PROPERTY),
    WORD(CL_INVALID_COMPILER_OPTIONS),
    WORD(CL_INVALID_LINKER_OPTIONS),
    WORD(CL_INVALID_DEVICE_PARTITION_COUNT),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
#undef WORD
};

const char *cwi_opencl_error_name(cl_int code)
{
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].code == code)
      return words[i].word;
  return "an error of its own";
}

/* Appends text to `reason`. Text that does not fit is cut off. */
static CWI_PRINTF(1, 2) void opencl_append(const char *format, ...)
{
  const size_t length = strlen(reason);
  const char *between = length > 0 ? "; " : "";
  const int begun = snprintf(reason + length, sizeof reason - length, "%s", between);
  if (begun < 0 || (size_t)begun >= sizeof reason - length)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason + length + (size_t)begun, sizeof reason - length - (size_t)begun, format,
            arguments);
  va_end(arguments);
}

static bool opencl_open(void)
{
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    opencl_append("%s cannot be opened (%s)", library_name, dlerror());
    return false;
  }
  static const struct cwi_symbol functions[] = {
#define X(name) {#name, &cwi_opencl.name},
#include "device/opencl/opencl.def"
#undef X
      {NULL, NULL}};
  const char *missing = cwi_symbols_find(library, functions);
  if (missing != NULL)
    opencl_append("%s has no %s: OpenCL 1.2 is needed", library_name, missing);
  return missing == NULL;
}

static bool opencl_device_is(cl_device_id device, cl_device_info what)
{
  cl_bool is = CL_FALSE;
  return cwi_opencl.clGetDeviceInfo(device, what, sizeof is, &is, NULL) == CL_SUCCESS && is;
}

/* Returns NULL if the device can be used, otherwise the reason why not. */
static const char *opencl_why_unusable(cl_device_id device)
{
  char version[128] = ""; /* "OpenCL 1.2 ..." */
  int major = 0;
  int minor = 0;
  if (cwi_opencl.clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL) !=
          CL_SUCCESS ||
      sscanf(version, "OpenCL %d.%d", &major, &minor) != 2)
    return "does not report its version";
  if (major * 10 + minor < 12)
    return "is older than OpenCL 1.2";
  if (!opencl_device_is(device, CL_DEVICE_AVAILABLE))
    return "is not available";
  if (!opencl_device_is(device, CL_DEVICE_COMPILER_AVAILABLE))
    return "has no compiler";
  if (!opencl_device_is(device, CL_DEVICE_ENDIAN_LITTLE))
    return "has another byte order than this machine";
  return NULL;
}

const char *cwi_opencl_describe(cl_device_id device, struct cwi_opencl_found *found)
{
  cl_device_type type = 0;
  if (cwi_opencl.clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
    type = 0;
  *found =
      (struct cwi_opencl_found){.device = device, .is_processor = (type & CL_DEVICE_TYPE_CPU) != 0};
  /* If the name is too long for the buffer, the call fails and writes nothing. */
  char name[512] = "a device without a name";
  if (cwi_opencl.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS)
    snprintf(name, sizeof name, "a device without a name");
  snprintf(found->name, sizeof found->name, "%.*s", (int)sizeof found->name - 1, name);
  return opencl_why_unusable(device);
}

static void opencl_check_device(cl_platform_id platform, cl_device_id device, bool processors)
{
  struct cwi_opencl_found found;
  const char *why_unusable = cwi_opencl_describe(device, &found);
  found.platform = platform;
  if (found.is_processor != processors)
    return;
  if (why_unusable != NULL)
    opencl_append("%s %s", found.name, why_unusable);
  else if (device_count < MOST_DEVICES)
    devices[device_count++] = found;
}

static void opencl_query_platform(cl_platform_id platform, bool processors)
{
  cl_device_id ids[MOST_DEVICES];
  cl_uint count = 0;
  const cl_int code =
      cwi_opencl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, ids, &count);
  if (code != CL_SUCCESS) {
    char name[128] = "";
    if (!processors || cwi_opencl.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name,
                                                    NULL) != CL_SUCCESS)
      return;
    if (code == CL_DEVICE_NOT_FOUND)
      opencl_append("the platform '%s' has no device", name);
    else
      opencl_append("the platform '%s' does not list its devices: clGetDeviceIDs returned %d %s",
                    name, code, cwi_opencl_error_name(code));
    return;
  }
  for (cl_uint i = 0; i < count && i < MOST_DEVICES; i++)
    opencl_check_device(platform, ids[i], processors);
}

static void opencl_find(void)
{
  if (!opencl_open())
    return;
  cl_platform_id platforms[MOST_PLATFORMS];
  cl_uint count = 0;
  const cl_int code = cwi_opencl.clGetPlatformIDs(MOST_PLATFORMS, platforms, &count);
  if (code != CL_SUCCESS || count == 0) {
    opencl_append(
        "OpenCL has no platform: is a driver's ICD installed? (clGetPlatformIDs returned %d %s)",
        code, cwi_opencl_error_name(code));
    return;
  }
  if (count > MOST_PLATFORMS)
    count = MOST_PLATFORMS;
  for (int processors = 0; processors <= 1; processors++)
    for (cl_uint i = 0; i < count; i++)
      opencl_query_platform(platforms[i], processors == 1);
  if (device_count == 0 && reason[0] == '\0')
    opencl_append("none of OpenCL's %u platforms has a device", (unsigned)count);
}

int cwi_opencl_count(char *why, size_t size)
{
  const int error = pthread_once(&once, opencl_find);
  CWI_ASSERT(error == 0);
  if (size > 0)
    snprintf(why, size, "%s", reason);
  return device_count;
}

const struct cwi_opencl_found *cwi_opencl_device(int number)
{
  return number >= 1 && number <= device_count ? &devices[number - 1] : NULL;
}
