/* Causeway: memory of accelerators in transfers, and kernels on it.
 *
 * A process opens a device. Slices of regions may lie in its memory. Such a slice is named as any
 * other, by (process, address): put, get and accumulate of any shape work on it, whoever owns it,
 * and the owner need not take part. An address of device memory is never mapped: arithmetic on it
 * works, a load or store through it ends the program.
 *
 * Thread level of all calls: any, unless one says otherwise. Source:
 * ../../docs/reference/devices.md. */
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

/* Kinds of drivers. The host can always act as a device: its memory is separate, and only its own
 * threads access it. */
typedef enum cw_device_kind {
  CW_DEVICE_ANY = 0, /* an accelerator if there is one, else what OpenCL finds, else the host */
  CW_DEVICE_HOST = 1,
  CW_DEVICE_OPENCL = 2,
  CW_DEVICE_CUDA = 3,
  CW_DEVICE_KINDS = 4 /* number of kinds */
} cw_device_kind;

typedef struct cw_device_options {
  cw_device_kind kind; /* CW_DEVICE_ANY stands for the setting CW_DEVICE */
  int number; /* number among the devices of that kind, counted from 1; 0 stands for my rank on the
                 node, modulo their count */

  /* A context that the program has made. Causeway then allocates slices in this context. So a
   * kernel of the program can use them (cw_device_locate) together with memory of the program, and
   * cw_kernel_launch can pass memory of the program as a scalar: its cl_mem, or its CUdeviceptr.
   * The program keeps the context alive until cw_device_close; OpenCL's is retained until then.
   * With a context, `kind` is CW_DEVICE_OPENCL or CW_DEVICE_CUDA, and `number` is 0. */
  void *context; /* cl_context or CUcontext; if NULL, Causeway makes its own or uses CUDA's */
  void *native;  /* cl_device_id in the context; NULL if the context has only one, or for CUDA */
} cw_device_options;

/* Properties of a device. */
typedef struct cw_device_facts {
  cw_device_kind kind;
  int number; /* from 1, or 0 for a device of the program's own context, which cw_device_count does
                 not count */
  char name[128];   /* as its driver calls it */
  size_t memory;    /* bytes in all */
  size_t most;      /* upper bound on the bytes of a slice */
  bool processor;   /* the device is the processor that runs this process, or a similar one with
                       few, wide cores */
  size_t alignment; /* memory arguments of kernels begin at multiples of this number of bytes in a
                       slice */
  bool shared;      /* slices lie in host memory, which all processes of the node can load and store
                       (CW_DEVICE_SHARED) */
} cw_device_facts;

/* Counts the devices of a kind that this process may open.
 *
 * count: receives the number, for CW_DEVICE_ANY that of all kinds. why: NULL, or `size` bytes that
 * receive the reason why there are none, as a part of a sentence. Local. The first call opens the
 * driver's library. Errors: CW_MISUSE (unknown kind, count NULL). */
CW_CHECKED cw_error cw_device_count(cw_device_kind kind, int *count, char *why, size_t size);

/* Opens a device.
 *
 * options: NULL for any device. device: receives the device. Local.
 * Errors: CW_MISUSE (unknown kind, number below 0, device NULL; a context of a kind that has none,
 * or with a number; a context that its driver knows to be released, or that does not have the
 * device), CW_OUTSIDE (no such device; the message has the reason for each kind that was tried). */
CW_CHECKED cw_error cw_device_open(const cw_device_options *options, cw_device *device);

/* Closes a device and sets the handle to NULL; NULL does nothing. Local. Complete on return: all
 * its work has ended. cw_finalize closes open devices. Errors: CW_MISUSE (no device; it has slices
 * or kernels), CW_OUTSIDE (its work has failed; it is closed nevertheless). */
CW_CHECKED cw_error cw_device_close(cw_device *device);

/* Describes a device. Local. Errors: CW_MISUSE (no device, facts NULL). */
CW_CHECKED cw_error cw_device_describe(cw_device device, cw_device_facts *facts);

/* Allocates a region in which my slice lies on a device of mine.
 *
 * device: the device; NULL for host memory, as in cw_region_create. Members may differ. bytes,
 * region, addresses, completion: as cw_region_create. cw_region_free frees it. Collective over
 * team. Errors, on every member: CW_OUTSIDE (a member gets no memory; the message has the device's
 * limit), CW_MISUSE (a member's device is invalid). */
