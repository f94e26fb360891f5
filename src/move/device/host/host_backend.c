/* The host back end: this process emulates devices. The memory of a device is a mapping that only
 * the device's threads access. Each queue has one thread, which is started when the first task is
 * enqueued.
 *
 * The settings CW_DEVICE_HOST_... give a device a speed. Each task then has a duration, and an end
 * time at which a device of that speed would complete it. The duration begins when the task is
 * enqueued or, if that is later, at the end time of the previous task in its queue or of the task
 * that it waits for. The thread does the work and sleeps until the end time. So the emulated times
 * do not depend on the number of cores that the threads share. */
#include "base/clock.h"
#include "base/settings.h"
#include "base/size.h"
#include "device/backend.h"
#include "machine/machine.h"
#include "machine/rows.h"
#include "wait/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { ALIGNMENT = 128, SCALAR_ALIGNMENT = 16, SECOND = 1000000000 };

struct host_memory {
  char *base;
  size_t bytes;
  bool wrapped; /* true if the memory belongs to the caller of `wrap` */
};

struct host_program {
  size_t count;
  cw_host_function functions[];
};

struct host_kernel {
  cw_host_kernel function;
};

/* One command of a queue. */
struct host_task {
  struct host_task *next;
  void (*run)(struct host_task *task);
  long taken, entered;       /* duration, and time at which the task was enqueued, in ns */
  struct host_queue *behind; /* queue whose task number `behind_number` must end before this task
                                begins; NULL if there is none */
  uint64_t behind_number;
  struct cwi_device_copy rows; /* rows of a transfer; here `from` and `to` are addresses */
  cw_host_kernel kernel;
  size_t global[3];
  void **arguments; /* arguments of a kernel; they and the scalars are in the same allocation as the
                       task */
};

/* A queue of tasks. The number of a task is its position in the queue, counted from 1. */
struct host_queue {
  struct host_device *device;
  pthread_t thread;
  bool runs, closing;
  struct host_task *first, *last;
  uint64_t entered, ended;
  long clock; /* end time of the last task in ns; 0 if the device has no speed */
  pthread_cond_t entry, end;
};

struct host_device {
  int number;
  size_t memory,
      used; /* `used` is accessed atomically, because release is called without the device's lock */
  pthread_mutex_t lock;
  struct host_queue queues[CWI_DEVICE_QUEUES];
};

struct host_event {
  struct host_queue *queue;
  uint64_t number;
};

static cw_error out_of_memory(const char *what)
{
  return cwi_outside("no memory for %s of an emulated device", what);
}

/* --- The clock -------------------------------------------------------------------------------- */

static bool is_slowed(void)
{
  return (cwi_settings.device_host_latency | cwi_settings.device_host_rate |
          cwi_settings.device_host_item) != 0;
}

static void sleep_until(long when)
{
  const struct timespec end = {.tv_sec = when / SECOND, .tv_nsec = when % SECOND};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0)
    continue;
}

static long time_of_bytes(size_t bytes)
{
  const long rate = cwi_settings.device_host_rate;
  return cwi_settings.device_host_latency +
         (rate != 0 ? (long)(1e3 * (double)bytes / (double)rate) : 0);
}

static long time_of_items(const size_t global[3])
{
  const double items = (double)global[0] * (double)global[1] * (double)global[2];
  return cwi_settings.device_host_latency + (long)(items * (double)cwi_settings.device_host_item);
}

/* --- Queues ----------------------------------------------------------------------------------- */

static void run_copy(struct host_task *task)
{
  const struct cwi_device_copy *rows = &task->rows;
  cwi_copy_rows(rows->to, (ptrdiff_t)rows->to_stride, rows->from, (ptrdiff_t)rows->from_stride,
                rows->run, rows->rows);
}

static void run_kernel(struct host_task *task)
{
  task->kernel(task->arguments, task->global);
}

static void run_nothing(struct host_task *task)
{
  (void)task;
}

/* Waits for the next task, and for the task that must end before it. Returns NULL if the queue is
 * closed and empty. The lock is held. */
static struct host_task *next_task(struct host_queue *queue)
{
  while (queue->first == NULL && !queue->closing)
    pthread_cond_wait(&queue->entry, &queue->device->lock);
  struct host_task *task = queue->first;
  if (task != NULL) {
    queue->first = task->next;
    while (task->behind != NULL && task->behind->ended < task->behind_number)
      pthread_cond_wait(&task->behind->end, &queue->device->lock);
  }
  return task;
}

