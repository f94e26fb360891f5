/* Devices that this process has opened, and slices of regions in their memory.
 *
 * A slice has device addresses (memory/device_address.h). The threads of the owner's process access
 * the slice directly; the owner's agent accesses it for other processes. Node peers can access it
 * themselves if the driver can export memory. If the device is the processor, its slices may be
 * shared. A shared slice is a slice of the zone, which all processes of the node access by loads
 * and stores. The device uses that memory, too.
 *
 * device.c           open devices: their list, their facts, waiting for them
 * device_open.c      opening, closing, the list of back ends
 * device_program.c   programs and kernels
 * device_slices.c    this process's slices and their addresses
 * imported_slices.c  slices of node peers that this process accesses itself
 * library_kernels.c  launches of the library's own kernels: library_kernels.cl
 * shared_slices.c    slices in host memory, for devices that are the processor
 * slice_uses.c       transfers in progress, which a thread that frees a slice waits for */
#pragma once

#include "device/backend.h"
#include "device/library_kernels.h"
#include "transfer/transfer.h"

#include <pthread.h>

enum { CWI_DEVICE_SCRATCH = 1 << 19 };

/* A program that has been built for a device. */
struct cwi_device_program {
  cw_kernel_source source; /* copy of the source that it was built from */
  void *program;
  size_t kernels; /* number of its kernels that exist */
  struct cwi_device_program *next;
};

/* A scratch buffer for packed data: pinned host memory and memory of the device. */
struct cwi_device_scratch {
  pthread_mutex_t lock;
  char *host;
  void *memory; /* NULL until it is made */
};

/* A pinned buffer in the zone, used for the data of one transfer at a time. */
enum { CWI_DEVICE_STAGE = 1 << 23 };
struct cwi_device_stage {
  pthread_mutex_t lock;
  char *host; /* NULL until it is made */
};

/* A device that is open. */
struct cwi_device {
  const struct cwi_backend *backend;
  void *opened;
  cw_device_facts facts;
  pthread_mutex_t
      lock; /* guards calls of the back end; held only briefly, never while the thread waits */
  struct cwi_device_scratch in, out; /* for transfers */
  /* Scratch buffers for commands that wait for kernels, which may run for a long time. */
  struct cwi_device_scratch within, sums; /* for copies within the device and for dot products */
  struct cwi_device_stage stage;
  struct cwi_device_program *programs;
  struct cwi_device_program *own; /* program of library_kernels.cl; NULL until it is built */
  void *own_kernels[CWI_KERNELS]; /* each is NULL until it is looked up */
  size_t slices, kernels;         /* numbers of existing slices and kernels; guarded by the
                                     threads' lock */
  bool
      closing; /* true once a thread has begun to close the device; other calls are then rejected */
  bool agent_pinned; /* the agent's buffers are pinned for this device */
  bool imports;      /* imported_slices.c may open slices of node peers through this device */
};

/* Allocates the record of a device that is not yet open, or returns NULL if there is no memory.
 * cwi_device_end frees it. */
cw_device cwi_device_make(void);
void cwi_device_end(cw_device device);
cw_device cwi_device_next(cw_device device); /* iterates like cwi_object_next */

/* Checks that `device` is open. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_device(cw_device device);

/* A slice of this process, or an imported slice of a node peer. */
struct cwi_device_slice {
  cw_device device;
  void *memory;
  char *address;
  size_t bytes;
  bool kept;                 /* a mapping without access reserves its addresses */
  bool shared;               /* its memory is in the zone */
  bool is_hidden;            /* lookups no longer find it */
  unsigned char *may_import; /* [processes of this node] nonzero for each process that may have
                                imported the slice */
};

/* Allocates a slice of at least one byte on a device. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_slice_make(cw_device device, size_t bytes, char **address);

/* cwi_device_slice_hide begins to free the slice at `address`: it hides the slice from lookups and
 * waits for the transfers that use it. It returns NULL if there is no slice. cwi_device_slice_free
 * then frees the slice. Until then no other slice gets its addresses. */
struct cwi_device_slice *cwi_device_slice_hide(const char *address);
void cwi_device_slice_free(struct cwi_device_slice *slice);

/* Checks that a slice of `bytes` bytes is not larger than the device allows. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_fits(cw_device device, size_t bytes);

/* Adds `more` to the number of slices and other memories that keep the device open. `more` is -1
 * when one is freed. */
void cwi_device_count_slices(cw_device device, int more);

/* Waits until all present commands of the device have ended, because the program's kernels may use
 * the memory. Then frees the memory. */
void cwi_device_release(cw_device device, void *memory);

/* Decides whether slices of a newly opened device are shared, and sets facts.shared. */
void cwi_device_choose_memory(cw_device device);

/* cwi_device_share lets a device use memory of the zone as a shared slice. `device` is a cw_device;
 * its type is void * because the function is a callback. Errors: CW_OUTSIDE. cwi_device_unshare
 * removes the slice from the table of shared slices. */
CWI_CHECKED cw_error cwi_device_share(void *device, char *address, size_t bytes);
void cwi_device_unshare(const struct cwi_device_slice *slice);

/* Returns the shared slice that contains the address, or NULL if there is none. */
const struct cwi_device_slice *cwi_device_shared_at(const void *address);

/* A use of slices by a transfer. A thread that moves data begins a use before it looks up the
 * slices. Until the use ends, slices that it finds in the address ranges of the use are not freed.
 * cwi_device_use_begin never waits. The struct must not be copied while the use lasts. */
