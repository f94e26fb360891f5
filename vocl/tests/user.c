/* A program that uses a device, and that may end badly, fork, or lose its proxy.
 *
 *   vocl_user LIBRARY DEVICE work           makes calls of all kinds, and checks the results
 *   vocl_user LIBRARY DEVICE write|read|build   the same for ever, until it is killed
 *   vocl_user LIBRARY DEVICE leave          ends with commands under way and nothing released
 *   vocl_user LIBRARY DEVICE again          becomes another program (exec), which works
 *   vocl_user LIBRARY DEVICE lost PROCESS   kills the proxy; all calls fail soon
 *   vocl_user LIBRARY DEVICE lost kernel    the same by a kernel that stores to an invalid address
 *   vocl_user LIBRARY DEVICE lost link      the same: it prints a line, and the test cuts the link
 *   vocl_user LIBRARY DEVICE child          forks; parent and child continue
 *   vocl_user LIBRARY DEVICE threads        two threads use one queue
 *   vocl_user LIBRARY DEVICE full           allocates memory until there is none
 *   vocl_user LIBRARY DEVICE sessions NUMBER PROCESS...   NUMBER processes, one after the other
 *   vocl_user LIBRARY DEVICE mortal NUMBER PROCESS...     the same, and each is killed
 *   vocl_user LIBRARY DEVICE quiet          queries cause no message
 *   vocl_user LIBRARY DEVICE record FILE    a short session of everything, recorded in the file
 *
 * The exit status is 0 if all was right. */
#include "vocl.h"

#include "base/clock.h"
#include "wire/channel.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 1 << 16, BYTES = NUMBERS * (int)sizeof(cl_uint), LONG = 24 << 20 };

static const char *text =
    "kernel void add(global uint *a, uint b) { a[get_global_id(0)] += b; }\n"
    "kernel void spin(global uint *a, uint n)\n"
    "{ uint x = a[0]; for (uint i = 0; i < n; i++) x = x * 1664525 + 1013904223 + (x >> 7);\n"
    "  a[0] = x; }\n"
    "kernel void astray(global uint *a, uint n)\n"
    "{ ((volatile global uint *)(ulong)n)[0] = a[0]; }\n";

static const char *library;
static unsigned long device_number;

/* --- What all do ------------------------------------------------------------------------------ */

static void begin(void)
{
  cl_int code = CL_SUCCESS;
  vocl_choose(device_number);
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  queue = cl->clCreateCommandQueue(context, device, 0, &code);
  must_be(code, CL_SUCCESS, "clCreateCommandQueue");
}

static cl_mem new_buffer(size_t bytes)
{
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateBuffer");
  return buffer;
}

static cl_program build(void)
{
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateProgramWithSource");
  must_be(cl->clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS, "clBuildProgram");
  return program;
}

static cl_kernel new_kernel(cl_program program, const char *name, cl_mem buffer, cl_uint number)
{
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = cl->clCreateKernel(program, name, &code);
  must_be(code, CL_SUCCESS, name);
  must_be(cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS, "argument 0");
  must_be(cl->clSetKernelArg(kernel, 1, sizeof number, &number), CL_SUCCESS, "argument 1");
  return kernel;
}

static cl_int launch(cl_kernel kernel, size_t items, cl_event *event)
{
  const size_t group = items < 64 ? items : 64;
  return cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, event);
}

static void work_with(cl_program program)
{
  static cl_uint values[NUMBERS], got[NUMBERS];
  for (cl_uint i = 0; i < NUMBERS; i++)
    values[i] = i * 2654435761U;
  cl_mem buffer = new_buffer(BYTES);
  cl_kernel kernel = new_kernel(program, "add", buffer, 17);
  must_be(cl->clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, values, 0, NULL, NULL),
          CL_SUCCESS, "clEnqueueWriteBuffer");
  must_be(launch(kernel, NUMBERS, NULL), CL_SUCCESS, "clEnqueueNDRangeKernel");
  must_be(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, got, 0, NULL, NULL), CL_SUCCESS,
          "clEnqueueReadBuffer");
  for (cl_uint i = 0; i < NUMBERS; i++)
    must(got[i] == values[i] + 17, "number %u is %u, not %u", i, got[i], values[i] + 17);
  cl->clReleaseKernel(kernel);
  cl->clReleaseMemObject(buffer);
}