/* Returns the end time of the task. */
static long end_of(const struct host_queue *queue, const struct host_task *task)
{
  long begin = task->entered > queue->clock ? task->entered : queue->clock;
  if (task->behind != NULL && task->behind->clock > begin)
    begin = task->behind->clock;
  return begin + task->taken;
}

static void *run_queue(void *given)
{
  struct host_queue *queue = given;
  pthread_mutex_t *lock = &queue->device->lock;
  pthread_mutex_lock(lock);
  for (struct host_task *task; (task = next_task(queue)) != NULL;) {
    const long end = is_slowed() ? end_of(queue, task) : 0;
    pthread_mutex_unlock(lock);
    task->run(task);
    if (end != 0)
      sleep_until(end);
    free(task);
    pthread_mutex_lock(lock);
    queue->clock = end;
    queue->ended++;
    pthread_cond_broadcast(&queue->end);
  }
  pthread_mutex_unlock(lock);
  return NULL;
}

static cw_error begin_queue(struct host_queue *queue)
{
  if (queue->runs)
    return CW_OK;
  const int code = cwi_thread_start(&queue->thread, run_queue, queue);
  if (code != 0)
    return cwi_outside("no thread for emulated device %d: pthread_create: %s",
                       queue->device->number, cwi_system_error(code));
  queue->runs = true;
  return CW_OK;
}

/* Enqueues a task. Takes ownership of it, even after an error. */
static cw_error enter(struct host_device *device, enum cwi_device_queue which,
                      struct host_task *task)
{
  struct host_queue *queue = &device->queues[which];
  const cw_error error = begin_queue(queue);
  if (error != CW_OK) {
    free(task);
    return error;
  }
  task->entered = is_slowed() ? (long)cwi_nanoseconds() : 0;
  pthread_mutex_lock(&device->lock);
  if (queue->first == NULL)
    queue->first = task;
  else
    queue->last->next = task;
  queue->last = task;
  queue->entered++;
  pthread_cond_signal(&queue->entry);
  pthread_mutex_unlock(&device->lock);
  return CW_OK;
}

static cw_error enter_rows(void *device, enum cwi_device_queue queue,
                           const struct cwi_device_copy *rows)
{
  struct host_task *task = calloc(1, sizeof *task);
  if (task == NULL)
    return out_of_memory("a transfer");
  task->run = run_copy;
  task->rows = *rows;
  task->taken = time_of_bytes(rows->run * rows->rows);
  return enter(device, queue, task);
}

static char *place_in(void *memory, size_t offset)
{
  return ((struct host_memory *)memory)->base + offset;
}

static cw_error host_write(void *device, enum cwi_device_queue queue,
                           const struct cwi_device_rows *rows)
{
  return enter_rows(device, queue,
                    &(struct cwi_device_copy){.run = rows->run,
                                              .rows = rows->rows,
                                              .from = rows->host,
                                              .from_stride = rows->host_stride,
                                              .to = place_in(rows->memory, rows->offset),
                                              .to_stride = rows->stride});
}

static cw_error host_read(void *device, enum cwi_device_queue queue,
                          const struct cwi_device_rows *rows)
{
  return enter_rows(device, queue,
                    &(struct cwi_device_copy){.run = rows->run,
                                              .rows = rows->rows,
                                              .from = place_in(rows->memory, rows->offset),
                                              .from_stride = rows->stride,
                                              .to = rows->host,
                                              .to_stride = rows->host_stride});
}

static cw_error host_copy(void *device, enum cwi_device_queue queue,
                          const struct cwi_device_copy *copy)
{
  struct cwi_device_copy rows = *copy;
  rows.from = place_in(copy->from, copy->from_offset);
  rows.to = place_in(copy->to, copy->to_offset);
  return enter_rows(device, queue, &rows);
}

static cw_error host_order(void *given, enum cwi_device_queue later, enum cwi_device_queue earlier)
{
  struct host_device *device = given;
  struct host_task *task = calloc(1, sizeof *task);
  if (task == NULL)
    return out_of_memory("the order of queues");
  task->run = run_nothing;
  if (later != earlier) {
    task->behind = &device->queues[earlier];
    task->behind_number = task->behind->entered;
  }
  return enter(device, later, task);
}

/* --- Events ----------------------------------------------------------------------------------- */

