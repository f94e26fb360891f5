/* Children of fork. No lock of the library is held in a child, whatever other threads of the parent
 * were doing. If the parent has not queried devices before, a child uses OpenCL like any process.
 * Otherwise the parent's objects return in the child what the client side knows, and can be
 * released; both processes end. Usage: vocl_fork LIBRARY FAKE|- with FAKE: a vendor without locks
 * of its own; -: that of OCL_ICD_VENDORS. */
#include "vocl.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT = 100, THREADS = 2, CHILDREN = 100, EVENTS = 100 };

/* Runs `body` in a child process. It must return true before the timeout. */
static void check_child(bool (*body)(void), const char *what)
{
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    alarm(TIMEOUT);
    _exit(body() ? 0 : 1);
  }
  kit_check(child > 0 && waitpid(child, &status, 0) == child, "%s: no child", what);
  kit_check(status == 0, "%s: %s %d", what, WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static bool make_events(void)
{
  for (int i = 0; i < EVENTS; i++) {
    cl_int code = CL_SUCCESS;
    cl_event event = cl->clCreateUserEvent(context, &code);
    if (code != CL_SUCCESS || cl->clReleaseEvent(event) != CL_SUCCESS)
      return false;
  }
  return true;
}

static bool stops;

static void *churn(void *nothing)
{
  while (!__atomic_load_n(&stops, __ATOMIC_RELAXED))
    make_events();
  return nothing;
}

/* Forks children while other threads create and release objects. */
static void check_locks(void)
{
  pthread_t threads[THREADS];
  kit_about("locks");
  check_code(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), CL_SUCCESS,
             "clGetDeviceIDs");
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  for (int i = 0; i < THREADS; i++)
    kit_check(pthread_create(&threads[i], NULL, churn, NULL) == 0, "no thread");
  for (int i = 0; i < CHILDREN; i++)
    check_child(make_events, "a child");
  __atomic_store_n(&stops, true, __ATOMIC_RELAXED);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  check_code(cl->clReleaseContext(context), CL_SUCCESS, "clReleaseContext");
}

static bool use_all(void)
{
  const int value = 7;
  int got = 0;
  cl_int code = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  if (code != CL_SUCCESS)
    return false;
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  queue = cl->clCreateCommandQueue(context, device, 0, &code);
  cl_mem buffer = cl->clCreateBuffer(context, 0, sizeof value, NULL, &code);
  if (code != CL_SUCCESS)
    return false;
  cl->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL);
  cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL);
  return cl->clReleaseMemObject(buffer) == CL_SUCCESS && got == value;
}

static cl_event event;
static cl_mem memory;

static bool use_what_is_known(void)
{
  size_t size = 0;
  cl_uint count = 0;
  cl_context its = NULL;
  return cl->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS &&
         size == 64 &&
         cl->clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof its, &its, NULL) == CL_SUCCESS &&
         its == context &&
         cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) == CL_SUCCESS &&
         count > 0 && cl->clRetainMemObject(memory) == CL_SUCCESS &&
         cl->clReleaseMemObject(memory) == CL_SUCCESS && cl->clReleaseEvent(event) == CL_SUCCESS &&
         cl->clReleaseMemObject(memory) == CL_SUCCESS &&
         cl->clReleaseMemObject(memory) == CL_INVALID_MEM_OBJECT;
}

static void check_vendor(void)
{
  kit_about("a vendor");
  check_child(use_all, "before devices are asked for");
  kit_check(use_all(), "then the parent cannot");
  memory = cl->clCreateBuffer(context, 0, 64, NULL, NULL);
  event = cl->clCreateUserEvent(context, NULL);
  check_child(use_what_is_known, "with its parent's objects");
  check_code(cl->clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS, "the parent's event");
  check_code(cl->clReleaseEvent(event), CL_SUCCESS, "clReleaseEvent");
  check_code(cl->clReleaseMemObject(memory), CL_SUCCESS, "clReleaseMemObject");
  check_code(cl->clReleaseCommandQueue(queue), CL_SUCCESS, "clReleaseCommandQueue");
  check_code(cl->clReleaseContext(context), CL_SUCCESS, "clReleaseContext");
}

int main(int argc, char **argv)
{
  const char *vendors = getenv("OCL_ICD_VENDORS");
  if (argc != 3)
    return KIT_FAIL;
  const bool fake = strcmp(argv[2], "-") != 0;
  setenv("CW_VOCL_VENDORS", fake ? argv[2] : vendors != NULL ? vendors : "", 1);
  const char *library = argv[1];
  kit_start(&argc, &argv, "vocl_fork");
  vocl_open(library);
  fake ? check_locks() : check_vendor();
  return kit_finish();
}
