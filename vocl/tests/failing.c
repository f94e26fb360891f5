/* A vendor for tests: the one that VOCL_FAILING_VENDOR names, with four differences. A write of
 * numbers whose first one is VOCL_FAILS fails, as if there were no memory. After a write of numbers
 * whose first one is VOCL_SPOILS, reads of that buffer fail, and their events have the error. Its
 * devices report that buffers have at most VOCL_SMALL bytes. Releasing memory takes
 * VOCL_FAILING_RELEASE seconds if that is set. */
#include "failing.h"

#include "executor/opencl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const cl_icd_dispatch *vendors;
static cl_mem spoiled;
static VOCL_CALL(clEnqueueWriteBuffer) vendors_write;
static VOCL_CALL(clEnqueueReadBuffer) vendors_read;
static VOCL_CALL(clGetDeviceInfo) vendors_device_info;
static VOCL_CALL(clReleaseMemObject) vendors_release;

static cl_int CL_API_CALL failing_write(cl_command_queue on, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t size, const void *bytes,
                                        cl_uint wait_count, const cl_event *waits, cl_event *event)
{
  int first = 0;
  memcpy(&first, bytes, size < sizeof first ? size : sizeof first);
  if (first == VOCL_SPOILS)
    spoiled = buffer;
  return first == VOCL_FAILS
             ? CL_MEM_OBJECT_ALLOCATION_FAILURE
             : vendors_write(on, buffer, blocking, offset, size, bytes, wait_count, waits, event);
}

static cl_int CL_API_CALL failing_read(cl_command_queue on, cl_mem buffer, cl_bool blocking,
                                       size_t offset, size_t size, void *bytes, cl_uint wait_count,
                                       const cl_event *waits, cl_event *event)
{
  cl_context context = NULL;
  cl_int code = CL_SUCCESS;
  if (buffer != spoiled)
    return vendors_read(on, buffer, blocking, offset, size, bytes, wait_count, waits, event);
  vendors->clGetCommandQueueInfo(on, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
  *event = vendors->clCreateUserEvent(context, &code);
  return code == CL_SUCCESS
             ? vendors->clSetUserEventStatus(*event, CL_MEM_OBJECT_ALLOCATION_FAILURE)
             : code;
}

static cl_int CL_API_CALL small_device_info(cl_device_id device, cl_device_info what, size_t size,
                                            void *value, size_t *needed)
{
  const cl_int code = vendors_device_info(device, what, size, value, needed);
  if (code == CL_SUCCESS && what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && value != NULL)
    *(cl_ulong *)value = VOCL_SMALL;
  return code;
}

static cl_int CL_API_CALL slow_release(cl_mem memory)
{
  const char *seconds = getenv("VOCL_FAILING_RELEASE");
  if (memory == spoiled)
    spoiled = NULL; /* another one may get its address */
  if (seconds != NULL)
    sleep((unsigned)strtoul(seconds, NULL, 10));
  return vendors_release(memory);
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
  vendors = table;
  vendors_write = table->clEnqueueWriteBuffer;
  table->clEnqueueWriteBuffer = failing_write;
  vendors_read = table->clEnqueueReadBuffer;
  table->clEnqueueReadBuffer = failing_read;
  vendors_device_info = table->clGetDeviceInfo;
  table->clGetDeviceInfo = small_device_info;
  vendors_release = table->clReleaseMemObject;
  table->clReleaseMemObject = slow_release;
}

static cl_int CL_API_CALL failing_platforms(cl_uint most, cl_platform_id *platforms, cl_uint *count)
{
  VOCL_CALL(clGetExtensionFunctionAddress) address_of = NULL;
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

/* The entry point that loaders look up. */
void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
  return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)failing_platforms : NULL;
}
