/* Makes random calls of OpenCL on one device, or on two of one context, and writes a log of what
 * they return and of what is in memory. random.sh compares the logs of two libraries or devices.
 * Usage: vocl_random LIBRARY DEVICE[+DEVICE] FIRST_SEED PROGRAMS STEPS [THREADS]. DEVICE: its
 * number. */
#include "random.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

size_t draw(struct random_program *run, size_t count)
{
  uint64_t z = (run->state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % count;
}

bool chance(struct random_program *run, int percent)
{
  return draw(run, 100) < (size_t)percent;
}

size_t draw_size(struct random_program *run, size_t most)
{
  static const size_t limits[] = {64, 4096, 65536, 1 << 18, (size_t)1 << 40};
  const size_t limit = limits[draw(run, sizeof limits / sizeof *limits)];
  return draw(run, (limit < most ? limit : most) + 1);
}

void log_call(struct random_program *run, cl_int code, const char *format, ...)
{
  va_list rest;
  va_start(rest, format);
  fprintf(run->log, "%ld ", run->step);
  vfprintf(run->log, format, rest);
  fprintf(run->log, ": %d\n", code);
  va_end(rest);
}

uint64_t sum_of(const void *bytes, size_t size)
{
  uint64_t sum = 0xcbf29ce484222325, word = 0;
  for (size_t i = 0; i < size; i += sizeof word) {
    const size_t rest = size - i < sizeof word ? size - i : sizeof word;
    memcpy(&word, (const char *)bytes + i, rest);
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 29;
  }
  return sum;
}

static char *memory_random(struct random_program *run, size_t size)
{
  /* A few bytes more, because rows may end after it. */
  char *memory = kit_alloc(size / sizeof(uint64_t) + 2, sizeof(uint64_t));
  uint64_t word = draw(run, SIZE_MAX) | 1;
  for (size_t i = 0; i < size; i += sizeof word) {
    word = word * 6364136223846793005 + 1442695040888963407;
    memcpy(memory + i, &word, sizeof word);
  }
  return memory;
}

char *short_memory(struct random_program *run, size_t size)
{
  return run->short_lived[run->short_count++] = memory_random(run, size);
}

char *long_memory(struct random_program *run, size_t size)
{
  return run->long_lived[run->long_count++] = memory_random(run, size);
}

/* The thread that sets user events. */

static void *set_events(void *argument)
{
  struct setter *setter = argument;
  pthread_mutex_lock(&setter->lock);
  for (;;) {
    while (setter->count == 0 && !setter->end)
      pthread_cond_wait(&setter->change, &setter->lock);
    if (setter->count == 0)
      break;
    cl_event user_event = setter->user_events[--setter->count];
    pthread_mutex_unlock(&setter->lock);
    usleep(300);
    cl->clSetUserEventStatus(user_event, CL_COMPLETE);
    cl->clReleaseEvent(user_event);
    pthread_mutex_lock(&setter->lock);
  }
  pthread_mutex_unlock(&setter->lock);
  return NULL;
}

static void setter_give(struct setter *setter, cl_event user_event)
{
  for (bool given = false; !given;) {
    pthread_mutex_lock(&setter->lock);
    given = setter->count < USER_EVENTS;
    if (given)
      setter->user_events[setter->count++] = user_event;
    pthread_cond_signal(&setter->change);
    pthread_mutex_unlock(&setter->lock);
    if (!given)
      usleep(100);
  }
}

void let_go(struct random_program *run)
{
  while (run->held_count > 0)
    setter_give(&run->setter, run->held[--run->held_count]);
}

/* Order. */

static void wait_for(struct random_program *run, struct ordered *ordered, int number)
{
  struct command *command = &run->commands[number];
  struct random_queue *used = &run->queues[command->queue];
  if (used == ordered->queue && (used->in_order || number <= used->barrier) && chance(run, 70))
    return;
  if (command->event == NULL) { /* a marker completes after it, and after all before it */
    if (cl->clEnqueueMarkerWithWaitList(used->handle, 0, NULL, &command->event) != CL_SUCCESS)
      return;
  }
  for (cl_uint i = 0; i < ordered->count; i++)
    if (ordered->waits[i] == command->event)
      return;
  ordered->waits[ordered->count++] = command->event;
  if (used != ordered->queue)
    cl->clFlush(used->handle);
}

void order_begin(struct random_program *run, struct ordered *ordered, const struct use *uses)
{
  *ordered = (struct ordered){.queue = &run->queues[draw(run, QUEUES)]};
  for (; uses->memory != NULL; uses++) {
    const struct past *past = uses->memory->past;
    if (past->writer >= 0)
      wait_for(run, ordered, past->writer);
    for (int i = 0; uses->writes && i < past->reader_count; i++)
      wait_for(run, ordered, past->readers[i]);
    ordered->uses[ordered->use_count++] = *uses;
  }
  if (chance(run, 4) && run->held_count < USER_EVENTS && run->opened_count < COMMANDS) {
    cl_int code = CL_SUCCESS;
    cl_event user_event = cl->clCreateUserEvent(run->context, &code);
    log_call(run, code, "user event");
    if (user_event != NULL) {
      cl->clRetainEvent(user_event); /* the setter's reference */
      ordered->waits[ordered->count++] = run->held[run->held_count++] = user_event;
      run->opened[run->opened_count++] = user_event;
    }
  }
  ordered->given = ordered->count > 0 ? ordered->waits : NULL;
  ordered->wanted = chance(run, 60) ? &ordered->event : NULL;
  /* Without an event, no command could wait for it in an out-of-order queue. */
  if (!ordered->queue->in_order)
    ordered->wanted = &ordered->event;
  ordered->blocking = chance(run, 30);
  if (ordered->blocking || chance(run, 30))
    let_go(run);
}

void order_end(struct random_program *run, struct ordered *ordered, cl_int code)
{
  if (code != CL_SUCCESS)
    return;
  const int number = run->command_count++;
  run->commands[number] = (struct command){ordered->event, (int)(ordered->queue - run->queues)};
  for (int i = 0; i < ordered->use_count; i++) {
    struct past *past = ordered->uses[i].memory->past;
    if (ordered->uses[i].writes) {
      past->writer = number;
      past->reader_count = 0;
    } else {
      past->readers[past->reader_count++] = number;
    }
  }
  if (ordered->event != NULL && chance(run, 5)) {
    log_call(run, cl->clRetainEvent(ordered->event), "retain event");
    log_call(run, cl->clReleaseEvent(ordered->event), "release event");
  }
}

void expect_read(struct random_program *run, const struct ordered *ordered, cl_int code,
                 void *bytes, size_t size)
{
  if (code != CL_SUCCESS)
    return;
  if (ordered->blocking)
    log_call(run, 0, "got %016llx", (unsigned long long)sum_of(bytes, size));
  else
    run->reads[run->read_count++] = (struct expected){bytes, size, run->step};
}

/* Waits for the commands in progress. */

static void settle_events(struct random_program *run)
{
  for (int i = 0; i < run->command_count; i++) {
    cl_event event = run->commands[i].event;
    if (event == NULL)
      continue;
    cl_int status = 99;
    cl_command_type type = 0;
    cl_int code =
        cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    cl->clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    if (code != CL_SUCCESS || status != CL_COMPLETE)
      log_call(run, code, "command %d of type %x has status %d", i, type, status);
    cl_ulong times[4] = {0, 0, 0, 0};
    cl_int codes = 0;
    for (cl_uint k = 0; k < 4; k++)
      codes += cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + k, sizeof *times,
                                           &times[k], NULL);
    const bool grow = times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3];
    /* PoCL reports a task as a kernel. */
    if (type == CL_COMMAND_TASK)
      type = CL_COMMAND_NDRANGE_KERNEL;
    if (run->queues[run->commands[i].queue].profiling)
      log_call(run, codes, "times of %x %s", type, grow ? "grow" : "do not grow");
    else if (codes == CL_SUCCESS)
      log_call(run, codes, "times without profiling");
    cl->clReleaseEvent(event);
  }
  run->command_count = 0;
}