CW_CHECKED cw_error cw_region_create_on(cw_team team, cw_device device, size_t bytes,
                                        cw_region *region, void **addresses);

/* Transfer contiguous memory between `mine` and (process, remote), and wait. mine: an address in a
 * slice of this process on a device. remote: in host memory or on a device. For transfers of any
 * shape, set cw_transfer.local_device; its error messages call `mine` local.
 *
 * Local. Completion and order as cw_put, cw_get and cw_accumulate.
 * Errors as there; also CW_MISUSE (mine is not in a device slice of this process). */
CW_CHECKED cw_error cw_device_put(const void *mine, void *remote, size_t bytes, int process);
CW_CHECKED cw_error cw_device_get(void *mine, const void *remote, size_t bytes, int process);
CW_CHECKED cw_error cw_device_accumulate(cw_type type, const void *scale, const void *mine,
                                         void *remote, size_t bytes, int process);

/* An address as the driver names it. */
typedef struct cw_device_location {
  cw_device device;
  void *buffer;     /* the cl_mem for OpenCL, else NULL */
  size_t offset;    /* bytes from its start, for OpenCL */
  uint64_t address; /* CUDA: the CUdeviceptr; host: the address that the device's own threads use;
                       OpenCL: 0 */
} cw_device_location;

/* Returns the driver's name for an address in a device slice of mine. Local.
 * Errors: CW_MISUSE (not in a device slice of this process, location NULL). */
CW_CHECKED cw_error cw_device_locate(const void *mine, cw_device_location *location);

/* A kernel on the host, which runs all work items. arguments[i]: address of memory argument i or of
 * scalar i. */
typedef void (*cw_host_kernel)(void *const *arguments, const size_t global[3]);

typedef struct cw_host_function {
  const char *name;
  cw_host_kernel function;
} cw_host_function;

/* A program for each kind of device; NULL if there is none. */
typedef struct cw_kernel_source {
  const char *opencl;                /* OpenCL C */
  const char *options;               /* options of its compiler, or NULL */
  const char *ptx;                   /* CUDA */
  const cw_host_function *functions; /* for the host; the last name is NULL */
} cw_kernel_source;

typedef struct cwi_kernel *cw_kernel;

/* Builds a kernel for a device. kernel: receives it. Local. Complete on return: texts and tables
 * may be freed. Equal sources are built once. Errors: CW_MISUSE (no device; no program for its
 * kind; no kernel of that name), CW_OUTSIDE (it does not compile; the message ends with the
 * compiler's log). */
CW_CHECKED cw_error cw_kernel_create(cw_device device, const cw_kernel_source *source,
                                     const char *name, cw_kernel *kernel);

/* Frees a kernel and sets the handle to NULL; NULL does nothing. Local. Errors: CW_MISUSE. */
CW_CHECKED cw_error cw_kernel_free(cw_kernel *kernel);

/* An argument of a kernel: memory in a device slice of mine, or a scalar. */
typedef struct cw_kernel_argument {
  const void *memory; /* address in a device slice of mine, or NULL for a scalar */
  const void *scalar;
  size_t bytes; /* of the scalar: 1 to 4096 */
} cw_kernel_argument;

typedef struct cw_kernel_launch_options {
  const cw_kernel_argument *arguments;
  int count;
  size_t global[3]; /* work items in each dimension; 0 stands for 1 */
  size_t
      local[3]; /* work items of a group, which divide `global`; if all are 0, the device chooses */
} cw_kernel_launch_options;

/* Starts a kernel. The kernels of a device run in the order of their launches, after all transfers
 * that were complete before the launch. A kernel has exactly `global` work items on every kind of
 * device, so it need not compare its index with a bound. CUDA starts whole blocks, whose size must
 * divide `global`. If `local` is all 0, the first number of `global` should therefore be a multiple
 * of 32; a prime number is slow. Local. Not complete on return: cw_device_finish waits. Errors:
 * CW_MISUSE (no kernel; a memory argument outside device slices of mine, or not aligned as
 * cw_device_facts says), CW_OUTSIDE. */
CW_CHECKED cw_error cw_kernel_launch(cw_kernel kernel, const cw_kernel_launch_options *launch);

/* Waits until the device has done all its work. After this call and a barrier, others can read what
 * my kernels have written. Local. Errors: CW_MISUSE (no device), CW_OUTSIDE (a kernel failed). */
CW_CHECKED cw_error cw_device_finish(cw_device device);

#ifdef __cplusplus
}
#endif
#endif