static void end(void)
{
  must_be(cl->clReleaseCommandQueue(queue), CL_SUCCESS, "clReleaseCommandQueue");
  must_be(cl->clReleaseContext(context), CL_SUCCESS, "clReleaseContext");
}

static void work(void)
{
  begin();
  cl_program program = build();
  work_with(program);
  cl->clReleaseProgram(program);
  end();
}

/* --- Programs that are killed ------------------------------------------------------------- */

static _Noreturn void for_ever(const char *what)
{
  static char bytes[LONG];
  begin();
  cl_mem buffer = new_buffer(LONG);
  for (long round = 0;; round++) {
    if (round == 1) {
      printf("%s\n", what);
      fflush(stdout);
    }
    if (strcmp(what, "write") == 0)
      must_be(cl->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, LONG, bytes, 0, NULL, NULL),
              CL_SUCCESS, what);
    else if (strcmp(what, "read") == 0)
      must_be(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, LONG, bytes, 0, NULL, NULL),
              CL_SUCCESS, what);
    else
      cl->clReleaseProgram(build());
  }
}

static _Noreturn void leave(void)
{
  static char bytes[LONG];
  begin();
  cl_mem buffer = new_buffer(LONG);
  for (int i = 0; i < 4; i++)
    must_be(cl->clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, LONG, bytes, 0, NULL, NULL),
            CL_SUCCESS, "write");
  must_be(cl->clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, LONG, bytes, 0, NULL, NULL),
          CL_SUCCESS, "read");
  cl->clFlush(queue);
  exit(KIT_PASS);
}

static void again(char **argv)
{
  begin();
  new_buffer(BYTES);
  char work_word[] = "work";
  argv[3] = work_word;
  execv("/proc/self/exe", argv);
  must(false, "exec");
}

/* --- A proxy that dies ------------------------------------------------------------------------ */

static cl_int noted_status = 1;

static void CL_CALLBACK note_status(cl_event event, cl_int status, void *data)
{
  (void)event;
  (void)data;
  __atomic_store_n(&noted_status, status, __ATOMIC_RELEASE);
}

static double lost_at;
enum { BY_KERNEL = 0, BY_LINK = -1 }; /* otherwise the process that is to be killed */

static void *kill_proxy(void *process)
{
  usleep(300000);
  lost_at = cwi_now();
  must(kill((pid_t)(intptr_t)process, SIGKILL) == 0, "there is no proxy %d",
       (int)(intptr_t)process);
  return NULL;
}

/* Checks what each call returns once the proxy is gone. */
static void check_lost(cl_mem buffer, cl_kernel kernel, cl_program program)
{
  char bytes[8] = "";
  cl_int code = CL_SUCCESS;
  must_be(cl->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
          CL_DEVICE_NOT_AVAILABLE, "a write");
  must_be(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, bytes, 0, NULL, NULL),
          CL_DEVICE_NOT_AVAILABLE, "a read");
  must_be(launch(kernel, 1, NULL), CL_DEVICE_NOT_AVAILABLE, "a launch");
  (void)cl->clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, NULL, &code);
  must_be(code, CL_DEVICE_NOT_AVAILABLE, "a map");
  (void)cl->clCreateBuffer(context, 0, 64, NULL, &code);
  must_be(code, CL_DEVICE_NOT_AVAILABLE, "a new buffer");
  must_be(cl->clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_DEVICE_NOT_AVAILABLE, "a build");
  must_be(cl->clFlush(queue), CL_DEVICE_NOT_AVAILABLE, "clFlush");
  must_be(cl->clFinish(queue), CL_DEVICE_NOT_AVAILABLE, "clFinish");
}

