/* Devices that this process has opened, and slices of regions in their memory.
 *
 * A slice has addresses of memory/device_address.h. Its owner's process reaches it: its own
 * threads, and its agent for others. Node peers may reach it themselves where a driver can lend
 * memory. Where the device is the processor its slices may be shared: they are slices of the zone,
 * which everybody reaches as such, and whose memory the device uses.
 *
 * device.c           devices that are open: which, what is known, waiting for them
 * device_open.c      opening, closing, the list of back ends
 * device_program.c   programs and kernels
 * device_slices.c    slices of mine and their addresses
 * imported_slices.c  slices of node peers that this process reaches itself
 * library_kernels.c  launches of the library's own kernels: library_kernels.cl
 * shared_slices.c    slices of mine that lie in host memory, because the device is the processor
 * slice_uses.c       who moves data of slices just now: who frees one waits for him */
#ifndef CWI_DEVICE_DEVICE_H
#define CWI_DEVICE_DEVICE_H

#include "device/backend.h"
#include "device/library_kernels.h"
#include "transfer/transfer.h"

#include <pthread.h>

enum { CWI_DEVICE_SCRATCH = 1 << 19 };

/* A program that is built for a device. */
struct cwi_device_program {
  cw_kernel_source source; /* what it was built from, copied */
  void *program;
  size_t kernels; /* that live */
  struct cwi_device_program *next;
};

/* Memory through which packed data passes: on the host, pinned, and on the device. */
struct cwi_device_scratch {
  pthread_mutex_t lock;
  char *host;
  void *memory; /* NULL: not made yet */
};

/* Memory on the host, in the zone and pinned, through which data of one transfer at a time passes.
 */
enum { CWI_DEVICE_STAGE = 1 << 23 };
struct cwi_device_stage {
  pthread_mutex_t lock;
  char *host; /* NULL: not made yet */
};

struct cwi_device {
  const struct cwi_backend *backend;
  void *opened;
  cw_device_facts facts;
  pthread_mutex_t lock; /* of calls of the back end; held briefly: nobody waits under it */
  struct cwi_device_scratch in, out;      /* of transfers */
  struct cwi_device_scratch within, sums; /* of copies and dot products: behind kernels, which may
                                             run long */
  struct cwi_device_stage stage;
  struct cwi_device_program *programs;
  struct cwi_device_program *own; /* of library_kernels.cl; NULL: not built yet */
  void *own_kernels[CWI_KERNELS]; /* NULL: not looked up yet */
  size_t slices, kernels;         /* that live */
  bool closing;                   /* no call may begin to use it */
  bool agent_pinned;              /* the driver knows the memory of my agent */
  bool imports;                   /* slices of node peers are taken through it: imported_slices.c */
};

/* A device that is not yet open, and the end of one that is closed. NULL: no memory. */
cw_device cwi_device_make(void);
void cwi_device_end(cw_device device);
cw_device cwi_device_next(cw_device device); /* as cwi_object_next */

/* Is this a device that is open? Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_check_device(cw_device device);

/* A slice of mine, or one of a node peer's that is taken. */
struct cwi_device_slice {
  cw_device device;
  void *memory;
  char *address;
  size_t bytes;
  bool kept;                 /* its addresses are mapped, without access */
  bool shared;               /* it lies in the zone */
  bool gone;                 /* nobody finds it any more */
  unsigned char *may_import; /* [processes of my node] which may have taken it */
};

/* Allocate a slice of at least one byte on a device. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_slice_make(cw_device device, size_t bytes, char **address);

/* The end of a slice. First nobody of this process finds the one at the address any more, or uses
 * it; NULL: there is none. Until it is freed, no other one has its addresses. */
struct cwi_device_slice *cwi_device_slice_hide(const char *address);
void cwi_device_slice_free(struct cwi_device_slice *slice);

/* May the device have a slice of so many bytes? Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_fits(cw_device device, size_t bytes);

/* Count slices of a device, or memory like them, which keep it open; -1: one has gone. */
void cwi_device_count_slices(cw_device device, int more);

/* Give memory back to the device, when that has done what it was given until now: kernels of the
 * program may use the memory. */
void cwi_device_release(cw_device device, void *memory);

/* Decide whether slices of a device that has just been opened are shared: facts.shared. */
void cwi_device_choose_memory(cw_device device);

/* Let a device, the context, use this memory of the zone as a slice. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_share(void *device, char *address, size_t bytes);
void cwi_device_unshare(const struct cwi_device_slice *slice);

/* The shared slice that holds the address; NULL: none. */
const struct cwi_device_slice *cwi_device_shared_at(const void *address);

/* Who moves data of slices says so first, and finds them then: until he ends, what he found between
 * those addresses stays. Nobody waits to begin. It stays where it is from begin to end. */
struct cwi_device_use {
  struct cwi_extent sides[2]; /* of addresses; {0}: none */
  uint64_t number;            /* of all uses and hidings */
  struct cwi_device_use *before, *next;
};
void cwi_device_use_begin(struct cwi_device_use *use);
void cwi_device_use_end(struct cwi_device_use *use);

