/* Devices that this process has opened, and slices of regions in their memory.
 *
 * A slice has addresses of memory/device_address.h. The threads of its owner's process reach it
 * directly; for other processes the owner's agent does. Node peers may reach it themselves if the
 * driver can export memory. If the device is the processor, its slices may be shared: they are
 * slices of the zone, which all processes of the node reach as such, and the device uses that
 * memory.
 *
 * device.c           open devices: their list, their facts, waiting for them
 * device_open.c      opening, closing, the list of back ends
 * device_program.c   programs and kernels
 * device_slices.c    this process's slices and their addresses
 * imported_slices.c  slices of node peers that this process reaches itself
 * library_kernels.c  launches of the library's own kernels: library_kernels.cl
 * shared_slices.c    slices in host memory, for devices that are the processor
 * slice_uses.c       transfers in progress, which a thread that frees a slice waits for */
#ifndef CWI_DEVICE_DEVICE_H
#define CWI_DEVICE_DEVICE_H

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

/* Buffers for packed data: one on the host, pinned, and one on the device. */
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
      lock; /* guards calls of the back end; held briefly, no thread waits while it holds it */
  struct cwi_device_scratch in, out; /* of transfers */
  /* Scratches for commands that wait behind kernels, which may run long. */
  struct cwi_device_scratch within, sums; /* of copies and dot products */
  struct cwi_device_stage stage;
  struct cwi_device_program *programs;
  struct cwi_device_program *own; /* program of library_kernels.cl; NULL until it is built */
  void *own_kernels[CWI_KERNELS]; /* NULL until they are looked up */
  size_t slices, kernels;         /* numbers of those that exist */
  bool closing;      /* true once a thread has begun to close it: other calls are rejected */
  bool agent_pinned; /* the agent's buffers are pinned for this device */
  bool imports;      /* imported_slices.c opens slices of node peers through it */
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
  bool kept;                 /* its addresses are reserved by a mapping without access */
  bool shared;               /* it is in the zone */
  bool is_hidden;            /* lookups no longer find it */
  unsigned char *may_import; /* [processes of this node] true for those that may have imported it */
};

/* Allocate a slice of at least one byte on a device. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_slice_make(cw_device device, size_t bytes, char **address);

/* Begins to free the slice at `address`: hides it from lookups and waits for the transfers that use
 * it. Returns NULL if there is no slice. cwi_device_slice_free ends that; until then no other slice
 * gets its addresses. */
struct cwi_device_slice *cwi_device_slice_hide(const char *address);
void cwi_device_slice_free(struct cwi_device_slice *slice);

/* Checks that a slice of `bytes` bytes is not larger than the device allows. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_fits(cw_device device, size_t bytes);

/* Adds `more` to the number of slices, or memories like them, that keep the device open; -1 if one
 * is freed. */
void cwi_device_count_slices(cw_device device, int more);

/* Frees memory of the device, after all its present commands have ended, because the program's
 * kernels may use it. */
void cwi_device_release(cw_device device, void *memory);

/* Decides whether slices of a newly opened device are shared, and sets facts.shared. */
void cwi_device_choose_memory(cw_device device);

/* Lets a device use memory of the zone as a shared slice. `device` is a cw_device, passed as the
 * context of a callback. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_share(void *device, char *address, size_t bytes);
void cwi_device_unshare(const struct cwi_device_slice *slice);

/* Returns the shared slice that contains the address, or NULL if there is none. */
const struct cwi_device_slice *cwi_device_shared_at(const void *address);

/* A use of slices by a transfer. A thread that moves data begins a use before it looks up the
 * slices: until the use ends, slices found between its addresses are not freed. Beginning never
 * waits. The struct must not be moved while the use lasts. */
struct cwi_device_use {
  struct cwi_extent sides[2]; /* address ranges of the two sides; {0} if unused */
  uint64_t number;            /* position in the order of all uses and hidings */
  struct cwi_device_use *before, *next;
};
void cwi_device_use_begin(struct cwi_device_use *use);
void cwi_device_use_end(struct cwi_device_use *use);

/* Hides the slice from lookups and waits until the uses that may have found it have ended. */
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