void settle(struct random_program *run)
{
  let_go(run);
  for (int i = 0; i < QUEUES; i++) {
    const cl_int code =
        run->queues[i].handle != NULL ? cl->clFinish(run->queues[i].handle) : CL_SUCCESS;
    if (code != CL_SUCCESS)
      log_call(run, code, "finish");
    run->queues[i].barrier = -1;
  }
  for (int i = 0; i < run->read_count; i++)
    log_call(run, 0, "read in step %ld: %016llx", run->reads[i].step,
             (unsigned long long)sum_of(run->reads[i].bytes, run->reads[i].size));
  run->read_count = 0;
  /* A callback may come after clFinish. */
  kit_await(&run->callbacks, run->callbacks_due);
  log_call(run, 0, "settled after %d commands, %d callbacks of %d", run->command_count,
           __atomic_load_n(&run->callbacks, __ATOMIC_ACQUIRE), run->callbacks_due);
  settle_events(run);
  while (run->opened_count > 0)
    cl->clReleaseEvent(run->opened[--run->opened_count]);
  for (int i = 0; i < MEMORIES; i++) {
    if (run->memories[i].handle != NULL) {
      run->memories[i].past->writer = -1;
      run->memories[i].past->reader_count = 0;
    }
  }
  while (run->short_count > 0)
    free(run->short_lived[--run->short_count]);
}