/* Nobody finds the slice any more, and who found it has ended. */
void cwi_device_use_up(struct cwi_device_slice *slice);

/* The slice of mine that may hold the address; NULL: none. */
const struct cwi_device_slice *cwi_device_slice_at(const void *address);

/* The slice of mine that holds these bytes. Errors: CW_MISUSE, which names the argument. */
CWI_CHECKED cw_error cwi_device_slice_find(const char *name, const void *address, size_t bytes,
                                           const struct cwi_device_slice **slice);

/* The same for all of an extent. */
CWI_CHECKED cw_error cwi_device_slice_of(const char *name, struct cwi_extent extent,
                                         const struct cwi_device_slice **slice);

/* Move a checked transfer between host memory and slices of mine, or the one that place.taken
 * names: transfer->shape.remote lies there. All is complete on return. Errors: CW_MISUSE (outside
 * my slices), CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_transfer_run(const struct cwi_transfer *transfer);

/* A transfer between slices of mine, shape.local in one and shape.remote in the other, or in the
 * one that place.taken names: does one copy on one device do it? Then do that. Complete on return.
 * Errors: CW_MISUSE, CW_OUTSIDE. */
bool cwi_device_may_copy(const struct cwi_transfer *transfer);
CWI_CHECKED cw_error cwi_device_copy(const struct cwi_transfer *transfer);

/* Wait for a queue of a device, which is locked; unlocked on return. error: of what was put into
 * it: host memory that others put there is waited for all the same. A thread that waits lets MPI
 * progress, and says so after CW_WAIT_REPORT seconds. */
CWI_CHECKED cw_error cwi_device_pass(cw_device device, enum cwi_device_queue queue, cw_error error);

/* Make the memory of a scratch, once. Its lock is held. */
CWI_CHECKED cw_error cwi_device_scratch_make(cw_device device, struct cwi_device_scratch *scratch);

/* Tell the driver of host memory that many transfers use: copies of it are faster then, and do not
 * keep their caller. What it refuses is copied all the same. It is whole pages, and stays until it
 * is unpinned or the device closed. */
void cwi_device_pin(cw_device device, void *host, size_t bytes);
void cwi_device_unpin(cw_device device, void *host);

/* Pin the memory of my agent, once: what passes through it then neither waits in the driver nor is
 * copied twice. */
void cwi_device_pin_agent(cw_device device);

/* Make the device's stage, if its driver is to be may_import of memory. Without one, transfers take
 * other memory. */
void cwi_device_stage_make(cw_device device);

/* The device's stage, CWI_DEVICE_STAGE bytes, for the caller alone until he gives it; NULL: another
 * thread has it, or there is none. */
char *cwi_device_stage_take(cw_device device);
void cwi_device_stage_give(cw_device device);

/* Free all kernels. */
void cwi_device_kernels_end(void);

/* Wait until all queues have done what they were given. Errors: the first of what failed. */
CWI_CHECKED cw_error cwi_device_finish(cw_device device);

/* Memory of the device that is no slice: only who has it names it. The device cannot be closed
 * while there is some. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_device_memory_take(cw_device device, size_t bytes, void **memory);
void cwi_device_memory_give(cw_device device, void *memory);

/* The sizes of a launch. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_launch_sizes(const cw_kernel_launch_options *given,
                                      struct cwi_device_launch *launch);

/* Start a program's kernel behind what the queue WORK holds; launch->kernel is not looked at. The
 * device is locked. */
CWI_CHECKED cw_error cwi_kernel_start(cw_kernel kernel, const struct cwi_device_launch *launch);

/* The two halves of that. Whoever leaves arrives later, even if leave returns an error. Where the
 * device refuses the event, leave waits for all that the queue holds. */
struct cwi_device_crossing {
  cw_device device; /* NULL: nothing is under way */
  void *event;
  struct cwi_device_use use; /* of a transfer */
};
CWI_CHECKED cw_error cwi_device_leave(cw_device device, enum cwi_device_queue queue, cw_error error,
                                      struct cwi_device_crossing *crossing);
CWI_CHECKED cw_error cwi_device_arrive(struct cwi_device_crossing *crossing);

/* As cwi_device_transfer_run, but complete only when the same thread has awaited it, which it does
 * even after an error; the crossing is empty before, and stays where it is. Its slices are not
 * freed meanwhile. */
CWI_CHECKED cw_error cwi_device_start(const struct cwi_transfer *transfer,
                                      struct cwi_device_crossing *crossing);
CWI_CHECKED cw_error cwi_device_await(struct cwi_device_crossing *crossing);

/* Nothing of them lives. */
void cwi_device_programs_drop(cw_device device);

/* One of the library's own kernels. The device is locked. */
CWI_CHECKED cw_error cwi_device_own_kernel(cw_device device, enum cwi_kernel_number number,
                                           void **kernel);
#endif
