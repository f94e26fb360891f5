/* Back ends, which drive devices. Each back end is a constant table of functions in a file of its
 * own. Other modules reach devices only through these tables. A back end opens its driver's library
 * when a device is first needed.
 *
 * A device has a few queues. The commands of one queue run in order. Different queues run
 * concurrently, unless `order` makes one wait for the present commands of another. Functions that
 * enqueue a command return before it has run. The host memory that they name must stay valid until
 * an event that was recorded after the command has passed. `launch` copies its arguments.
 *
 * The caller holds the device's lock in all calls except `passed`, `wait`, `drain` and `release`,
 * which any thread may call at any time. Errors are CW_OUTSIDE with a message that has the device,
 * the driver's call, its code and the name of the code. A call that returns an error has enqueued
 * nothing. If a queue has failed, `wait` and `passed` of its events return the error. */
#pragma once

#include "base/error.h"

#include <causeway/device.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Queues for data to the device, for data from it, and for kernels. Copies within the device also
 * use the queue for kernels, CWI_QUEUE_WORK. */
enum cwi_device_queue { CWI_QUEUE_IN, CWI_QUEUE_OUT, CWI_QUEUE_WORK, CWI_DEVICE_QUEUES };

/* `rows` rows of `run` bytes. If there is more than one row, no stride is less than `run`. */
struct cwi_device_rows {
  size_t run, rows;
  char *host;
  size_t host_stride;
  void *memory;
  size_t offset, stride; /* in the memory */
};

/* Rows that are copied from one memory of the device to another or within one memory. The two sides
 * do not overlap. */
struct cwi_device_copy {
  size_t run, rows;
  void *from, *to;
  size_t from_offset, from_stride, to_offset, to_stride;
};

/* An argument of a kernel: memory of the device, or a scalar. */
struct cwi_device_argument {
  void *memory;       /* NULL if the argument is a scalar */
  size_t offset;      /* offset in the memory: a multiple of cw_device_facts.alignment */
  const void *scalar; /* address of the scalar's `bytes` bytes */
  size_t bytes;
};

/* Largest number of arguments of a launch, also for kernels of tasks. */
enum { CWI_LAUNCH_ARGUMENTS = 128 };

/* A launch of a kernel with its arguments and the numbers of its work items. */
struct cwi_device_launch {
  void *kernel;
  const struct cwi_device_argument *arguments;
  int count;
  size_t global[3], local[3]; /* each global size is at least 1; the local sizes are all 0 if the
                                 device chooses them */
};

/* An exported name of device memory, by which another process of the node can open the memory. */
struct cwi_device_export {
  unsigned char bytes[64];
};

/* The functions of a back end. */
struct cwi_backend {
  cw_device_kind kind;
  const char *name; /* as in CW_DEVICE */

  /* Returns the number of devices. The first call opens the driver's library. If the result is 0,
   * writes the reason to `why`, as a part of a message. */
  int (*count)(char *why, size_t size);

  /* Opens device `number`, counted from 1. *opened is the first argument of all calls below. */
  cw_error (*open)(int number, void **opened, cw_device_facts *facts);

  /* Opens a device in the program's own context. `native` selects a device of an OpenCL context and
   * may be NULL. Also returns CW_MISUSE for an invalid options->context or options->native. The
   * function pointer is NULL if the back end has no contexts. */
  cw_error (*adopt)(void *context, void *native, void **opened, cw_device_facts *facts);
  /* Closes a device. The caller has freed its memories, programs and kernels, and no command is
   * pending. */
  void (*close)(void *device);

  cw_error (*allocate)(void *device, size_t bytes, void **memory);
  /* Frees memory that no command uses. Also frees the memory of a lost device. */
  void (*release)(void *device, void *memory);

  /* Makes host memory usable by a device that is the processor, without a copy. The memory is
   * aligned to facts.alignment. The function pointer is NULL if the back end cannot do that. */
  cw_error (*wrap)(void *device, void *host, size_t bytes, void **memory);

  /* Pins host memory that many transfers use. The function pointers are NULL if pinning is not
   * needed. `close` unpins the memory that is still pinned. */
  cw_error (*pin)(void *device, void *host, size_t bytes);
  void (*unpin)(void *device, void *host);

  cw_error (*write)(void *device, enum cwi_device_queue queue, const struct cwi_device_rows *rows);
  cw_error (*read)(void *device, enum cwi_device_queue queue, const struct cwi_device_rows *rows);
  cw_error (*copy)(void *device, enum cwi_device_queue queue, const struct cwi_device_copy *copy);

  /* Makes all later commands of `later` wait for the present commands of `earlier`. */
  cw_error (*order)(void *device, enum cwi_device_queue later, enum cwi_device_queue earlier);

  /* Records an event after the present commands of the queue. The caller calls `wait`, or `passed`
   * until the event has passed, and then `forget`. */
  cw_error (*event)(void *device, enum cwi_device_queue queue, void **event);
  /* Sets *passed to true if all commands before the event have ended. If one has failed, also sets
   * *passed to true, and returns the error. */
  cw_error (*passed)(void *device, void *event, bool *passed);
  cw_error (*wait)(void *device, void *event); /* sleeps; the event still has to be forgotten */
  void (*forget)(void *device, void *event);

  /* Waits until a queue has run its commands, without an event. Used if an event could not be
   * recorded. */
  cw_error (*drain)(void *device, enum cwi_device_queue queue);

  /* Programs and kernels. If the compiler fails, `build` returns CW_OUTSIDE with a message that
   * ends with the compiler's log. `build` returns CW_MISUSE if the source has no text for this kind
   * of device. `find` returns CW_MISUSE if there is no kernel of that name. `drop` releases a
   * program, and `leave` a kernel. */
  cw_error (*build)(void *device, const cw_kernel_source *source, void **program);
  void (*drop)(void *device, void *program);
  cw_error (*find)(void *device, void *program, const char *name, void **kernel);
  void (*leave)(void *device, void *kernel);
  cw_error (*launch)(void *device, enum cwi_device_queue queue,
                     const struct cwi_device_launch *launch);

  /* Exports memory to other processes (`give`) and opens memory that another process has exported
   * (`take`). The function pointers are NULL if the back end cannot do that. */
  cw_error (*give)(void *device, void *memory, struct cwi_device_export *name);
  cw_error (*take)(void *device, const struct cwi_device_export *name, size_t bytes, void **memory);
  void (*back)(void *device, void *memory); /* closes memory that `take` has opened */

  /* Stores the driver's handle or address of a place in memory, for the program's own calls of the
   * driver. */
  void (*locate)(void *device, void *memory, size_t offset, cw_device_location *location);
};

extern const struct cwi_backend cwi_backend_host, cwi_backend_opencl, cwi_backend_cuda;
