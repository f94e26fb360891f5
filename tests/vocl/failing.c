/* A vendor for tests: the one that VOCL_FAILING_VENDOR names, but that a write of numbers whose
 * first one is VOCL_FAILS fails, as if there were no memory. */
#include "vocl/failing.h"

#include "executor/opencl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static cl_api_clEnqueueWriteBuffer vendors_write;

static cl_int CL_API_CALL failing_write(cl_command_queue on, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t size, const void *bytes,
                                        cl_uint wait_count, const cl_event *waits, cl_event *event)
{
  int first = 0;
  memcpy(&first, bytes, size < sizeof first ? size : sizeof first);
  return first == VOCL_FAILS
             ? CL_MEM_OBJECT_ALLOCATION_FAILURE
             : vendors_write(on, buffer, blocking, offset, size, bytes, wait_count, waits, event);
}

/* All objects of the vendor have the table of its platform. */
static void change_table(cl_platform_id platform)
{
  cl_icd_dispatch *table = *(cl_icd_dispatch **)(void *)platform;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t from = (uintptr_t)table & ~(page - 1);
  const uintptr_t to = (uintptr_t)(table + 1);
  if (table->clEnqueueWriteBuffer == failing_write)
    return;
  if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) != 0)
    abort();
  vendors_write = table->clEnqueueWriteBuffer;
  table->clEnqueueWriteBuffer = failing_write;
}

static cl_int CL_API_CALL failing_platforms(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  cl_api_clGetExtensionFunctionAddress address_of = NULL;
  cl_int(CL_API_CALL * platforms_of)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
  void *vendor = dlopen(getenv("VOCL_FAILING_VENDOR"), RTLD_LAZY | RTLD_LOCAL);
  if (vendor == NULL)
    abort();
  *(void **)&address_of = dlsym(vendor, "clGetExtensionFunctionAddress");
  *(void **)&platforms_of = address_of("clIcdGetPlatformIDsKHR");
  const cl_int code = platforms_of(most, platforms, count);
  if (code == CL_SUCCESS && most > 0)
    change_table(platforms[0]);
  return code;
}

/* As loaders ask for it. */
void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)failing_platforms : NULL;
}