/* Steps that order commands. */

static void CL_CALLBACK note(cl_event event, cl_int status, void *argument)
{
  struct random_program *run = argument;
  (void)event;
  if (status == CL_COMPLETE)
    __atomic_fetch_add(&run->callbacks, 1, __ATOMIC_RELEASE);
}

static void step_marker(struct random_program *run)
{
  struct ordered ordered;
  order_begin(run, &ordered, &(struct use){NULL, false});
  const bool barrier = chance(run, 50);
  const struct random_queue *used = ordered.queue;
  const cl_int code = barrier ? cl->clEnqueueBarrierWithWaitList(used->handle, ordered.count,
                                                                 ordered.given, ordered.wanted)
                              : cl->clEnqueueMarkerWithWaitList(used->handle, ordered.count,
                                                                ordered.given, ordered.wanted);
  log_call(run, code, "%s after %u", barrier ? "barrier" : "marker", ordered.count);
  /* With a list of events it waits only for these. */
  if (barrier && code == CL_SUCCESS && ordered.count == 0)
    ordered.queue->barrier = run->command_count;
  order_end(run, &ordered, code);
}

static void step_old_marker(struct random_program *run)
{
  struct ordered ordered;
  order_begin(run, &ordered, &(struct use){NULL, false});
  cl_int code = CL_SUCCESS;
  if (chance(run, 50)) {
    ordered.wanted = &ordered.event;
    code = cl->clEnqueueMarker(ordered.queue->handle, ordered.wanted);
    log_call(run, code, "old marker");
    order_end(run, &ordered, code);
  } else {
    code = cl->clEnqueueBarrier(ordered.queue->handle);
    log_call(run, code, "old barrier");
    if (code == CL_SUCCESS)
      ordered.queue->barrier = run->command_count - 1;
  }
}

static void step_wait(struct random_program *run)
{
  cl_event events[8];
  cl_uint count = 0;
  for (int i = 0; i < 8 && run->command_count > 0; i++) {
    const struct command *command = &run->commands[draw(run, (size_t)run->command_count)];
    if (command->event != NULL)
      events[count++] = command->event;
  }
  if (count == 0)
    return;
  let_go(run);
  log_call(run, cl->clWaitForEvents(count, events), "wait for %u", count);
}