struct cwi_device_use {
  struct cwi_extent sides[2]; /* address ranges of the two sides; {0} if unused */
  uint64_t number;            /* position in the common order of uses and hidden slices */
  struct cwi_device_use *before, *next;
};
void cwi_device_use_begin(struct cwi_device_use *use);
void cwi_device_use_end(struct cwi_device_use *use);

/* Hides the slice from lookups, and waits until all uses that may have found it have ended. */
void cwi_device_use_up(struct cwi_device_slice *slice);

/* Returns this process's slice that may contain the address, or NULL if there is none. The caller
 * checks the slice's size. */
const struct cwi_device_slice *cwi_device_slice_at(const void *address);

/* Finds this process's slice that contains all `bytes` bytes at `address`. `name` is the argument's
 * name for messages. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_slice_find(const char *name, const void *address, size_t bytes,
                                           const struct cwi_device_slice **slice);

/* Finds this process's slice that contains all bytes of an extent. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_device_slice_of(const char *name, struct cwi_extent extent,
                                         const struct cwi_device_slice **slice);

/* Does a checked transfer between host memory and this process's slices or, if it is not NULL, the
 * imported slice transfer->place.imported. The transfer is complete on return. Errors: CW_MISUSE
 * (outside the slices), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_transfer_run(const struct cwi_transfer *transfer);

/* cwi_device_may_copy returns true if copies within one device can do a transfer between slices of
 * this process, or between them and the imported slice transfer->place.imported. cwi_device_copy
 * then does the transfer, which is complete on return. Errors: CW_MISUSE, CW_OUTSIDE. */
bool cwi_device_may_copy(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_device_copy(const struct cwi_transfer *transfer);

/* Waits for the present commands of a queue. The caller has locked the device; this function
 * unlocks it. `error` is the result of enqueueing commands. The function waits even if that is an
 * error, because commands that were enqueued earlier may use host memory. A waiting thread lets MPI
 * progress, and reports the wait after CW_WAIT_REPORT seconds. */
CWI_CHECKED cw_error cwi_device_pass(cw_device device, enum cwi_device_queue queue, cw_error error);

/* Allocates the two parts of a scratch buffer if they do not exist. The caller holds scratch->lock.
 */
CWI_CHECKED cw_error cwi_device_scratch_make(cw_device device, struct cwi_device_scratch *scratch);

/* cwi_device_pin pins host memory that many transfers use, so that copies are faster and do not
 * block the caller. If the driver cannot pin the memory, copies still work. The memory must consist
 * of whole pages. It stays pinned until cwi_device_unpin is called or the device is closed. */
void cwi_device_pin(cw_device device, void *host, size_t bytes);
void cwi_device_unpin(cw_device device, void *host);

/* Pins the buffers of this process's agent for the device, once. Copies by the agent then do not
 * block in the driver, and the driver needs no buffer of its own for them. */
void cwi_device_pin_agent(cw_device device);

/* Allocates the device's stage, once, if the back end pins memory. Transfers also work without a
 * stage. */
void cwi_device_stage_make(cw_device device);

/* cwi_device_stage_take returns the device's stage of CWI_DEVICE_STAGE bytes. No other thread gets
 * it until the caller calls cwi_device_stage_give. It returns NULL if another thread has the stage
 * or there is none. */
char *cwi_device_stage_take(cw_device device);
void cwi_device_stage_give(cw_device device);

/* Frees all kernels. */
void cwi_device_kernels_end(void);

/* Waits until all queues have run their commands. Returns the first error. */
CWI_CHECKED cw_error cwi_device_finish(cw_device device);

/* Allocates device memory that is not a slice and has no addresses. The device cannot be closed
 * before cwi_device_memory_give has freed the memory. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_memory_take(cw_device device, size_t bytes, void **memory);
void cwi_device_memory_give(cw_device device, void *memory);

/* Checks the sizes of a launch and stores them in *launch. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_launch_sizes(const cw_kernel_launch_options *given,
                                      struct cwi_device_launch *launch);

/* Enqueues a program's kernel in CWI_QUEUE_WORK. Ignores launch->kernel. The device is locked. */
CWI_CHECKED cw_error cwi_kernel_start(cw_kernel kernel, const struct cwi_device_launch *launch);

/* cwi_device_leave and cwi_device_arrive are the two halves of cwi_device_pass. After
 * cwi_device_leave the caller must call cwi_device_arrive, even after an error. If the device
 * cannot record an event, cwi_device_leave waits for all commands of the queue. */
struct cwi_device_crossing {
  cw_device device; /* NULL if nothing is pending */
  void *event;
  struct cwi_device_use use; /* use of the transfer's slices */
};
CWI_CHECKED cw_error cwi_device_leave(cw_device device, enum cwi_device_queue queue, cw_error error,
                                      struct cwi_device_crossing *crossing);
CWI_CHECKED cw_error cwi_device_arrive(struct cwi_device_crossing *crossing);

/* Like cwi_device_transfer_run, but only starts the transfer. The same thread must then call
 * cwi_device_await, even after an error. *crossing must be zero before the start and must not be
 * copied. The slices are not freed before cwi_device_await has returned. */
CWI_CHECKED cw_error cwi_device_start(const struct cwi_transfer *transfer,
                                      struct cwi_device_crossing *crossing);
CWI_CHECKED cw_error cwi_device_await(struct cwi_device_crossing *crossing);

/* Frees all programs of a device and the library's own kernels on it. The kernels of
 * cw_kernel_create have already been freed. */
void cwi_device_programs_drop(cw_device device);

/* Returns one of the library's own kernels. The device is locked. */
CWI_CHECKED cw_error cwi_device_own_kernel(cw_device device, enum cwi_kernel_number number,
                                           void **kernel);
