/* A program whose proxy is busy, so that there is no space for more messages: space that comes
 * late, together with reports, and sessions that end. The proxy is stopped; this process writes its
 * messages. */
#include "test_proxy.h"
#include "vocl.h"

#include "wire/channel.h"
#include "wire/message.h"

#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *text = "kernel void add(global int *a, int by) { a[get_global_id(0)] += by; }\n";

static cl_program program;

/* Returns the memory of this process's last session, or NULL if there is none. */
static struct vocl_channel_memory *session_memory(struct vocl_channel_memory *but)
{
  char line[512];
  struct vocl_channel_memory *found = NULL;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    void *memory = NULL;
    if (strstr(line, "/memfd:session") != NULL && sscanf(line, "%p-", &memory) == 1 &&
        memory != but)
      found = memory;
  }
  if (maps != NULL)
    fclose(maps);
  return found;
}

/* Waits until a thread waits for space for a message. */
static void await_crowd(struct vocl_channel_memory *memory)
{
  const uint32_t *const wants = &memory->ends[VOCL_PROGRAM_SIDE].wants_space;
  while ((__atomic_load_n(wants, __ATOMIC_SEQ_CST) >> VOCL_RING_MESSAGES & 1) == 0)
    usleep(1000);
}

/* Returns true if the thread is stopped or has ended. Its state follows its name in brackets; T
 * means stopped. */
static bool thread_is_stopped(const char *stat_file)
{
  char line[512] = "";
  FILE *file = fopen(stat_file, "r");
  const bool is_read = file != NULL && fgets(line, sizeof line, file) != NULL;
  const char *bracket = is_read ? strrchr(line, ')') : NULL;
  if (file != NULL)
    fclose(file);
  return bracket == NULL || strncmp(bracket, ") T", 3) == 0;
}

/* Returns true if all threads of the proxy are stopped. */
static bool proxy_is_stopped(void)
{
  char pattern[64];
  glob_t threads;
  snprintf(pattern, sizeof pattern, "/proc/%d/task/*/stat", (int)vocl_double);
  bool is_stopped = glob(pattern, GLOB_NOSORT, NULL, &threads) == 0;
  for (size_t i = 0; is_stopped && i < threads.gl_pathc; i++)
    is_stopped = thread_is_stopped(threads.gl_pathv[i]);
  globfree(&threads);
  return is_stopped;
}

static void stop_proxy(void)
{
  kill(vocl_double, SIGSTOP);
  while (!proxy_is_stopped())
    usleep(1000);
}

static int ends_reported;

static void CL_CALLBACK count_end(cl_mem memory, void *data)
{
  (void)memory;
  (void)data;
  __atomic_fetch_add(&ends_reported, 1, __ATOMIC_SEQ_CST);
}

/* Continues the proxy after a while. */
static void *go_on(void *nothing)
{
  usleep(300000);
  kill(vocl_double, SIGCONT);
  return nothing;
}

/* Sends more messages than there is space for. */
static void *set_arguments(void *kernel)
{
  enum { MANY = 20000 };
  for (int i = 0; i < MANY; i++)
    cl->clSetKernelArg(kernel, 1, sizeof i, &i);
  return NULL;
}

/* Memory is released while there is no space for the message, and another thread waits for space.
 */
static void check_end_is_reported(void)
{
  kit_about("an end that is reported");
  enum { OTHERS = 4 };
  cl_sampler others[OTHERS];
  cl_kernel kernel = cl->clCreateKernel(program, "add", NULL);
  cl_mem buffer = cl->clCreateBuffer(context, 0, 64, NULL, NULL);
  for (int i = 0; i < OTHERS; i++)
    others[i] = cl->clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, NULL);
  check_code(cl->clSetMemObjectDestructorCallback(buffer, count_end, NULL), CL_SUCCESS, "callback");
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  struct vocl_channel_memory *memory = session_memory(NULL);
  if (!kit_check(memory != NULL, "there is no session"))
    return;
  stop_proxy();
  pthread_t thread, waker;
  pthread_create(&thread, NULL, set_arguments, kernel);
  await_crowd(memory);
  for (int i = 0; i < OTHERS; i++) /* fills the space that is left for a short message */
    cl->clReleaseSampler(others[i]);
  pthread_create(&waker, NULL, go_on, NULL);
  check_code(cl->clReleaseMemObject(buffer), CL_SUCCESS, "clReleaseMemObject");
  kit_await(&ends_reported, 1); /* the proxy receives more arguments before */
  kit_check(__atomic_load_n(&ends_reported, __ATOMIC_SEQ_CST) == 1, "it is not reported");
  pthread_join(waker, NULL);
  pthread_join(thread, NULL);
  cl->clReleaseKernel(kernel);
}

/* A session of a child process, whose proxy is stopped. */
struct child {
  struct vocl_channel_memory *memory;
  cl_command_queue on;
  cl_event waits; /* event that its markers wait for, or NULL */
};

static bool child_begin(struct child *child, struct vocl_channel_memory *parents)
{
  cl_int code = CL_SUCCESS;
  cl_context own = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  child->on = cl->clCreateCommandQueue(own, device, 0, &code);
  child->memory = session_memory(parents);
  child->waits = NULL;
  if (code != CL_SUCCESS || child->memory == NULL || cl->clFinish(child->on) != CL_SUCCESS)
    return false;
  stop_proxy();
  return true;
}

/* Acts as the proxy: sends a message, and receives everything, so that there is space again.
 * Signals the program to look for messages. */
