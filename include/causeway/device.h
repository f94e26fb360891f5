/* Causeway: memory of accelerators in transfers, and kernels on it.
 *
 * A process opens a device. Slices of regions may lie in its memory. Such a slice is named as any
 * other, by (process, address): put, get and accumulate of any shape work on it, whoever owns it,
 * and the owner need not take part. An address of device memory is never mapped: arithmetic on it
 * works, a load or store through it ends the program.
 *
 * Thread level of all calls: any, unless one says otherwise. Source: ../../docs/devices.md. */
#ifndef CAUSEWAY_DEVICE_H
#define CAUSEWAY_DEVICE_H

#include <causeway/error.h>
#include <causeway/memory.h>
#include <causeway/team.h>
#include <causeway/transfer.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A device that this process has opened; NULL stands for "no device", which is the host. */
typedef struct cwi_device *cw_device;

/* What drives a device. The host can always play one: its memory is apart, and only its own threads
 * touch it. */
typedef enum cw_device_kind {
  CW_DEVICE_ANY = 0, /* an accelerator if there is one, else what OpenCL finds, else the host */
  CW_DEVICE_HOST = 1,
  CW_DEVICE_OPENCL = 2,
  CW_DEVICE_CUDA = 3,
  CW_DEVICE_KINDS = 4 /* how many stand above */
} cw_device_kind;

typedef struct cw_device_options {
  cw_device_kind kind; /* CW_DEVICE_ANY: as CW_DEVICE says */
  int number; /* among the devices of that kind, from 1; 0: my rank on the node modulo them */

  /* A context that the program has made, for its own device in it: slices are made there, so that
   * a kernel of the program's takes them (cw_device_locate) together with memory of the program's,
   * and cw_kernel_launch takes such memory as a scalar: its cl_mem, or its CUdeviceptr. The program
   * keeps the context alive until cw_device_close; OpenCL's is retained until then. `kind` says
   * whose it is, OpenCL's or CUDA's, and `number` is 0. */
  void
      *context; /* cl_context or CUcontext; NULL: Causeway makes its own, or takes CUDA's primary */
  void *native; /* cl_device_id, of the context; NULL: its only device, or CUDA */
} cw_device_options;

/* What is known of a device. */
typedef struct cw_device_facts {
  cw_device_kind kind;
  int number;       /* from 1; 0: of a context of the program's, and none of cw_device_count's */
  char name[128];   /* as its driver calls it */
  size_t memory;    /* bytes in all */
  size_t most;      /* bytes of one slice at most */
  bool processor;   /* it is the processor that runs this process, or its like: few wide cores */
  size_t alignment; /* bytes: where a memory argument of a kernel may begin in a slice */
  bool shared;      /* slices lie in host memory, which all load and store (CW_DEVICE_SHARED) */
} cw_device_facts;

/* How many devices of a kind may this process open?
 *
 * count: receives the number; CW_DEVICE_ANY: of all kinds. why: NULL, or `size` bytes that receive
 * why there are none, as a part of a sentence. Local. The first call opens the driver's library.
 * Errors: CW_MISUSE (unknown kind, count NULL). */
CW_CHECKED cw_error cw_device_count(cw_device_kind kind, int *count, char *why, size_t size);

/* Open a device.
 *
 * options: NULL: any. device: receives it. Local.
 * Errors: CW_MISUSE (unknown kind, number below 0, device NULL; a context of a kind that has none,
 * or with a number; a context that does not live, as far as its driver tells, or does not have the
 * device), CW_OUTSIDE (no such device; the sentence says why each kind that was tried cannot be
 * used). */
CW_CHECKED cw_error cw_device_open(const cw_device_options *options, cw_device *device);

/* Close a device and set the handle to NULL; NULL does nothing. Local. Complete on return: what it
 * was given has ended. cw_finalize closes what is open. Errors: CW_MISUSE (no device; slices or
 * kernels of it live), CW_OUTSIDE (what it was given has failed: it is closed all the same). */
CW_CHECKED cw_error cw_device_close(cw_device *device);

/* What is known of a device. Local. Errors: CW_MISUSE (no device, facts NULL). */
CW_CHECKED cw_error cw_device_describe(cw_device device, cw_device_facts *facts);

/* Allocate a region of which my slice lies on a device of mine.
 *
 * device: my slice's; NULL: host memory, as cw_region_create. Members may differ. bytes, region,
 * addresses, completion: as cw_region_create. cw_region_free frees it.
 * Collective over team. Errors, on every member: CW_OUTSIDE (a member gets no memory: the sentence
 * has the device's limit), CW_MISUSE (a member's device is none). */