static void lost(pid_t proxy)
{
  cl_int status = 0;
  cl_event event = NULL;
  pthread_t killer;
  begin();
  cl_program program = build();
  cl_mem buffer = new_buffer(BYTES);
  cl_kernel kernel = new_kernel(program, "spin", buffer, 4000000000U);
  work_with(program);
  cl_kernel astray = new_kernel(program, "astray", buffer, 16);
  lost_at = cwi_now();
  must_be(launch(proxy == BY_KERNEL ? astray : kernel, 1, &event), CL_SUCCESS, "the first kernel");
  if (proxy == BY_KERNEL) /* the next launch fails if the proxy is gone already */
    (void)launch(kernel, 1, NULL);
  must_be(cl->clSetEventCallback(event, CL_COMPLETE, note_status, NULL), CL_SUCCESS, "a callback");
  if (proxy > 0)
    pthread_create(&killer, NULL, kill_proxy, (void *)(intptr_t)proxy);
  if (proxy == BY_LINK && cl->clFlush(queue) == CL_SUCCESS && puts("at work") >= 0)
    fflush(stdout);
  const cl_int code = cl->clFinish(queue);
  const double seconds = cwi_now() - lost_at;
  if (proxy > 0)
    pthread_join(killer, NULL);
  printf("clFinish gives %d, %.0f ms after the proxy was lost\n", code, 1e3 * seconds);
  must_be(code, CL_DEVICE_NOT_AVAILABLE, "clFinish");
  /* After a cut link CW_VOCL_SILENCE, 5 seconds, must pass; busy machines take longer. */
  must(seconds < 40, "that is too late");
  must_be(
      cl->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
      CL_SUCCESS, "clGetEventInfo");
  must(status < 0, "the kernel's status is %d", status);
  must(cl->clWaitForEvents(1, &event) < 0, "clWaitForEvents says that all is well");
  for (int i = 0; i < 60000 && __atomic_load_n(&noted_status, __ATOMIC_ACQUIRE) == 1; i++)
    usleep(1000);
  must(noted_status < 0, "the callback received %d", noted_status);
  check_lost(buffer, kernel, program);
  must_be(cl->clReleaseEvent(event), CL_SUCCESS, "clReleaseEvent");
  must_be(cl->clReleaseMemObject(buffer), CL_SUCCESS, "clReleaseMemObject");
  must_be(cl->clReleaseKernel(kernel), CL_SUCCESS, "clReleaseKernel");
  must_be(cl->clReleaseKernel(astray), CL_SUCCESS, "clReleaseKernel");
  must_be(cl->clReleaseProgram(program), CL_SUCCESS, "clReleaseProgram");
  end();
}

/* --- fork ------------------------------------------------------------------------------------- */

static void child_works(cl_mem buffer)
{
  char bytes[8] = "";
  alarm(50);
  const cl_int code =
      cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
  must(code < 0, "a child reads its parent's buffer");
  must(cl->clFinish(queue) < 0, "a child finishes its parent's queue");
  work();
}

static void child(void)
{
  begin();
  cl_program program = build();
  cl_mem buffer = new_buffer(BYTES);
  work_with(program);
  for (int i = 0; i < 3; i++) {
    const pid_t other = fork();
    if (other == 0) {
      child_works(buffer);
      i == 1 ? _exit(KIT_PASS) : exit(KIT_PASS);
    }
    work_with(program);
    int status = 0;
    must(waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "the child ended with %x", (unsigned)status);
    work_with(program);
  }
  end();
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void *use_part(void *argument)
{
  enum { ROUNDS = 400, PART = 3000 };
  cl_mem buffer = new_buffer(PART);
  unsigned char sent[PART], got[PART];
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < PART; i++)
      sent[i] = (unsigned char)((size_t)round * 7 + i + (uintptr_t)argument);
    must_be(cl->clEnqueueWriteBuffer(queue, buffer, round % 3 == 0, 0, PART, sent, 0, NULL, NULL),
            CL_SUCCESS, "a thread's write");
    must_be(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, PART, got, 0, NULL, NULL),
            CL_SUCCESS, "a thread's read");
    must(memcmp(sent, got, PART) == 0, "a thread reads something else in round %d", round);
  }
  cl->clReleaseMemObject(buffer);
  return NULL;
}

