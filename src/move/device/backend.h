/* Back ends: what drives devices. Each is a const table of functions in a file of its own; the
 * rooms know no other way to a device. The libraries of drivers are opened when a device is asked
 * for.
 *
 * A device has a few queues. What is put into one runs in order; different queues run side by side,
 * unless `order` makes one wait for what another holds. Functions that put something into a queue
 * return before it has run, and the host memory that they name stays in use until a event behind it
 * is passed; launch copies its arguments.
 *
 * The caller holds the device's lock in all calls but `passed`, `wait`, `drain` and `release`,
 * which any thread makes at any time. Errors are CW_OUTSIDE with a sentence: the device, the
 * driver's call, its code and the name of that. After a refusal nothing of the call has begun. A
 * queue that has failed says so in `wait` and `passed` of its marks. */
#ifndef CWI_DEVICE_BACKEND_H
#define CWI_DEVICE_BACKEND_H

#include "base/error.h"

#include <causeway/device.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data to the device, data from it, kernels. Copies within it are kernels' work. */
enum cwi_device_queue { CWI_QUEUE_IN, CWI_QUEUE_OUT, CWI_QUEUE_WORK, CWI_DEVICE_QUEUES };

/* `rows` rows of `run` bytes. Of more than one row no stride is less than `run`. */
struct cwi_device_rows {
  size_t run, rows;
  char *host;
  size_t host_stride;
  void *memory;
  size_t offset, stride; /* in the memory */
};

/* Rows from one memory to another one of the device, or within one: they do not overlap. */
struct cwi_device_copy {
  size_t run, rows;
  void *from, *to;
  size_t from_offset, from_stride, to_offset, to_stride;
};

struct cwi_device_argument {
  void *memory;       /* NULL: a scalar */
  size_t offset;      /* of the memory: a multiple of cw_device_facts.alignment */
  const void *scalar; /* `bytes` bytes */
  size_t bytes;
};

/* As many as a launch may have, also of tasks. */
enum { CWI_LAUNCH_ARGUMENTS = 128 };

struct cwi_device_launch {
  void *kernel;
  const struct cwi_device_argument *arguments;
  int count;
  size_t global[3], local[3]; /* global: at least 1; local: all 0: the device's choice */
};

/* Names memory of a device to another process of the node. */
struct cwi_device_export {
  unsigned char bytes[64];
};

struct cwi_backend {
  cw_device_kind kind;
  const char *name; /* as CW_DEVICE spells it */

  /* How many devices there are. The first call opens the driver's library; later ones know. 0:
   * `why` says why there are none: a part of a sentence. */
  int (*count)(char *why, size_t size);

  /* Device `number` of them, from 1. *opened: what all calls below name first. */
  cw_error (*open)(int number, void **opened, cw_device_facts *facts);

  /* A device in a context of the program's; native: which one of OpenCL's, or NULL. Errors also:
   * CW_MISUSE, of options->context and options->native. NULL: there are no contexts. */
  cw_error (*adopt)(void *context, void *native, void **opened, cw_device_facts *facts);
  void (*close)(void *device); /* nothing is under way, nothing of it lives */

  cw_error (*allocate)(void *device, size_t bytes, void **memory);
  void (*release)(void *device, void *memory); /* of a lost device, too; nothing uses it any more */

  /* Memory of the host's as the device's, without a copy, where the device is the processor. NULL:
   * never. Aligned to facts.alignment. */
  cw_error (*wrap)(void *device, void *host, size_t bytes, void **memory);

  /* Host memory that many transfers use; NULL: nothing is to do. `close` unpins what is left. */
  cw_error (*pin)(void *device, void *host, size_t bytes);
  void (*unpin)(void *device, void *host);

  cw_error (*write)(void *device, enum cwi_device_queue queue, const struct cwi_device_rows *rows);
  cw_error (*read)(void *device, enum cwi_device_queue queue, const struct cwi_device_rows *rows);
  cw_error (*copy)(void *device, enum cwi_device_queue queue, const struct cwi_device_copy *copy);

  /* What comes into `later` from now on waits for what `earlier` holds now. */
  cw_error (*order)(void *device, enum cwi_device_queue later, enum cwi_device_queue earlier);

  /* A event behind what the queue holds. Every event is waited for, or forgotten once passed. */
  cw_error (*event)(void *device, enum cwi_device_queue queue, void **event);
  cw_error (*passed)(void *device, void *event, bool *passed); /* or failed: then with the error */
  cw_error (*wait)(void *device, void *event);                 /* sleeps; the event stays */
  void (*forget)(void *device, void *event);

  /* Wait until a queue has run what it holds, without a event: for when there can be none. */
  cw_error (*drain)(void *device, enum cwi_device_queue queue);

  /* Programs. build: an error of the compiler is CW_OUTSIDE, and the sentence ends with its log; no
   * text for this kind: CW_MISUSE. find: no kernel of that name: CW_MISUSE. */
  cw_error (*build)(void *device, const cw_kernel_source *source, void **program);
  void (*drop)(void *device, void *program);
  cw_error (*find)(void *device, void *program, const char *name, void **kernel);
  void (*leave)(void *device, void *kernel);
  cw_error (*launch)(void *device, enum cwi_device_queue queue,
                     const struct cwi_device_launch *launch);

  /* Memory of another process's device, reached from mine. NULL: never. */
  cw_error (*give)(void *device, void *memory, struct cwi_device_export *name);
  cw_error (*take)(void *device, const struct cwi_device_export *name, size_t bytes, void **memory);
  void (*back)(void *device, void *memory); /* what `take` gave */

  /* What programs call a place in memory. */
  void (*locate)(void *device, void *memory, size_t offset, cw_device_location *location);
};

extern const struct cwi_backend cwi_backend_host, cwi_backend_opencl, cwi_backend_cuda;
#endif
