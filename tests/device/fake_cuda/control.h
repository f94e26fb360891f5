/* A CUDA driver that is none: libfake_cuda.so, for tests where no NVIDIA device is. CW_CUDA_LIBRARY
 * names it. The host's memory plays the device's, threads its streams. It is stricter than a
 * driver:
 *
 * - a load or store through a device address faults;
 * - work of a stream comes late, by random delays (FAKE_CUDA_DELAY: microseconds at most, 200);
 * - without a current context calls return 201;
 * - what it sees misused, and what is left at the end of the process, is printed there, and the
 * exit status is 1: freed while open elsewhere or in use, a leak, a context left current.
 *
 * FAKE_CUDA_DEVICES (2), FAKE_CUDA_MEMORY (bytes of each, 1 GiB). FAKE_CUDA_REFUSE=name:n[:code]:
 * the n-th call of that name fails, by default with 2; a call that frees something does it all the
 * same, as a driver's that reports an earlier failure. FAKE_CUDA_LOSE=n: from the n-th call on the
 * device is lost, and all calls return 719. FAKE_CUDA_FAIL=n: so it is from the n-th copy or kernel
 * on. FAKE_CUDA_IGNORE=name: the call succeeds and does nothing, to prove that tests notice.
 * FAKE_CUDA_NAMES=1: memory may have the name for other processes that freed memory had.
 *
 * A program that is linked with it calls these; others find them by fake_cuda_find. */
#ifndef FAKE_CUDA_CONTROL_H
#define FAKE_CUDA_CONTROL_H

#include <causeway/device.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* What runs where PTX has entries of these names; the library's own kernels are known. The table
 * stays the caller's, and must live. */
void fake_cuda_functions(const cw_host_function *functions);

/* As the variables, counted from now on; n 0: none. They end what was asked for before. */
void fake_cuda_refuse(const char *name, int n, int code);
void fake_cuda_lose(int n);
void fake_cuda_fail(int n);

/* Every copy and kernel takes so long; 0: by FAKE_CUDA_DELAY. */
void fake_cuda_slow(unsigned microseconds);

/* No copy and no kernel begins, until it is false again. */
void fake_cuda_hold(bool held);

/* The longest stride of 2D copies. */
void fake_cuda_pitch(size_t bytes);

/* The device is as new: what was lost is found. For use when nothing of it lives. */
void fake_cuda_heal(void);

/* How often a call was made since the last fake_cuda_count_anew. */
int fake_cuda_count(const char *name);
void fake_cuda_count_anew(void);

/* How many things live: memory, streams, events, modules, registrations, contexts. */
int fake_cuda_alive(void);

/* The driver's own calls for contexts that are not primary, which the library does not call: the
 * new one is current. */
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPopCurrent_v2(void **context);

/* One of the above, in the library that CW_CUDA_LIBRARY names and that is loaded; NULL: it is a
 * real driver. */
static inline void *fake_cuda_find(const char *name)
{
  const char *path = getenv("CW_CUDA_LIBRARY");
  void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  return library != NULL ? dlsym(library, name) : NULL;
}

/* fake_cuda_functions, where it is not the real driver. */
static inline void fake_cuda_give(const cw_host_function *functions)
{
  void (*give)(const cw_host_function *) = NULL;
  *(void **)(void *)&give = fake_cuda_find("fake_cuda_functions");
  if (give != NULL)
    give(functions);
}
#endif