static void threads(void)
{
  enum { THREADS = 3 };
  pthread_t all[THREADS];
  begin();
  for (intptr_t i = 0; i < THREADS; i++)
    pthread_create(&all[i], NULL, use_part, (void *)(i * 50));
  for (int i = 0; i < THREADS; i++)
    pthread_join(all[i], NULL);
  end();
}

/* --- Memory that is not there ----------------------------------------------------------------- */

static void full(void)
{
  enum { MOST = 200 };
  const size_t each = (size_t)256 << 20;
  static cl_mem buffers[MOST];
  int count = 0;
  char byte = 1;
  begin();
  cl_int code = CL_SUCCESS;
  while (code == CL_SUCCESS && count < MOST) {
    /* PoCL 3.1 ends a process that has no memory for a buffer without this flag. */
    buffers[count] = cl->clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, each, NULL, &code);
    if (code == CL_SUCCESS)
      code = cl->clEnqueueReadBuffer(queue, buffers[count++], CL_TRUE, each - 1, 1, &byte, 0, NULL,
                                     NULL);
  }
  printf("%d buffers of 256 MiB, then %d\n", count, code);
  must(code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
           code == CL_OUT_OF_HOST_MEMORY,
       "more memory gives %d", code);
  while (count > 0)
    cl->clReleaseMemObject(buffers[--count]);
  cl_program program = build();
  work_with(program);
  cl->clReleaseProgram(program);
  end();
}

/* --- Many sessions ---------------------------------------------------------------------------- */

static long entries(long process, const char *what)
{
  char path[64];
  long count = 0;
  snprintf(path, sizeof path, "/proc/%ld/%s", process, what);
  DIR *folder = opendir(path);
  must(folder != NULL, "there is no proxy %ld", process);
  while (readdir(folder) != NULL)
    count++;
  closedir(folder);
  return count - 2;
}

static long kilobytes(long process)
{
  char path[64], line[256];
  long kb = -1;
  snprintf(path, sizeof path, "/proc/%ld/status", process);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "RssAnon: %ld", &kb) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return kb;
}

struct size {
  long kb, descriptors, threads;
};

static struct size size_of(long process)
{
  return (struct size){kilobytes(process), entries(process, "fd"), entries(process, "task")};
}

/* Starts a process: one of three is killed, one releases its objects, one ends without that. */
static void one_session(long number)
{
  const pid_t other = fork();
  if (other == 0) {
    begin();
    cl_mem buffer = new_buffer(BYTES);
    static char bytes[BYTES];
    must_be(cl->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL),
            CL_SUCCESS, "a write");
    if (number % 3 == 0)
      kill(getpid(), SIGKILL);
    if (number % 3 == 1) {
      cl->clReleaseMemObject(buffer);
      end();
    }
    _exit(KIT_PASS);
  }
  int status = 0;
  must(waitpid(other, &status, 0) == other, "no child");
  must(number % 3 == 0 ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0,
       "session %ld ended with %x", number, (unsigned)status);
}

/* Starts a process that works for ever, and kills it after up to a quarter of a second. */
static void one_death(long number)
{
  static const char *const ways[] = {"write", "read", "build"};
  const pid_t other = fork();
  if (other == 0) {
    must(freopen("/dev/null", "w", stdout) != NULL, "no /dev/null");
    if (number % 4 < 3)
      for_ever(ways[number % 4]);
    for (;;)
      threads();
  }
  usleep((useconds_t)(number * 7919 % 250) * 1000);
  int status = 0;
  must(kill(other, SIGKILL) == 0 && waitpid(other, &status, 0) == other && WIFSIGNALED(status),
       "program %ld ended by itself with %x", number, (unsigned)status);
}

/* Waits until the proxy's sizes are as before. Builds may end later than their programs. */
static void settle(long process, const struct size *before, struct size *after)
{
  for (int i = 0; i < 3000; i++) {
    *after = size_of(process);
    if (after->descriptors <= before->descriptors && after->threads <= before->threads)
      break;
    usleep(10000);
  }
}

/* Runs sessions and checks that the proxy's memory does not grow. malloc's arenas may grow for a
 * while, because each of several concurrent threads uses one. */
