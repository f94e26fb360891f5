/* Internals of the fake CUDA driver (control.h describes it).
 *
 *   injection.c failing calls, misuse, the check at the end
 *   devices.c   devices, contexts, errors by name
 *   blocks.c    memory, registered host memory, memory of other processes
 *   streams.c   streams, events, copies
 *   modules.c   PTX, kernels */
#pragma once

#include "device/cuda/cuda_driver.h"
#include "device/fake_cuda/control.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X(name, ...) int name(__VA_ARGS__);
#include "device/cuda/cuda.def"
#undef X

enum fake_result {
  FAKE_OK = 0,
  FAKE_INVALID_VALUE = 1,
  FAKE_OUT_OF_MEMORY = 2,
  FAKE_NOT_INITIALIZED = 3,
  FAKE_INVALID_DEVICE_FUNCTION = 98,
  FAKE_INVALID_DEVICE = 101,
  FAKE_INVALID_CONTEXT = 201,
  FAKE_INVALID_PTX = 218,
  FAKE_INVALID_HANDLE = 400,
  FAKE_NOT_FOUND = 500,
  FAKE_NOT_READY = 600,
  FAKE_ALREADY_PINNED = 712,
  FAKE_NOT_PINNED = 713,
  FAKE_LOST = 719
};

/* --- injection.c --- */

/* One lock for everything; `changed` is signalled when streams progress. */
extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;

enum fake_need { NEED_NOTHING, NEED_START, NEED_CONTEXT };

/* Takes the lock and returns true if the call is to be made. Otherwise *result is the result of the
 * call, and the lock is free. For calls that release something, *result is the value that they
 * return after doing so. */
bool fake_enter(const char *name, enum fake_need need, int *result);
bool fake_enter_to_end(const char *name, enum fake_need need, int *result);

/* Releases the lock and returns `result`. */
int fake_leave(int result);

/* All calls begin with one of these, and end with `return fake_leave(result)`. */
#define FAKE_BEGIN(need)                                                                           \
  int result = FAKE_OK;                                                                            \
  if (!fake_enter(__func__, need, &result))                                                        \
  return result
#define FAKE_BEGIN_END(need)                                                                       \
  int result = FAKE_OK;                                                                            \
  if (!fake_enter_to_end(__func__, need, &result))                                                 \
  return result

/* Prints an error; the process will fail. Called with the lock. */
void fake_misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the number in an environment variable, or `usual`. */
long fake_number(const char *variable, long usual);

/* fake_is_lost returns true if the device is lost. fake_op_fails, called before a copy or kernel,
 * returns true if this one must fail. Both are called with the lock. */
bool fake_is_lost(void);
bool fake_op_fails(void);

/* --- devices.c --- */
extern bool fake_started;
bool fake_has_context(void);
int fake_device_now(void);    /* device of the current context */
int fake_contexts_left(void); /* number of contexts that are retained, and current in this thread */

/* --- blocks.c --- */
struct fake_block {
  struct fake_block *next;
  uint64_t address;
  size_t bytes;
  char *secret; /* address of the data */
  void *file;   /* mapping that begins with a head */
  int fd;       /* -1 for a block of another process */
  int device;
  int opened;  /* number of opens, for a block of another process */
  int pending; /* number of copies and kernels that use it */
};

/* Returns the block that contains these bytes, or NULL. Called with the lock. */
struct fake_block *fake_block_of(uint64_t address, size_t bytes);
static inline char *fake_secret(const struct fake_block *block, uint64_t address)
{
  return block->secret + (address - block->address);
}
int fake_blocks_left(bool report);

/* --- streams.c --- */
enum { FAKE_MOST_BLOCKS = 130 };

/* Operation of a stream. `run` is called without the lock; the memory that the operation points to
 * is freed with it. */
struct fake_op {
  struct fake_op *next;
  void (*run)(struct fake_op *op);
  int *module; /* counter of the module's pending operations; NULL if there is none */
  struct fake_block *blocks[FAKE_MOST_BLOCKS];
  int block_count;
};

/* Appends an operation to a stream; false if there is no such stream. Called with the lock. */
bool fake_put(void *stream, struct fake_op *op);
void fake_uses(struct fake_op *op, struct fake_block *block);
int fake_streams_left(bool report);
/* Waits until no copy or kernel is running, after a loss. Called with the lock. */
void fake_await_quiet(void);
extern bool fake_held;
extern unsigned fake_slowness;
extern size_t fake_longest_pitch;

/* --- modules.c --- */
int fake_modules_left(bool report);
