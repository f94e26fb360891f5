/* The platform: its facts, and how loaders find it. It does not open vendors' libraries. */
#include "client/client_platform.h"

#include "client/client_entries.h"
#include "client/client_objects.h"

#include <string.h>

static struct platform {
  const cl_icd_dispatch *table;
} platform;

cl_platform_id vocl_platform(void)
{
  platform.table = vocl_handle_table;
  return (cl_platform_id)(void *)&platform;
}

cl_int CL_API_CALL vocl_platforms(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  if ((most == 0 && platforms != NULL) || (platforms == NULL && count == NULL))
    return CL_INVALID_VALUE;
  if (platforms != NULL)
    platforms[0] = vocl_platform();
  if (count != NULL)
    *count = 1;
  return CL_SUCCESS;
}

cl_int vocl_clGetPlatformIDs(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  return vocl_platforms(most, platforms, count);
}

cl_int vocl_clGetPlatformInfo(cl_platform_id which, cl_platform_info what, size_t size, void *value,
                              size_t *size_ret)
{
  static const cl_version number = CL_MAKE_VERSION(3, 0, 0);
  static const cl_ulong no_timer = 0;
  static const cl_name_version extensions[] = {{CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"}};
#define TEXT(what, text)                                                                           \
  {                                                                                                \
    what, sizeof text, text                                                                        \
  }
  static const struct {
    cl_platform_info what;
    size_t size;
    const void *value;
  } answers[] = {
      TEXT(CL_PLATFORM_PROFILE, "FULL_PROFILE"),
      TEXT(CL_PLATFORM_VERSION, "OpenCL 3.0 Causeway " CW_VERSION),
      TEXT(CL_PLATFORM_NAME, "Causeway Virtual OpenCL"),
      TEXT(CL_PLATFORM_VENDOR, "Causeway"),
      TEXT(CL_PLATFORM_EXTENSIONS, "cl_khr_icd"),
      TEXT(CL_PLATFORM_ICD_SUFFIX_KHR, "CWVOCL"),
      {CL_PLATFORM_NUMERIC_VERSION, sizeof number, &number},
      {CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof extensions, extensions},
      {CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof no_timer, &no_timer},
  };
#undef TEXT
  if (which != vocl_platform())
    return CL_INVALID_PLATFORM;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (answers[i].what == what)
      return vocl_query_result_set(&(struct vocl_query_result){size, value, size_ret},
                                   answers[i].value, answers[i].size);
  return CL_INVALID_VALUE;
}

cl_int vocl_platform_check(const cl_context_properties *properties, size_t *count)
{
  *count = 0;
  if (properties == NULL)
    return CL_SUCCESS;
  unsigned seen = 0;
  for (const cl_context_properties *each = properties; *each != 0; each += 2) {
    const unsigned bit = *each == CL_CONTEXT_PLATFORM            ? 1
                         : *each == CL_CONTEXT_INTEROP_USER_SYNC ? 2
                                                                 : 0;
    if (bit == 0 || (seen & bit) != 0)
      return CL_INVALID_PROPERTY;
    if (bit == 1 && (cl_platform_id)each[1] != vocl_platform())
      return CL_INVALID_PLATFORM;
    if (bit == 2 && each[1] != CL_TRUE && each[1] != CL_FALSE)
      return CL_INVALID_PROPERTY;
    seen |= bit;
    *count += 2;
  }
  (*count)++;
  return CL_SUCCESS;
}

/* Unloading is left to the vendors. */
cl_int vocl_clUnloadCompiler(void)
{
  return CL_SUCCESS;
}

cl_int vocl_clUnloadPlatformCompiler(cl_platform_id which)
{
  return which == vocl_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

void *vocl_clGetExtensionFunctionAddress(const char *name)
{
  void *address = NULL;
  /* POSIX allows this conversion from a function pointer to an object pointer. */
  cl_int(CL_API_CALL * platforms)(cl_uint, cl_platform_id *, cl_uint *) = vocl_platforms;
  VOCL_CALL(clGetPlatformInfo) info = vocl_clGetPlatformInfo;
  if (name != NULL && strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
    address = *(void **)&platforms;
  else if (name != NULL && strcmp(name, "clGetPlatformInfo") == 0)
    address = *(void **)&info;
  return address;
}

void *vocl_clGetExtensionFunctionAddressForPlatform(cl_platform_id which, const char *name)
{
  return which == vocl_platform() ? vocl_clGetExtensionFunctionAddress(name) : NULL;
}
