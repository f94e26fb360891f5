/* A fake CUDA driver, libfake_cuda.so, for tests without an NVIDIA device. CW_CUDA_LIBRARY names
 * it. Host memory simulates the device's memory, and threads its streams. It is stricter than a
 * driver:
 *
 * - a load or store through a device address faults;
 * - work of a stream is delayed at random (FAKE_CUDA_DELAY: microseconds at most, 200);
 * - without a current context calls return 201;
 * - misuse, and objects left at the end of the process, are printed and make the exit status 1:
 * memory freed while open elsewhere or in use, a leak, a context left current.
 *
 * FAKE_CUDA_DEVICES (2), FAKE_CUDA_MEMORY (bytes of each, 1 GiB). FAKE_CUDA_REFUSE=name:n[:code]:
 * the n-th call of that name fails, by default with 2; a call that releases something still does
 * so, like a driver that reports an earlier failure. FAKE_CUDA_LOSE=n: the device is lost at the
 * n-th call, and all calls return 719. FAKE_CUDA_FAIL=n: it is lost at the n-th copy or kernel.
 * FAKE_CUDA_IGNORE=name: the call succeeds and does nothing, to prove that tests notice.
 * FAKE_CUDA_NAMES=1: memory may get the name for other processes that freed memory had.
 *
 * A program that is linked with it calls these functions; others find them by fake_cuda_find. */
#pragma once

#include <causeway/device.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* Sets the functions that run in place of PTX entries of the same names; the library's own kernels
 * are known already. The caller keeps the table alive. */
void fake_cuda_functions(const cw_host_function *functions);

/* Like the variables, counted from now on; n 0 means none. Replaces the previous setting. */
void fake_cuda_fail_call(const char *name, int n, int code);
void fake_cuda_lose(int n);
void fake_cuda_fail(int n);

/* Lets every copy and kernel take this long; 0 for random delays by FAKE_CUDA_DELAY. */
void fake_cuda_slow(unsigned microseconds);

/* If true, no copy and no kernel begins until it is set to false. */
void fake_cuda_hold(bool held);

/* Sets the upper bound on the stride of 2D copies. */
void fake_cuda_pitch(size_t bytes);

/* Makes a lost device usable again. Called when none of its objects exist. */
void fake_cuda_heal(void);

/* Returns how often a call was made since the last fake_cuda_count_anew. */
int fake_cuda_count(const char *name);
void fake_cuda_count_anew(void);

/* Returns the number of existing objects: memory, streams, events, modules, registrations,
 * contexts. */
int fake_cuda_alive(void);

/* The driver's calls for contexts that are not primary, which the library does not use. The new
 * context becomes current. */
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPopCurrent_v2(void **context);

/* Returns one of the above functions from the loaded library that CW_CUDA_LIBRARY names, or NULL
 * for a real driver. */
static inline void *fake_cuda_find(const char *name)
{
  const char *path = getenv("CW_CUDA_LIBRARY");
  void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  return library != NULL ? dlsym(library, name) : NULL;
}

/* Calls fake_cuda_functions unless the driver is a real one. */
static inline void fake_cuda_give(const cw_host_function *functions)
{
  void (*give)(const cw_host_function *) = NULL;
  *(void **)(void *)&give = fake_cuda_find("fake_cuda_functions");
  if (give != NULL)
    give(functions);
}
