/* Opens the CUDA driver's library and finds its functions. Formats the errors of all calls in the
 * same way. Makes a device's context current in the calling thread. */
#include "device/cuda/cuda_driver.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WHY = 512 };

struct cwi_cuda_driver cwi_cuda;

static struct {
  pthread_once_t once;
  int devices;
  char why[WHY];
} found = {.once = PTHREAD_ONCE_INIT};

/* Writes a result's code, name and meaning, such as "2, CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
 */
static void cuda_result_text(int result, char *text, size_t size)
{
  const char *name = NULL, *words = NULL;
  if (cwi_cuda.cuGetErrorName(result, &name) != CWI_CUDA_SUCCESS || name == NULL)
    name = "a result without a name";
  if (cwi_cuda.cuGetErrorString(result, &words) != CWI_CUDA_SUCCESS || words == NULL)
    words = "which this driver does not explain";
  snprintf(text, size, "%d, %s (%s)", result, name, words);
}

cw_error cwi_cuda_error(const struct cwi_cuda_device *device, const char *call, int result,
                        const char *more)
{
  char text[256];
  cuda_result_text(result, text, sizeof text);
  return cwi_outside("CUDA device %d (%s): %s returned %s%s", device->number, device->name, call,
                     text, more);
}

void cwi_cuda_error_text(const struct cwi_cuda_device *device, const char *call, int result)
{
  char text[256];
  if (result == CWI_CUDA_SUCCESS)
    return;
  cuda_result_text(result, text, sizeof text);
  cwi_log(CWI_LOG_INFO, "CUDA device %d (%s): %s returned %s", device->number, device->name, call,
          text);
}

cw_error cwi_cuda_enter(const struct cwi_cuda_device *device)
{
  return CWI_CUDA(device, cuCtxPushCurrent_v2, device->context);
}

cw_error cwi_cuda_leave(const struct cwi_cuda_device *device, cw_error error)
{
  cwi_cuda_leave_at_end(device, true);
  return error;
}

bool cwi_cuda_enter_to_end(const struct cwi_cuda_device *device)
{
  const int result = cwi_cuda.cuCtxPushCurrent_v2(device->context);
  cwi_cuda_error_text(device, "cuCtxPushCurrent_v2", result);
  return result == CWI_CUDA_SUCCESS;
}

void cwi_cuda_leave_at_end(const struct cwi_cuda_device *device, bool inside)
{
  void *context = NULL;
  if (inside)
    CWI_CUDA_END(device, cuCtxPopCurrent_v2, &context);
}

/* --- The library ------------------------------------------------------------------------------ */

static const struct cwi_symbol calls[] = {
#define X(name, ...) {#name, &cwi_cuda.name},
#include "device/cuda/cuda.def"
#undef X
    {NULL, NULL}};

static bool cuda_find_calls(void *library, const char *name)
{
  const char *missing = cwi_symbols_find(library, calls);
  if (missing != NULL)
    snprintf(found.why, WHY, "%s has no %s: CUDA 11 or later is needed", name, missing);
  return missing == NULL;
}

static bool cuda_accepted(const char *call, int result)
{
  char text[256];
  if (result == CWI_CUDA_SUCCESS)
    return true;
  cuda_result_text(result, text, sizeof text);
  snprintf(found.why, WHY, "%s returned %s", call, text);
  return false;
}

/* Opens the library. It is never closed, because it has threads of its own. */
static void cuda_open_library(void)
{
  const char *given = cwi_settings_text(cwi_settings.cuda_library);
  const char *name = *given != '\0' ? given : "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  int count = 0;
  if (library == NULL) {
    const char *reason = dlerror(); /* has the form "name: reason" */
    const char *colon = reason != NULL ? strstr(reason, ": ") : NULL;
    snprintf(found.why, WHY, "no %s (%.300s)", name, colon != NULL ? colon + 2 : "unknown");
    return;
  }
  if (!cuda_find_calls(library, name) || !cuda_accepted("cuInit", cwi_cuda.cuInit(0)) ||
      !cuda_accepted("cuDeviceGetCount", cwi_cuda.cuDeviceGetCount(&count)))
    return;
  found.devices = count;
  if (count == 0)
    snprintf(found.why, WHY, "the driver has no device");
}

int cwi_cuda_count(char *why, size_t size)
{
  pthread_once(&found.once, cuda_open_library);
  if (found.devices == 0)
    snprintf(why, size, "%s", found.why);
  return found.devices;
}