static void step_callback(struct random_program *run)
{
  if (run->command_count == 0)
    return;
  const struct command *command = &run->commands[draw(run, (size_t)run->command_count)];
  if (command->event == NULL)
    return;
  const cl_int code = cl->clSetEventCallback(command->event, CL_COMPLETE, note, run);
  run->callbacks_due += code == CL_SUCCESS;
  log_call(run, code, "callback");
}

static void step_queue(struct random_program *run)
{
  struct random_queue *used = &run->queues[draw(run, QUEUES)];
  cl_command_queue_properties flags = 0;
  cl_context whose = NULL;
  switch (draw(run, 4)) {
  case 0:
    log_call(run, cl->clFlush(used->handle), "flush");
    break;
  case 1:
    let_go(run);
    log_call(run, cl->clFinish(used->handle), "finish");
    break;
  case 2:
    log_call(run, cl->clRetainCommandQueue(used->handle), "retain queue");
    log_call(run, cl->clReleaseCommandQueue(used->handle), "release queue");
    break;
  default:
    cl->clGetCommandQueueInfo(used->handle, CL_QUEUE_CONTEXT, sizeof whose, &whose, NULL);
    log_call(
        run,
        cl->clGetCommandQueueInfo(used->handle, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL),
        "flags %lx, context %d", (unsigned long)flags, whose == run->context);
  }
}

/* Releases a queue with commands in progress, and creates another one in its place. */
static void make_queue(struct random_program *run, int number)
{
  struct random_queue *used = &run->queues[number];
  if (used->handle != NULL) {
    cl_event last = NULL;
    log_call(run, cl->clEnqueueMarkerWithWaitList(used->handle, 0, NULL, &last), "last marker");
    log_call(run, cl->clReleaseCommandQueue(used->handle), "release queue");
    used->handle = NULL;
    let_go(run);
    log_call(run, cl->clWaitForEvents(1, &last), "what was in the queue");
    cl->clReleaseEvent(last);
    settle(run);
  }
  used->in_order = number == 0 || chance(run, 50);
  used->profiling = chance(run, 50);
  used->barrier = -1;
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties flags =
      (used->in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) |
      (used->profiling ? CL_QUEUE_PROFILING_ENABLE : 0);
  const size_t on = draw(run, run->device_count);
  used->handle = cl->clCreateCommandQueue(run->context, run->devices[on], flags, &code);
  log_call(run, code, "queue of %zu with %lx", on, (unsigned long)flags);
}

static void step(struct random_program *run)
{
  if (run->command_count > COMMANDS - 40 || run->short_count > COMMANDS)
    settle(run);
  switch (draw(run, 30)) {
  case 0:
    step_marker(run);
    break;
  case 1:
    step_old_marker(run);
    break;
  case 2:
    step_wait(run);
    break;
  case 3:
    step_callback(run);
    break;
  case 4:
    step_queue(run);
    break;
  case 5:
    wrong_steps(run);
    break;
  case 6:
    if (chance(run, 20))
      settle(run);
    break;
  case 7:
  case 8:
  case 9:
  case 10:
  case 11:
    image_steps(run);
    break;
  case 12:
  case 13:
  case 14:
  case 15:
  case 16:
  case 17:
  case 18:
  case 19:
    launch_steps(run);
    break;
  default:
    buffer_steps(run);
  }
}

/* Runs one program, which depends only on its seed. */

static void begin(struct random_program *run, uint64_t seed)
{
  run->state = seed * 0x2545f4914f6cdd1d;
  run->log = open_memstream(&run->text, &run->length);
  fprintf(run->log, "seed %llu\n", (unsigned long long)seed);
  pthread_mutex_init(&run->setter.lock, NULL);
  pthread_cond_init(&run->setter.change, NULL);
  pthread_create(&run->setter.thread, NULL, set_events, &run->setter);
  cl_int code = CL_SUCCESS;
  run->context = cl->clCreateContext(NULL, run->device_count, run->devices, NULL, NULL, &code);
  log_call(run, code, "context");
  for (int i = 0; i < QUEUES; i++)
    make_queue(run, i);
  kernels_begin(run);
}