static cw_error host_event(void *given, enum cwi_device_queue queue, void **event)
{
  struct host_device *device = given;
  struct host_event *new = malloc(sizeof *new);
  if (new == NULL)
    return out_of_memory("an event in a queue");
  new->queue = &device->queues[queue];
  new->number = new->queue->entered;
  *event = new;
  return CW_OK;
}

static cw_error host_passed(void *given, void *event, bool *passed)
{
  struct host_device *device = given;
  const struct host_event *place = event;
  pthread_mutex_lock(&device->lock);
  *passed = place->queue->ended >= place->number;
  pthread_mutex_unlock(&device->lock);
  return CW_OK;
}

static cw_error host_wait(void *given, void *event)
{
  struct host_device *device = given;
  const struct host_event *place = event;
  pthread_mutex_lock(&device->lock);
  while (place->queue->ended < place->number)
    pthread_cond_wait(&place->queue->end, &device->lock);
  pthread_mutex_unlock(&device->lock);
  return CW_OK;
}

static void host_forget(void *device, void *event)
{
  (void)device;
  free(event);
}

static cw_error host_drain(void *given, enum cwi_device_queue which)
{
  struct host_device *device = given;
  struct host_event all = {.queue = &device->queues[which]};
  pthread_mutex_lock(&device->lock);
  all.number = all.queue->entered;
  pthread_mutex_unlock(&device->lock);
  return host_wait(device, &all);
}

/* --- Devices and memory ----------------------------------------------------------------------- */

static int host_count(char *why, size_t size)
{
  (void)why, (void)size;
  return (int)cwi_settings.device_host_count;
}

static cw_error host_open(int number, void **opened, cw_device_facts *facts)
{
  struct host_device *device = calloc(1, sizeof *device);
  if (device == NULL)
    return out_of_memory("the record");
  device->number = number;
  const size_t memory = (size_t)cwi_settings.device_host_memory;
  device->memory = memory != 0 ? memory : cwi_machine_memory();
  pthread_mutex_init(&device->lock, NULL);
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++) {
    device->queues[i].device = device;
    pthread_cond_init(&device->queues[i].entry, NULL);
    pthread_cond_init(&device->queues[i].end, NULL);
  }
  *facts = (cw_device_facts){.kind = CW_DEVICE_HOST,
                             .number = number,
                             .memory = device->memory,
                             .most = device->memory,
                             .processor = true,
                             .alignment = ALIGNMENT};
  snprintf(facts->name, sizeof facts->name, "this process, as emulated device %d", number);
  *opened = device;
  return CW_OK;
}

static void close_queue(struct host_queue *queue)
{
  pthread_mutex_lock(&queue->device->lock);
  queue->closing = true;
  pthread_cond_signal(&queue->entry);
  pthread_mutex_unlock(&queue->device->lock);
  if (queue->runs)
    pthread_join(queue->thread, NULL);
}

static void host_close(void *given)
{
  struct host_device *device = given;
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++)
    close_queue(&device->queues[i]);
  for (int i = 0; i < CWI_DEVICE_QUEUES; i++) {
    pthread_cond_destroy(&device->queues[i].entry);
    pthread_cond_destroy(&device->queues[i].end);
  }
  pthread_mutex_destroy(&device->lock);
  free(device);
}

static cw_error make_memory(char *base, size_t bytes, bool wrapped, void **memory)
{
  struct host_memory *new = malloc(sizeof *new);
  if (new == NULL)
    return out_of_memory("a memory");
  *new = (struct host_memory){base, bytes, wrapped};
  *memory = new;
  return CW_OK;
}

static cw_error host_allocate(void *given, size_t bytes, void **memory)
{
  struct host_device *device = given;
  const size_t used = __atomic_load_n(&device->used, __ATOMIC_RELAXED);
  if (bytes > device->memory - used)
    return cwi_outside("emulated device %d has %zu bytes, of which %zu are in use; %zu do not fit",
                       device->number, device->memory, used, bytes);
  void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return cwi_outside("no memory for %zu bytes of emulated device %d, which has %zu: mmap: %s",
                       bytes, device->number, device->memory, cwi_system_error(errno));
  const cw_error error = make_memory(base, bytes, false, memory);
  if (error != CW_OK)
    munmap(base, bytes);
  else
    __atomic_fetch_add(&device->used, bytes, __ATOMIC_RELAXED);
  return error;
}

static cw_error host_wrap(void *device, void *host, size_t bytes, void **memory)
{
  (void)device;
  return make_memory(host, bytes, true, memory);
}

