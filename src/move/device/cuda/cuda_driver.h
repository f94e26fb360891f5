/* The CUDA driver: the functions of its library that the back end calls, and the form of their
 * errors. No toolkit is needed: the functions are declared here, as NVIDIA's driver API has had
 * them since CUDA 11, and looked up when a device is first needed. Members of cwi_cuda are named
 * like the library's functions.
 *
 * cuda_backend.c  the back end: memory, rows, queues, memory of other processes
 * cuda_driver.c   the driver's library, and its errors
 * cuda_program.c  programs and kernels */
#pragma once

#include "base/error.h"
#include "base/free_list.h"

#include "device/backend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t cwi_cuda_address;

/* Results that the back end handles. */
enum {
  CWI_CUDA_SUCCESS = 0,
  CWI_CUDA_INVALID_VALUE = 1,
  CWI_CUDA_NOT_FOUND = 500,
  CWI_CUDA_NOT_READY = 600,
  CWI_CUDA_ALREADY_PINNED = 712
};

/* The struct CUDA_MEMCPY2D of the driver, with its two halves. `kind` is 1 for host memory and 2
 * for device memory. */
struct cwi_cuda_side {
  size_t x, y;
  int kind;
  void *host;
  cwi_cuda_address address;
  void *array;
  size_t pitch;
};
struct cwi_cuda_rows {
  struct cwi_cuda_side from, to;
  size_t width, height;
};

struct cwi_cuda_driver {
#define X(name, ...) int (*name)(__VA_ARGS__);
#include "device/cuda/cuda.def"
#undef X
};

/* The functions may be called once cwi_cuda_count has found a device. */
extern struct cwi_cuda_driver cwi_cuda;

/* Returns the number of devices, like cwi_backend.count. The first call opens the library. */
int cwi_cuda_count(char *why, size_t size);

/* A device that is open. Its memories, ours or another process's, are addresses. */
struct cwi_cuda_device {
  int number;  /* from 1 */
  int ordinal; /* the driver's CUdevice */
  char name[128];
  size_t memory; /* total number of bytes */
  void *context;
  bool lent; /* true if the context is the program's, not the device's primary context */
  void *streams[CWI_DEVICE_QUEUES];
  void *ends[CWI_DEVICE_QUEUES];      /* [queues] events that `order` uses */
  struct cwi_free_list *spare_events; /* unused events, for reuse */
  struct cwi_cuda_pin *pins;          /* host memory that we registered */
};

/* Returns the CW_OUTSIDE error of a failed call. `more` is appended to the message. */
CWI_CHECKED cw_error cwi_cuda_error(const struct cwi_cuda_device *device, const char *call,
                                    int result, const char *more);

/* Logs an error at level CWI_LOG_INFO. Used for calls that release something, whose errors come
 * from earlier failures or have no effect. */
void cwi_cuda_error_text(const struct cwi_cuda_device *device, const char *call, int result);

/* CWI_CUDA calls a function of the driver and returns its error. CWI_CUDA_END only logs the error.
 */
#define CWI_CUDA(device, call, ...) cwi_cuda_check((device), #call, cwi_cuda.call(__VA_ARGS__))
#define CWI_CUDA_END(device, call, ...)                                                            \
  cwi_cuda_error_text((device), #call, cwi_cuda.call(__VA_ARGS__))

/* Returns CW_OK for CWI_CUDA_SUCCESS, otherwise the error of cwi_cuda_error. */
static inline CWI_CHECKED cw_error cwi_cuda_check(const struct cwi_cuda_device *device,
                                                  const char *call, int result)
{
  return CWI_LIKELY(result == CWI_CUDA_SUCCESS) ? CW_OK : cwi_cuda_error(device, call, result, "");
}

/* cwi_cuda_enter makes the device's context current in this thread. cwi_cuda_leave restores the
 * previous context, which the program may have set, and returns `error`. Calls that need a context
 * are made between the two. */
CWI_CHECKED cw_error cwi_cuda_enter(const struct cwi_cuda_device *device);
cw_error cwi_cuda_leave(const struct cwi_cuda_device *device, cw_error error);

/* Like cwi_cuda_enter and cwi_cuda_leave, but only log errors. Used to release something, which
 * must also work for a lost device. `inside` is the result of cwi_cuda_enter_to_end. */
bool cwi_cuda_enter_to_end(const struct cwi_cuda_device *device);
void cwi_cuda_leave_at_end(const struct cwi_cuda_device *device, bool inside);

/* cuda_program.c: programs and kernels, as in cwi_backend. */
cw_error cwi_cuda_build(void *device, const cw_kernel_source *source, void **program);
void cwi_cuda_drop(void *device, void *program);
cw_error cwi_cuda_find(void *device, void *program, const char *name, void **kernel);
cw_error cwi_cuda_launch(void *device, enum cwi_device_queue queue,
                         const struct cwi_device_launch *launch);
void cwi_cuda_leave_kernel(void *device, void *kernel);