static void sessions(void (*one)(long number), long first, long number, char **processes)
{
  enum { PROXIES = 8, GROWTH_KB = 8 << 10 };
  struct size before[PROXIES], after;
  for (long i = 0; i < first; i++)
    one(i);
  usleep(500000);
  for (int p = 0; processes[p] != NULL && p < PROXIES; p++)
    before[p] = size_of(strtol(processes[p], NULL, 10));
  for (long i = 0; i < number; i++)
    one(i);
  for (int p = 0; processes[p] != NULL && p < PROXIES; p++) {
    settle(strtol(processes[p], NULL, 10), &before[p], &after);
    printf("proxy %d: %ld sessions: %ld to %ld kB, %ld to %ld descriptors, %ld to %ld threads\n", p,
           number, before[p].kb, after.kb, before[p].descriptors, after.descriptors,
           before[p].threads, after.threads);
    must(after.descriptors <= before[p].descriptors, "descriptors are left");
    must(after.threads <= before[p].threads, "threads are left");
    must(after.kb - before[p].kb <= GROWTH_KB, "memory is left");
  }
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Returns the channel of this process: memory that it shares with a proxy. */
static struct vocl_channel_memory *only_channel(void)
{
  char line[512];
  struct vocl_channel_memory *memory = NULL;
  int channels = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long first = 0, last = 0;
    if (sscanf(line, "%lx-%lx rw-s", &first, &last) != 2 || strstr(line, "memfd") == NULL ||
        last - first < VOCL_CHANNEL_BYTES || last - first > VOCL_CHANNEL_BYTES + 65536)
      continue;
    memory = (struct vocl_channel_memory *)first;
    channels++;
  }
  if (maps != NULL)
    fclose(maps);
  must(channels == 1, "%d channels were found", channels);
  return memory;
}

static uint64_t written(struct vocl_channel_memory *memory, enum vocl_channel_ring ring)
{
  return __atomic_load_n(&memory->rings[VOCL_PROGRAM_SIDE][ring].written.bytes, __ATOMIC_ACQUIRE);
}

static uint64_t message_bytes(void)
{
  return written(only_channel(), VOCL_RING_MESSAGES);
}

static void query_everything(cl_mem buffer, cl_program program, cl_kernel kernel, cl_event event)
{
  char answer[4096];
  size_t size = 0;
  for (cl_uint what = CL_DEVICE_TYPE; what < CL_DEVICE_TYPE + 0x70; what++)
    cl->clGetDeviceInfo(device, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_CONTEXT_REFERENCE_COUNT; what <= CL_CONTEXT_NUM_DEVICES; what++)
    cl->clGetContextInfo(context, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_QUEUE_CONTEXT; what <= CL_QUEUE_PROPERTIES; what++)
    cl->clGetCommandQueueInfo(queue, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_MEM_TYPE; what <= CL_MEM_OFFSET; what++)
    cl->clGetMemObjectInfo(buffer, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_PROGRAM_REFERENCE_COUNT; what <= CL_PROGRAM_SOURCE; what++)
    cl->clGetProgramInfo(program, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_PROGRAM_BUILD_STATUS; what <= CL_PROGRAM_BUILD_LOG; what++)
    cl->clGetProgramBuildInfo(program, device, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_KERNEL_FUNCTION_NAME; what <= CL_KERNEL_PROGRAM; what++)
    cl->clGetKernelInfo(kernel, what, sizeof answer, answer, &size);
  for (cl_uint what = CL_EVENT_COMMAND_QUEUE; what <= CL_EVENT_CONTEXT; what++)
    cl->clGetEventInfo(event, what, sizeof answer, answer, &size);
}

