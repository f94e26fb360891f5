/* The fake driver's devices, their primary contexts and those that programs create, and its errors
 * by name. */
#include "device/fake_cuda/fake.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEVICES = 16, MOST_CONTEXTS = MOST_DEVICES + 8, DEPTH = 8 };

bool fake_started;
static int retained[MOST_CONTEXTS]; /* indexed by context; its handle denotes this index. Primary
                                       ones come first */
static int made_for[MOST_CONTEXTS]; /* its device */
static __thread int stack[DEPTH], depth;

static int device_count(void)
{
  const long count = fake_number("FAKE_CUDA_DEVICES", 2);
  return count < MOST_DEVICES ? (int)count : MOST_DEVICES;
}

bool fake_has_context(void)
{
  return depth > 0 && retained[stack[depth - 1]] > 0;
}

int fake_device_now(void)
{
  return made_for[stack[depth - 1]];
}

int fake_contexts_left(void)
{
  int left = depth;
  for (int i = 0; i < MOST_CONTEXTS; i++)
    left += retained[i];
  return left;
}

static bool device_is(int device)
{
  return device >= 0 && device < device_count();
}

int cuInit(unsigned flags)
{
  FAKE_BEGIN(NEED_NOTHING);
  fake_started = flags == 0;
  return fake_leave(flags == 0 ? FAKE_OK : FAKE_INVALID_VALUE);
}

int cuDeviceGetCount(int *count)
{
  FAKE_BEGIN(NEED_START);
  *count = device_count();
  return fake_leave(FAKE_OK);
}

int cuDeviceGet(int *device, int number)
{
  FAKE_BEGIN(NEED_START);
  if (!device_is(number))
    return fake_leave(FAKE_INVALID_DEVICE);
  *device = number;
  return fake_leave(FAKE_OK);
}

int cuDeviceGetName(char *name, int size, int device)
{
  FAKE_BEGIN(NEED_START);
  if (!device_is(device))
    return fake_leave(FAKE_INVALID_DEVICE);
  snprintf(name, (size_t)size, "fake device %d", device + 1);
  return fake_leave(FAKE_OK);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
  FAKE_BEGIN(NEED_START);
  if (!device_is(device))
    return fake_leave(FAKE_INVALID_DEVICE);
  *bytes = (size_t)fake_number("FAKE_CUDA_MEMORY", 1L << 30);
  return fake_leave(FAKE_OK);
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
  FAKE_BEGIN(NEED_START);
  if (!device_is(device))
    return fake_leave(FAKE_INVALID_DEVICE);
  retained[device]++;
  made_for[device] = device;
  *context = &retained[device];
  return fake_leave(FAKE_OK);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
  FAKE_BEGIN_END(NEED_START);
  if (!device_is(device) || retained[device] == 0) {
    fake_misused("cuDevicePrimaryCtxRelease_v2: device %d has no context", device);
    return fake_leave(FAKE_INVALID_CONTEXT);
  }
  retained[device]--;
  return fake_leave(result);
}

/* Returns the index of a context, or MOST_CONTEXTS if it does not exist. */
static int place_of(const void *context)
{
  int place = 0;
  while (place < MOST_CONTEXTS && (context != &retained[place] || retained[place] == 0))
    place++;
  return place;
}

/* The new context becomes current, as with a real driver. */
int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
  FAKE_BEGIN(NEED_START);
  int place = MOST_DEVICES;
  while (place < MOST_CONTEXTS && retained[place] > 0)
    place++;
  if (!device_is(device) || place == MOST_CONTEXTS || depth == DEPTH)
    return fake_leave(FAKE_INVALID_DEVICE);
  (void)flags;
  retained[place] = 1;
  made_for[place] = device;
  stack[depth++] = place;
  *context = &retained[place];
  return fake_leave(FAKE_OK);
}

int cuCtxDestroy_v2(void *context)
{
  FAKE_BEGIN_END(NEED_START);
  const int place = place_of(context);
  if (place < MOST_DEVICES || place == MOST_CONTEXTS) {
    fake_misused("cuCtxDestroy_v2: %p is no context that a program has made", context);
    return fake_leave(FAKE_INVALID_CONTEXT);
  }
  if (depth > 0 && stack[depth - 1] == place)
    depth--;
  retained[place] = 0;
  return fake_leave(result);
}

int cuCtxGetDevice(int *device)
{
  FAKE_BEGIN(NEED_CONTEXT);
  *device = fake_device_now();
  return fake_leave(FAKE_OK);
}

int cuCtxPushCurrent_v2(void *context)
{
  FAKE_BEGIN(NEED_START);
  const int place = place_of(context);
  if (place == MOST_CONTEXTS || depth == DEPTH)
    return fake_leave(FAKE_INVALID_CONTEXT);
  stack[depth++] = place;
  return fake_leave(FAKE_OK);
}

int cuCtxPopCurrent_v2(void **context)
{
  FAKE_BEGIN_END(NEED_CONTEXT);
  if (depth > 0)
    *context = &retained[stack[--depth]];
  return fake_leave(result);
}

static const struct {
  int result;
  const char *name, *text;
} results[] = {
    {FAKE_OK, "CUDA_SUCCESS", "no error"},
    {FAKE_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {FAKE_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {FAKE_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {FAKE_INVALID_DEVICE_FUNCTION, "CUDA_ERROR_INVALID_DEVICE_FUNCTION", "invalid device function"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {FAKE_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {FAKE_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {FAKE_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {FAKE_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {FAKE_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {FAKE_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {FAKE_ALREADY_PINNED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {FAKE_NOT_PINNED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {FAKE_LOST, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static int result_place(int result)
{
  for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
    if (results[i].result == result)
      return (int)i;
  return -1;
}

int cuGetErrorName(int code, const char **name)
{
  FAKE_BEGIN(NEED_NOTHING);
  const int place = result_place(code);
  *name = place >= 0 ? results[place].name : NULL;
  return fake_leave(place >= 0 ? FAKE_OK : FAKE_INVALID_VALUE);
}

int cuGetErrorString(int code, const char **text)
{
  FAKE_BEGIN(NEED_NOTHING);
  const int place = result_place(code);
  *text = place >= 0 ? results[place].text : NULL;
  return fake_leave(place >= 0 ? FAKE_OK : FAKE_INVALID_VALUE);
}