static void send_as_proxy(const struct child *child, const void *message, size_t bytes)
{
  struct vocl_ring_position *written =
      &child->memory->rings[VOCL_PROXY_SIDE][VOCL_RING_MESSAGES].written;
  char *ring = vocl_channel_ring_memory(child->memory, VOCL_PROXY_SIDE, VOCL_RING_MESSAGES);
  memcpy(ring + written->bytes % VOCL_MESSAGE_RING_BYTES, message, bytes);
  __atomic_store_n(&written->bytes, written->bytes + (bytes + 15) / 16 * 16, __ATOMIC_SEQ_CST);
  vocl_channel_ring_bell(child->memory, VOCL_PROGRAM_SIDE);
}

static void receive_as_proxy(const struct child *child, bool ring)
{
  struct vocl_channel_ring_state *ours =
      &child->memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES];
  __atomic_store_n(&ours->taken.bytes, __atomic_load_n(&ours->written.bytes, __ATOMIC_ACQUIRE),
                   __ATOMIC_SEQ_CST);
  if (ring)
    vocl_channel_ring_bell(child->memory, VOCL_PROGRAM_SIDE);
}

static cl_int status_of(cl_event event)
{
  return VOCL_GET(cl_int, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
}

static int markers_sent;

/* Enqueues markers until one is rejected or has failed; returns the last one's event. */
static void *send_markers(void *argument)
{
  const struct child *child = argument;
  const cl_uint waits = child->waits != NULL;
  cl_event last = NULL, event = NULL;
  while ((last == NULL || status_of(last) > CL_COMPLETE) &&
         cl->clEnqueueMarkerWithWaitList(child->on, waits, waits ? &child->waits : NULL, &event) ==
             CL_SUCCESS) {
    if (last != NULL)
      cl->clReleaseEvent(last);
    last = event;
    __atomic_fetch_add(&markers_sent, 1, __ATOMIC_RELAXED);
  }
  return last;
}

/* Ends the child's session while a thread waits for space, which becomes free at the same time. */
static int lose_session(struct child *child)
{
  const struct vocl_msg_header malformed = {.bytes = sizeof malformed, .what = UINT16_MAX};
  pthread_t thread;
  void *last = NULL;
  pthread_create(&thread, NULL, send_markers, child);
  await_crowd(child->memory);
  receive_as_proxy(child, false);
  send_as_proxy(child, &malformed, sizeof malformed);
  pthread_join(thread, &last);
  return last != NULL && status_of(last) < 0 ? 0 : 2;
}

/* Returns the event of the last command sent after a position. */
static uint32_t last_event(const struct child *child, uint64_t from)
{
  const char *ring = vocl_channel_ring_memory(child->memory, VOCL_PROGRAM_SIDE, VOCL_RING_MESSAGES);
  const struct vocl_ring_position *written =
      &child->memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].written;
  uint32_t event = 0;
  while (from < __atomic_load_n(&written->bytes, __ATOMIC_ACQUIRE)) {
    struct vocl_msg_command command;
    memcpy(&command, ring + from % VOCL_MESSAGE_RING_BYTES, sizeof command);
    if (command.header.what == VOCL_MSG_COMMAND)
      event = command.event;
    from +=
        command.header.bytes > 0 ? (command.header.bytes + 15) / 16 * 16 : VOCL_MESSAGE_RING_BYTES;
  }
  return event;
}

/* The event that a command waits for fails while the command waits for space: the command fails,
 * too, and is not sent. */
static int fail_wait(struct child *child)
{
  const struct vocl_ring_position *written =
      &child->memory->rings[VOCL_PROGRAM_SIDE][VOCL_RING_MESSAGES].written;
  const uint64_t from = __atomic_load_n(&written->bytes, __ATOMIC_ACQUIRE);
  char message[sizeof(struct vocl_msg_done) + sizeof(struct vocl_completion)] = {0};
  const struct vocl_msg_done head = {.header = {.bytes = sizeof message, .what = VOCL_MSG_DONE},
                                     .count = 1};
  pthread_t thread;
  void *last = NULL;
  cl->clEnqueueMarkerWithWaitList(child->on, 0, NULL, &child->waits);
  cl->clFlush(child->on);
  const struct vocl_completion failed = {.event = last_event(child, from),
                                         .status = CL_OUT_OF_RESOURCES};
  memcpy(message, &head, sizeof head);
  memcpy(message + sizeof head, &failed, sizeof failed);
  pthread_create(&thread, NULL, send_markers, child);
  await_crowd(child->memory);
  const int markers_before = __atomic_load_n(&markers_sent, __ATOMIC_RELAXED);
  send_as_proxy(child, message, sizeof message);
  while (status_of(child->waits) != CL_OUT_OF_RESOURCES) /* until the program has received that */
    usleep(1000);
  receive_as_proxy(child, true);
  pthread_join(thread, &last);
  return markers_sent == markers_before + 1 &&
                 status_of(last) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
             ? 0
             : 3;
}

/* Runs the check in a child, whose session is not needed afterwards. */
static void check_child(const char *what, int (*function)(struct child *child))
{
  kit_about("%s while room is wanted", what);
  struct vocl_channel_memory *memory = session_memory(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    struct child child;
    _exit(child_begin(&child, memory) ? function(&child) : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  kill(vocl_double, SIGCONT);
  kit_check(status == 0, "the child ends with %x", (unsigned)status);
}

int main(int argc, char **argv)
{
  vocl_start(&argc, &argv, "vocl_ring_space");
  program = vocl_build(text);
  check_end_is_reported();
  check_child("a session ends", lose_session);
  check_child("a wait fails", fail_wait);
  cl->clReleaseProgram(program);
  return vocl_finish();
}