/* Moves a checked transfer between host memory and this process's slices, which contain
 * transfer->shape.remote, or the imported slice place.taken. The transfer is complete on return.
 * Errors: CW_MISUSE (outside the slices), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_transfer_run(const struct cwi_transfer *transfer);

/* cwi_device_may_copy returns true if one copy on one device can do a transfer between two of this
 * process's slices, or between one and the imported slice place.taken. cwi_device_copy then does
 * it. The transfer is complete on return. Errors: CW_MISUSE, CW_OUTSIDE. */
bool cwi_device_may_copy(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_device_copy(const struct cwi_transfer *transfer);

/* Waits for the present commands of a queue. The device is locked by the caller and unlocked on
 * return. `error` is the result of enqueueing: after an error we wait all the same, because other
 * commands may use host memory. A waiting thread lets MPI progress, and reports the wait after
 * CW_WAIT_REPORT seconds. */
CWI_CHECKED cw_error cwi_device_pass(cw_device device, enum cwi_device_queue queue, cw_error error);

/* Allocates the two buffers of a scratch, once. The caller holds its lock. */
CWI_CHECKED cw_error cwi_device_scratch_make(cw_device device, struct cwi_device_scratch *scratch);

/* Pins host memory that many transfers use: copies are then faster and do not block the caller. If
 * the driver fails to pin it, copies still work. The memory is whole pages. It stays pinned until
 * cwi_device_unpin, or until the device is closed. */
void cwi_device_pin(cw_device device, void *host, size_t bytes);
void cwi_device_unpin(cw_device device, void *host);

/* Pins the buffers of this process's agent, once, so that its copies neither block in the driver
 * nor go through a buffer of the driver's. */
void cwi_device_pin_agent(cw_device device);

/* Makes the device's stage, once, if its back end pins memory. Transfers work without a stage,
 * too. */
void cwi_device_stage_make(cw_device device);

/* Returns the device's stage, CWI_DEVICE_STAGE bytes, for the caller alone until
 * cwi_device_stage_give. Returns NULL if another thread has it or there is none. */
char *cwi_device_stage_take(cw_device device);
void cwi_device_stage_give(cw_device device);

/* Frees all kernels. */
void cwi_device_kernels_end(void);

/* Waits until all queues have run their commands. Returns the first error. */
CWI_CHECKED cw_error cwi_device_finish(cw_device device);

/* Allocates device memory that is not a slice and has no addresses. The device cannot be closed
 * before it is freed by cwi_device_memory_give. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_memory_take(cw_device device, size_t bytes, void **memory);
void cwi_device_memory_give(cw_device device, void *memory);

/* Checks and stores the sizes of a launch. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_launch_sizes(const cw_kernel_launch_options *given,
                                      struct cwi_device_launch *launch);

/* Enqueues a program's kernel in CWI_QUEUE_WORK. Ignores launch->kernel. The device is locked. */
CWI_CHECKED cw_error cwi_kernel_start(cw_kernel kernel, const struct cwi_device_launch *launch);

/* The two halves of cwi_device_pass. After cwi_device_leave the caller must call cwi_device_arrive,
 * even after an error. If the device cannot make an event, cwi_device_leave waits for all commands
 * of the queue. */
struct cwi_device_crossing {
  cw_device device; /* NULL if nothing is pending */
  void *event;
  struct cwi_device_use use; /* use of the transfer's slices */
};
CWI_CHECKED cw_error cwi_device_leave(cw_device device, enum cwi_device_queue queue, cw_error error,
                                      struct cwi_device_crossing *crossing);
CWI_CHECKED cw_error cwi_device_arrive(struct cwi_device_crossing *crossing);

/* Like cwi_device_transfer_run, but only starts the transfer. The same thread must call
 * cwi_device_await, even after an error. The crossing must be zero before, and must not be moved.
 * The slices are not freed before that. */
CWI_CHECKED cw_error cwi_device_start(const struct cwi_transfer *transfer,
                                      struct cwi_device_crossing *crossing);
CWI_CHECKED cw_error cwi_device_await(struct cwi_device_crossing *crossing);

/* Frees all programs of a device, whose kernels have been freed. */
void cwi_device_programs_drop(cw_device device);

/* Returns one of the library's own kernels. The device is locked. */
CWI_CHECKED cw_error cwi_device_own_kernel(cw_device device, enum cwi_kernel_number number,
                                           void **kernel);
#endif