CW_CHECKED cw_error cw_region_create_on(cw_team team, cw_device device, size_t bytes,
                                        cw_region *region, void **addresses);

/* Contiguous blocking transfers whose side here lies on a device of mine: `bytes` bytes at `mine`,
 * an address in a slice of this process, and at (process, remote), in host memory or on a device.
 * cw_transfer.local_device says the same for transfers of any shape; its sentences call it local.
 *
 * Local. Completion and order as cw_put, cw_get and cw_accumulate.
 * Errors as there; also CW_MISUSE (mine is not in a device slice of this process). */
CW_CHECKED cw_error cw_device_put(const void *mine, void *remote, size_t bytes, int process);
CW_CHECKED cw_error cw_device_get(void *mine, const void *remote, size_t bytes, int process);
CW_CHECKED cw_error cw_device_accumulate(cw_type type, const void *scale, const void *mine,
                                         void *remote, size_t bytes, int process);

/* What a driver calls an address. */
typedef struct cw_device_location {
  cw_device device;
  void *buffer;     /* OpenCL: the cl_mem; else NULL */
  size_t offset;    /* OpenCL: bytes from its start */
  uint64_t address; /* CUDA: CUdeviceptr; host: where the device's own threads find it; else 0 */
} cw_device_location;

/* What the driver calls an address in a device slice of mine. Local.
 * Errors: CW_MISUSE (not in a device slice of this process, location NULL). */
CW_CHECKED cw_error cw_device_locate(const void *mine, cw_device_location *location);

/* A kernel on the host: runs all work items. arguments[i]: where memory argument i begins, or where
 * scalar i stands. */
typedef void (*cw_host_kernel)(void *const *arguments, const size_t global[3]);

typedef struct cw_host_function {
  const char *name;
  cw_host_kernel function;
} cw_host_function;

/* One program for each kind of device; NULL where there is none. */
typedef struct cw_kernel_source {
  const char *opencl;                /* OpenCL C */
  const char *options;               /* of its compiler; NULL: none */
  const char *ptx;                   /* CUDA */
  const cw_host_function *functions; /* host; ends with a name that is NULL */
} cw_kernel_source;

typedef struct cwi_kernel *cw_kernel;

/* Build a kernel for a device. kernel: receives it. Local. Complete on return: texts and tables may
 * go. Equal sources are built once.
 * Errors: CW_MISUSE (no device; no program for its kind; no kernel of that name), CW_OUTSIDE (it
 * does not compile: the sentence ends with the compiler's log). */
CW_CHECKED cw_error cw_kernel_create(cw_device device, const cw_kernel_source *source,
                                     const char *name, cw_kernel *kernel);

/* Free a kernel and set the handle to NULL; NULL does nothing. Local. Errors: CW_MISUSE. */
CW_CHECKED cw_error cw_kernel_free(cw_kernel *kernel);

/* An argument of a kernel: memory in a device slice of mine, or a scalar. */
typedef struct cw_kernel_argument {
  const void *memory; /* address in a device slice of mine; NULL: it is a scalar */
  const void *scalar;
  size_t bytes; /* of the scalar: 1 to 4096 */
} cw_kernel_argument;

typedef struct cw_kernel_launch_options {
  const cw_kernel_argument *arguments;
  int count;
  size_t global[3]; /* work items in each dimension; 0: 1 */
  size_t local[3];  /* work items of a group; all 0: the device's choice; each divides `global` */
} cw_kernel_launch_options;

/* Start a kernel. Kernels of a device run in order, after the transfers that were complete before.
 * It has exactly `global` work items on every kind of device: it need not compare its index with
 * a bound. CUDA starts whole blocks, which divide `global`: where `local` is all 0, a first number
 * that is a multiple of 32 is fast, a prime one slow.
 * Local. Not complete on return: cw_device_finish waits. Errors: CW_MISUSE (no kernel; a memory
 * argument outside device slices of mine, or not aligned as cw_device_facts says), CW_OUTSIDE. */
CW_CHECKED cw_error cw_kernel_launch(cw_kernel kernel, const cw_kernel_launch_options *launch);

/* Wait until the device has done all that it was given. Afterwards, and after a barrier, others
 * read what my kernels have written. Local. Errors: CW_MISUSE (no device), CW_OUTSIDE (a kernel
 * failed). */
CW_CHECKED cw_error cw_device_finish(cw_device device);

#ifdef __cplusplus
}
#endif
#endif