static void host_release(void *given, void *memory)
{
  struct host_device *device = given;
  struct host_memory *old = memory;
  if (!old->wrapped) {
    munmap(old->base, old->bytes);
    __atomic_fetch_sub(&device->used, old->bytes, __ATOMIC_RELAXED);
  }
  free(old);
}

static void host_locate(void *device, void *memory, size_t offset, cw_device_location *location)
{
  (void)device;
  location->buffer = NULL;
  location->offset = 0;
  location->address = (uintptr_t)place_in(memory, offset);
}

/* --- Programs --------------------------------------------------------------------------------- */

static cw_error host_build(void *device, const cw_kernel_source *source, void **program)
{
  (void)device;
  size_t count = 0;
  if (source->functions == NULL)
    return cwi_misuse("the source has no functions for the host (cw_kernel_source)");
  for (; source->functions[count].name != NULL; count++)
    if (source->functions[count].function == NULL)
      return cwi_misuse("source->functions[%zu], '%.64s', has no function", count,
                        source->functions[count].name);
  struct host_program *new = malloc(sizeof *new + count * sizeof new->functions[0]);
  if (new == NULL)
    return out_of_memory("a program");
  new->count = count;
  memcpy(new->functions, source->functions, count * sizeof new->functions[0]);
  *program = new;
  return CW_OK;
}

static void host_drop(void *device, void *program)
{
  (void)device;
  free(program);
}

static cw_error host_find(void *device, void *given, const char *name, void **kernel)
{
  (void)device;
  const struct host_program *program = given;
  size_t i = 0;
  while (i < program->count && strcmp(program->functions[i].name, name) != 0)
    i++;
  if (i == program->count)
    return cwi_misuse("the source has no function '%.64s' for the host among its %zu", name,
                      program->count);
  struct host_kernel *new = malloc(sizeof *new);
  if (new == NULL)
    return out_of_memory("a kernel");
  new->function = program->functions[i].function;
  *kernel = new;
  return CW_OK;
}

static void host_leave(void *device, void *kernel)
{
  (void)device;
  free(kernel);
}

/* Allocates a task, its table of arguments and their scalars in one block of memory. */
static struct host_task *make_launch(const struct cwi_device_launch *launch)
{
  const size_t table = cwi_round_up(sizeof(struct host_task), SCALAR_ALIGNMENT),
               scalars =
                   table + cwi_round_up((size_t)launch->count * sizeof(void *), SCALAR_ALIGNMENT);
  size_t bytes = scalars;
  for (int i = 0; i < launch->count; i++)
    bytes += cwi_round_up(launch->arguments[i].bytes, SCALAR_ALIGNMENT);
  char *place = calloc(1, bytes);
  if (place == NULL)
    return NULL;
  struct host_task *task = (struct host_task *)(void *)place;
  task->arguments = (void **)(void *)(place + table);
  place += scalars;
  for (int i = 0; i < launch->count; i++) {
    const struct cwi_device_argument *argument = &launch->arguments[i];
    task->arguments[i] =
        argument->memory != NULL ? place_in(argument->memory, argument->offset) : place;
    if (argument->memory != NULL)
      continue;
    memcpy(place, argument->scalar, argument->bytes);
    place += cwi_round_up(argument->bytes, SCALAR_ALIGNMENT);
  }
  return task;
}

static cw_error host_launch(void *device, enum cwi_device_queue queue,
                            const struct cwi_device_launch *launch)
{
  struct host_task *task = make_launch(launch);
  if (task == NULL)
    return out_of_memory("a launch");
  task->run = run_kernel;
  task->kernel = ((struct host_kernel *)launch->kernel)->function;
  memcpy(task->global, launch->global, sizeof task->global);
  task->taken = time_of_items(launch->global);
  return enter(device, queue, task);
}

const struct cwi_backend cwi_backend_host = {.kind = CW_DEVICE_HOST,
                                             .name = "host",
                                             .count = host_count,
                                             .open = host_open,
                                             .close = host_close,
                                             .allocate = host_allocate,
                                             .release = host_release,
                                             .wrap = host_wrap,
                                             .write = host_write,
                                             .read = host_read,
                                             .copy = host_copy,
                                             .order = host_order,
                                             .event = host_event,
                                             .passed = host_passed,
                                             .wait = host_wait,
                                             .forget = host_forget,
                                             .drain = host_drain,
                                             .build = host_build,
                                             .drop = host_drop,
                                             .find = host_find,
                                             .leave = host_leave,
                                             .launch = host_launch,
                                             .locate = host_locate};