static void quiet(void)
{
  begin();
  cl_event event = NULL;
  cl_program program = build();
  cl_mem buffer = new_buffer(BYTES);
  cl_kernel kernel = new_kernel(program, "add", buffer, 1);
  must_be(launch(kernel, 64, &event), CL_SUCCESS, "a launch");
  must_be(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  query_everything(buffer, program, kernel, event); /* the vendor answers each query once */
  const uint64_t before = message_bytes();
  for (int i = 0; i < 100; i++) {
    query_everything(buffer, program, kernel, event);
    must_be(cl->clFinish(queue), CL_SUCCESS, "clFinish");
    must_be(cl->clFlush(queue), CL_SUCCESS, "clFlush");
    must_be(cl->clWaitForEvents(1, &event), CL_SUCCESS, "clWaitForEvents");
  }
  const uint64_t after = message_bytes();
  printf("questions, and waiting for nothing, 100 times: %llu bytes of messages\n",
         (unsigned long long)(after - before));
  must(after == before, "there were messages");
  for (int i = 0; i < 100; i++)
    must_be(launch(kernel, 64, NULL), CL_SUCCESS, "a launch");
  must_be(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  printf("a launch is %llu bytes\n", (unsigned long long)(message_bytes() - after) / 100);
  must((message_bytes() - after) / 100 < 400, "that is much");
}

/* --- A record --------------------------------------------------------------------------------- */

/* Kernels that do no harm whatever their arguments are: a changed argument may be no buffer. */
static const char *harmless =
    "kernel void touch(global uint *a, uint n)\n"
    "{ if (get_global_id(0) == 0 && a != 0) a[0] = n; }\n"
    "kernel void look(read_only image2d_t i, sampler_t s, local uint *l, global uint *a)\n"
    "{ if (get_global_id(0) == 0 && a != 0) a[0] = (uint)read_imagef(i, s, (int2)(1, 2)).x; }\n";

static void use_kernels(cl_mem buffer, cl_mem image)
{
  cl_int code = CL_SUCCESS;
  cl_program program = vocl_build(harmless);
  cl_kernel touch = new_kernel(program, "touch", buffer, 5);
  must_be(launch(touch, 64, NULL), CL_SUCCESS, "touch");
  cl_sampler sampler =
      cl->clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  must_be(code, CL_SUCCESS, "clCreateSampler");
  cl_kernel look_kernel = cl->clCreateKernel(program, "look", &code);
  must_be(code, CL_SUCCESS, "look");
  must_be(cl->clSetKernelArg(look_kernel, 0, sizeof image, &image), CL_SUCCESS, "an image");
  must_be(cl->clSetKernelArg(look_kernel, 1, sizeof sampler, &sampler), CL_SUCCESS, "a sampler");
  must_be(cl->clSetKernelArg(look_kernel, 2, 64, NULL), CL_SUCCESS, "local memory");
  must_be(cl->clSetKernelArg(look_kernel, 3, sizeof buffer, &buffer), CL_SUCCESS, "a buffer");
  must_be(launch(look_kernel, 64, NULL), CL_SUCCESS, "look");
  must_be(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  cl->clReleaseKernel(touch);
  cl->clReleaseKernel(look_kernel);
  cl->clReleaseSampler(sampler);
  cl->clReleaseProgram(program);
}

static cl_mem new_image(void)
{
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  const cl_image_desc side = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
  cl_int code = CL_SUCCESS;
  cl_mem image = cl->clCreateImage(context, CL_MEM_READ_WRITE, &format, &side, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateImage");
  return image;
}

static void use_memory(cl_mem buffer, cl_mem other, cl_mem image)
{
  static char bytes[4096];
  const size_t zero[3] = {0, 0, 0}, box[3] = {10, 10, 3}, sides[3] = {16, 16, 1};
  const cl_buffer_region half = {0, 128};
  const cl_uint pattern = 7;
  cl_event event = NULL;
  cl_int code = CL_SUCCESS;
  cl_mem part = cl->clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, &code);
  must_be(code, CL_SUCCESS, "clCreateSubBuffer");
  must_be(cl->clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 3000, bytes, 0, NULL, &event),
          CL_SUCCESS, "a write");
  must_be(cl->clEnqueueCopyBuffer(queue, buffer, other, 0, 0, 100, 1, &event, NULL), CL_SUCCESS,
          "a copy");
  must_be(cl->clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes,
                                       0, NULL, NULL),
          CL_SUCCESS, "a box");
  must_be(cl->clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, box, 0, 0, 0, 0, bytes, 0,
                                      NULL, NULL),
          CL_SUCCESS, "a box read");
  must_be(cl->clEnqueueFillBuffer(queue, part, &pattern, 4, 0, 64, 0, NULL, NULL), CL_SUCCESS,
          "a pattern");
  must_be(cl->clEnqueueWriteImage(queue, image, CL_TRUE, zero, sides, 0, 0, bytes, 0, NULL, NULL),
          CL_SUCCESS, "an image");
  must_be(cl->clEnqueueReadImage(queue, image, CL_TRUE, zero, sides, 0, 0, bytes, 0, NULL, NULL),
          CL_SUCCESS, "an image read");
  must_be(cl->clEnqueueCopyImageToBuffer(queue, image, other, zero, (size_t[3]){4, 4, 1}, 0, 0,
                                         NULL, NULL),
          CL_SUCCESS, "an image copied");
  void *map = cl->clEnqueueMapBuffer(queue, other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, 0,
                                     NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "a map");
  must_be(cl->clEnqueueUnmapMemObject(queue, other, map, 0, NULL, NULL), CL_SUCCESS, "an unmap");
  must_be(cl->clEnqueueBarrierWithWaitList(queue, 1, &event, NULL), CL_SUCCESS, "a barrier");
  cl->clReleaseEvent(event);
  cl->clReleaseMemObject(part);
}