static void release_queues(struct random_program *run)
{
  for (int i = 0; i < QUEUES; i++)
    log_call(run, cl->clReleaseCommandQueue(run->queues[i].handle), "release queue");
}

static void release_memories(struct random_program *run)
{
  for (int i = 0; i < MEMORIES; i++)
    if (run->memories[i].handle != NULL)
      forget_memory(run, &run->memories[i]);
}

/* Releases a program's objects in a random order. */
static void end(struct random_program *run)
{
  void (*const releases[])(struct random_program *) = {release_queues, release_memories,
                                                       kernels_end};
  const size_t first = draw(run, 3), early = draw(run, 3);
  for (int i = 0; i < MEMORIES; i++)
    if (run->memories[i].mapped != NULL)
      unmap(run, &run->memories[i]);
  settle(run);
  for (size_t i = 0; i < 3; i++) {
    if (i == early)
      log_call(run, cl->clReleaseContext(run->context), "release context");
    releases[(first + i) % 3](run);
  }
  pthread_mutex_lock(&run->setter.lock);
  run->setter.end = true;
  pthread_cond_signal(&run->setter.change);
  pthread_mutex_unlock(&run->setter.lock);
  pthread_join(run->setter.thread, NULL);
  while (run->long_count > 0)
    free(run->long_lived[--run->long_count]);
  fclose(run->log);
}

static cl_device_id devices_chosen[DEVICES];
static cl_uint chosen_count;
static long steps;

struct job {
  pthread_t thread;
  uint64_t seed;
  char *text;
};

static void *job_run(void *argument)
{
  struct job *job = argument;
  struct random_program *run = kit_alloc(1, sizeof *run);
  memcpy(run->devices, devices_chosen, sizeof devices_chosen);
  run->device = run->devices[0];
  run->device_count = chosen_count;
  begin(run, job->seed);
  for (run->step = 1; run->step <= steps; run->step++) {
    step(run);
    if (chance(run, 1))
      make_queue(run, (int)draw(run, QUEUES));
  }
  end(run);
  job->text = run->text;
  free(run);
  return NULL;
}

static void choose_devices(const char *numbers)
{
  cl_device_id devices[64];
  cl_uint count = 0;
  cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, devices, &count);
  for (char *rest = NULL; *numbers != '\0' && chosen_count < DEVICES; numbers = rest) {
    const unsigned long wanted = strtoul(numbers, &rest, 10);
    rest += *rest == '+';
    if (wanted >= count) {
      fprintf(stderr, "vocl_random: there is no device %lu of %u\n", wanted, count);
      exit(KIT_FAIL);
    }
    devices_chosen[chosen_count++] = devices[wanted];
  }
}

int main(int argc, char **argv)
{
  enum { THREADS_MOST = 16 };
  if (argc < 6)
    return KIT_FAIL;
  vocl_open(argv[1]);
  choose_devices(argv[2]);
  uint64_t seed = strtoull(argv[3], NULL, 10);
  const long programs = strtol(argv[4], NULL, 10);
  steps = strtol(argv[5], NULL, 10);
  const long threads = argc > 6 ? strtol(argv[6], NULL, 10) : 1;
  struct job jobs[THREADS_MOST];
  for (long done = 0; done < programs; done += threads) {
    for (long i = 0; i < threads; i++) {
      jobs[i].seed = seed++;
      pthread_create(&jobs[i].thread, NULL, job_run, &jobs[i]);
    }
    for (long i = 0; i < threads; i++) {
      pthread_join(jobs[i].thread, NULL);
      fputs(jobs[i].text, stdout);
      free(jobs[i].text);
    }
  }
  return KIT_PASS;
}