/* Writes the length of each ring's data, and the data, which must not fill the ring. */
static void write_record(const char *name)
{
  struct vocl_channel_memory *memory = only_channel();
  const uint64_t ends[] = {written(memory, VOCL_RING_MESSAGES), written(memory, VOCL_RING_DATA)};
  FILE *file = fopen(name, "w");
  must(file != NULL && ends[VOCL_RING_MESSAGES] <= VOCL_MESSAGE_RING_BYTES &&
           ends[VOCL_RING_DATA] <= VOCL_DATA_RING_BYTES,
       "no record in %s", name);
  size_t bytes = fwrite(ends, 1, sizeof ends, file);
  for (int ring = VOCL_RING_MESSAGES; ring <= VOCL_RING_DATA; ring++)
    bytes +=
        fwrite(vocl_channel_ring_memory(memory, VOCL_PROGRAM_SIDE, (enum vocl_channel_ring)ring), 1,
               ends[ring], file);
  must(fclose(file) == 0 && bytes == sizeof ends + ends[0] + ends[1], "the record is not complete");
  printf("%llu bytes of messages, %llu of data\n", (unsigned long long)ends[0],
         (unsigned long long)ends[1]);
}

static void record(const char *name)
{
  begin();
  cl_mem buffer = new_buffer(4096), other = new_buffer(4096), image = new_image();
  use_memory(buffer, other, image);
  use_kernels(buffer, image);
  cl->clReleaseMemObject(buffer);
  cl->clReleaseMemObject(other);
  cl->clReleaseMemObject(image);
  must_be(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  write_record(name);
  end();
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } simple[] = {
      {"work", work}, {"child", child}, {"threads", threads}, {"full", full}, {"quiet", quiet}};
  if (argc < 4)
    return 2;
  library = argv[1];
  device_number = strtoul(argv[2], NULL, 10);
  vocl_open(library);
  const char *what = argv[3];
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
    if (strcmp(what, simple[i].name) == 0) {
      simple[i].run();
      return KIT_PASS;
    }
  }
  if (strcmp(what, "leave") == 0)
    leave();
  else if (strcmp(what, "again") == 0)
    again(argv);
  else if (strcmp(what, "lost") == 0 && argc > 4)
    lost(strcmp(argv[4], "link") == 0 ? BY_LINK : (pid_t)strtol(argv[4], NULL, 10)); /* kernel: 0 */
  else if (strcmp(what, "sessions") == 0 && argc > 4)
    sessions(one_session, 60, strtol(argv[4], NULL, 10), argv + 5);
  else if (strcmp(what, "mortal") == 0 && argc > 4)
    sessions(one_death, 24, strtol(argv[4], NULL, 10), argv + 5);
  else if (strcmp(what, "record") == 0 && argc > 4)
    record(argv[4]);
  else
    for_ever(what);
  return KIT_PASS;
}
