/* Properties of the OpenCL back end beyond those of all back ends: messages of failed calls,
 * effects of failed commands, and how often it compiles and makes sub-buffers. Calls of the library
 * are counted and made to fail in its table of functions. */
#include "device/backend.h"
#include "device/opencl/opencl_library.h"
#include "kit/native.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 4096 };

static const struct cwi_backend *const backend = &cwi_backend_opencl;
static void *device;
static cw_device_facts facts;
static uint32_t *numbers, *others; /* arrays of NUMBERS elements, on the host */

static const cw_kernel_source source = {
    .opencl = "kernel void add(global uint *to, uint number) { to[get_global_id(0)] += number; }\n"
              "kernel void move(global uint *to, global const uint *from)\n"
              "{ to[get_global_id(0)] = from[get_global_id(0)] + 1; }\n"
              "kernel void sum(global uint *to, global const uint *from, local uint *room)\n"
              "{\n"
              "  room[get_local_id(0)] = from[get_global_id(0)];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  if (get_local_id(0) == 0)\n"
              "    for (uint i = 0; i < get_local_size(0); i++)\n"
              "      to[get_group_id(0)] += room[i];\n"
              "}\n"};

/* --- calls of the library that are counted, and fail ------ */

static struct cwi_opencl_library real;
static int calls;        /* number of calls of the watched function */
static int failing_call; /* number of its call that fails; 0 if none */
static cl_int its_code;  /* its error code */

static bool must_fail(void)
{
  return ++calls == failing_call;
}

/* RESULT NAME(PARAMETERS): a function that reports failure by its result, or by its last argument.
 * */
#define FAILS_BY_RESULT(name, parameters, arguments)                                               \
  static cl_int CL_API_CALL watch_##name parameters                                                \
  {                                                                                                \
    return must_fail() ? its_code : real.name arguments;                                           \
  }
#define FAILS_BY_CODE(result, name, parameters, arguments)                                         \
  static result CL_API_CALL watch_##name parameters                                                \
  {                                                                                                \
    if (!must_fail())                                                                              \
      return real.name arguments;                                                                  \
    *code = its_code;                                                                              \
    return NULL;                                                                                   \
  }
#define WAITS cl_uint events, const cl_event *list, cl_event *event
#define WAITS_TOO events, list, event

/* NOLINTBEGIN(readability-function-size): OpenCL's functions have up to 14 parameters */
FAILS_BY_RESULT(clFlush, (cl_command_queue queue), (queue))
FAILS_BY_RESULT(clWaitForEvents, (cl_uint events, const cl_event *list), (events, list))
FAILS_BY_RESULT(clGetDeviceInfo,
                (cl_device_id id, cl_device_info what, size_t size, void *value, size_t *all),
                (id, what, size, value, all))
FAILS_BY_RESULT(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
                (kernel, index, size, value))
FAILS_BY_RESULT(clEnqueueNDRangeKernel,
                (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                 const size_t *global, const size_t *local, WAITS),
                (queue, kernel, dimensions, offset, global, local, WAITS_TOO))
FAILS_BY_RESULT(clEnqueueWriteBuffer,
                (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
                 const void *host, WAITS),
                (queue, buffer, blocks, offset, size, host, WAITS_TOO))
FAILS_BY_RESULT(clEnqueueReadBuffer,
                (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
                 void *host, WAITS),
                (queue, buffer, blocks, offset, size, host, WAITS_TOO))
FAILS_BY_RESULT(clEnqueueFillBuffer,
                (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t length,
                 size_t offset, size_t size, WAITS),
                (queue, buffer, pattern, length, offset, size, WAITS_TOO))
FAILS_BY_RESULT(clEnqueueCopyBuffer,
                (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                 size_t to_offset, size_t size, WAITS),
                (queue, from, to, from_offset, to_offset, size, WAITS_TOO))
#define ORIGINS const size_t *a, const size_t *b, const size_t *region
#define PITCHES size_t a_row, size_t a_slice, size_t b_row, size_t b_slice
FAILS_BY_RESULT(clEnqueueWriteBufferRect,
                (cl_command_queue queue, cl_mem buffer, cl_bool blocks, ORIGINS, PITCHES,
                 const void *host, WAITS),
                (queue, buffer, blocks, a, b, region, a_row, a_slice, b_row, b_slice, host,
                 WAITS_TOO))
FAILS_BY_RESULT(clEnqueueReadBufferRect,
                (cl_command_queue queue, cl_mem buffer, cl_bool blocks, ORIGINS, PITCHES,
                 void *host, WAITS),
                (queue, buffer, blocks, a, b, region, a_row, a_slice, b_row, b_slice, host,
                 WAITS_TOO))
FAILS_BY_RESULT(clEnqueueCopyBufferRect,
                (cl_command_queue queue, cl_mem from, cl_mem to, ORIGINS, PITCHES, WAITS),
                (queue, from, to, a, b, region, a_row, a_slice, b_row, b_slice, WAITS_TOO))
FAILS_BY_RESULT(clEnqueueBarrierWithWaitList, (cl_command_queue queue, WAITS), (queue, WAITS_TOO))
FAILS_BY_RESULT(clBuildProgram,
                (cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
                 void(CL_CALLBACK *notify)(cl_program, void *), void *context),
                (program, count, ids, options, notify, context))
FAILS_BY_CODE(cl_mem, clCreateBuffer,
              (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
              (context, flags, size, host, code))
FAILS_BY_CODE(cl_mem, clCreateSubBuffer,
              (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *region,
               cl_int *code),
              (buffer, flags, type, region, code))
FAILS_BY_CODE(cl_program, clCreateProgramWithSource,
              (cl_context context, cl_uint count, const char **texts, const size_t *lengths,
               cl_int *code),
              (context, count, texts, lengths, code))
FAILS_BY_CODE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code),
              (program, name, code))
FAILS_BY_CODE(cl_context, clCreateContext,
              (const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
               void *argument, cl_int *code),
              (properties, count, ids, notify, argument, code))
FAILS_BY_CODE(cl_command_queue, clCreateCommandQueue,
              (cl_context context, cl_device_id id, cl_command_queue_properties properties,
               cl_int *code),
              (context, id, properties, code))

/* NOLINTEND(readability-function-size) */

/* Simulates the event of a command that fails. */
static cl_int CL_API_CALL watch_clGetEventInfo(cl_event event, cl_event_info what, size_t size,
                                               void *value, size_t *all)
{
  const cl_int code = real.clGetEventInfo(event, what, size, value, all);
  if (must_fail())
    *(cl_int *)value = its_code;
  return code;
}

/* From now on calls of NAME are counted, and the n-th fails with a code; until let_all. */
#define WATCH(name, n, code)                                                                       \
  (calls = 0, failing_call = (n), its_code = (code), cwi_opencl.name = watch_##name)
static void let_all(void)
{
  cwi_opencl = real;
}

/* --- abbreviations of the back end's calls -- */

static void *make(size_t bytes)
{
  void *memory = NULL;
  KIT_MUST(backend->allocate(device, bytes, &memory));
  return memory;
}

static void done(enum cwi_device_queue queue)
{
  void *event = NULL;
  KIT_MUST(backend->event(device, queue, &event));
  KIT_OK(backend->wait(device, event));
  backend->forget(device, event);
}

static struct cwi_device_rows run_of(void *host, void *memory, size_t offset, size_t bytes)
{
  return (struct cwi_device_rows){
      .run = bytes, .rows = 1, .host = host, .memory = memory, .offset = offset};
}

static void fill(void *memory, uint32_t first)
{
  for (uint32_t i = 0; i < NUMBERS; i++)
    numbers[i] = first + i;
  const struct cwi_device_rows rows = run_of(numbers, memory, 0, NUMBERS * sizeof *numbers);
  KIT_OK(backend->write(device, CWI_QUEUE_IN, &rows));
  done(CWI_QUEUE_IN);
}

static void read_all(void *memory)
{
  const struct cwi_device_rows rows = run_of(others, memory, 0, NUMBERS * sizeof *others);
  KIT_OK(backend->read(device, CWI_QUEUE_OUT, &rows));
  done(CWI_QUEUE_OUT);
}

static void *kernel_of(const cw_kernel_source *from, const char *name)
{
  void *program = NULL;
  void *kernel = NULL;
  KIT_MUST(backend->build(device, from, &program));
  KIT_MUST(backend->find(device, program, name, &kernel));
  backend->drop(device, program);
  return kernel;
}

static cw_error add(void *kernel, void *memory, size_t offset, uint32_t number, size_t items)
{
  const struct cwi_device_argument arguments[] = {{.memory = memory, .offset = offset},
                                                  {.scalar = &number, .bytes = sizeof number}};
  const struct cwi_device_launch launch = {
      .kernel = kernel, .arguments = arguments, .count = 2, .global = {items, 1, 1}};
  return backend->launch(device, CWI_QUEUE_WORK, &launch);
}

/* --- tests ----------- */

static void check_devices(void)
{
  kit_about("devices");
  char why[256];
  const int count = backend->count(why, sizeof why);
  kit_check(count >= 1, "no device: %s", why);
  KIT_MUST(backend->open(1, &device, &facts));
  kit_check(facts.kind == CW_DEVICE_OPENCL && facts.number == 1 && facts.name[0] != '\0' &&
                facts.most > 0 && facts.memory >= facts.most / 2 && facts.alignment > 0,
            "facts: %s, %zu, %zu, %zu", facts.name, facts.memory, facts.most, facts.alignment);
  void *none = NULL;
  cw_device_facts nothing;
  KIT_OUTSIDE("no OpenCL device 1000|usable devices", backend->open(1000, &none, &nothing));
  KIT_OUTSIDE("no OpenCL device 0", backend->open(0, &none, &nothing));
}

static void check_compiler(void)
{
  kit_about("compiler");
  void *program = NULL;
  void *kernel = NULL;
  const cw_kernel_source wrong = {.opencl = "kernel void f(global int *a)\n{ a[0] = nowhere; }\n"};
  KIT_OUTSIDE("OpenCL device 1|does not compile|-11 CL_BUILD_PROGRAM_FAILURE|nowhere",
              backend->build(device, &wrong, &program));
  const cw_kernel_source none = {.ptx = ".version 6.0"};
  KIT_MISUSE("cw_kernel_source.opencl", backend->build(device, &none, &program));
  KIT_MUST(backend->build(device, &source, &program));
  KIT_MISUSE("no kernel subtract", backend->find(device, program, "subtract", &kernel));
  backend->drop(device, program);

  WATCH(clBuildProgram, 0, 0);
  char *same = strdup(source.opencl);
  const cw_kernel_source equal = {.opencl = same, .options = ""};
  KIT_OK(backend->build(device, &equal, &program));
  free(same);
  kit_check_long(calls, 0, "compilations of an equal source");
  const cw_kernel_source defines = {.opencl = source.opencl, .options = "-DSOMETHING=1"};
  KIT_OK(backend->build(device, &defines, &program));
  kit_check_long(calls, 1, "compilations with other options");
  KIT_OUTSIDE("does not compile|-DSOMETHING=2 -nonsense",
              backend->build(device,
                             &(cw_kernel_source){.opencl = source.opencl,
                                                 .options = "-DSOMETHING=2 -nonsense"},
                             &program));
  let_all();
}

static void check_parts(void *kernel)
{
  kit_about("arguments inside of a slice");
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  const size_t step = facts.alignment / sizeof *numbers; /* in numbers */
  WATCH(clCreateSubBuffer, 0, 0);
  for (uint32_t round = 1; round <= 20; round++)
    KIT_OK(add(kernel, memory, round * facts.alignment, 1000, step));
  kit_check_long(calls, 20, "sub-buffers for 20 places");
  for (int again = 0; again < 10; again++)
    KIT_OK(add(kernel, memory, 20 * facts.alignment, 0, step));
  kit_check_long(calls, 20, "sub-buffers when a place is used again");
  let_all();
  done(CWI_QUEUE_WORK);
  read_all(memory);
  for (size_t i = 0; i < NUMBERS; i++)
    if (i / step >= 1 && i / step <= 20)
      numbers[i] += 1000;
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "what 20 kernels wrote");

  KIT_MISUSE("OpenCL device 1|cw_device_facts.alignment",
             add(kernel, memory, facts.alignment + 4, 1, 1));
  KIT_MISUSE("below the slice's 16384 bytes", add(kernel, memory, NUMBERS * sizeof *numbers, 1, 1));
  backend->release(device, memory);
}

/* Arguments of one kernel that lie in one slice: at its start and inside, both inside, twice the
 * same address. */
static void check_shared(void)
{
  kit_about("arguments in one slice");
  void *kernel = kernel_of(&source, "move");
  void *memory = make(NUMBERS * sizeof *numbers);
  const size_t at[] = {0, facts.alignment, 40 * facts.alignment, 0};
  fill(memory, 10);
  for (int i = 0; i < 3; i++) {
    const struct cwi_device_argument arguments[] = {{.memory = memory, .offset = at[i]},
                                                    {.memory = memory, .offset = at[i + 1]}};
    const struct cwi_device_launch launch = {
        .kernel = kernel, .arguments = arguments, .count = 2, .global = {16, 1, 1}};
    KIT_OK(backend->launch(device, CWI_QUEUE_WORK, &launch));
    for (size_t k = 0; k < 16; k++)
      numbers[at[i] / 4 + k] = numbers[at[i + 1] / 4 + k] + 1;
  }
  done(CWI_QUEUE_WORK);
  read_all(memory);
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "what moved within a slice");
  backend->release(device, memory);
  backend->leave(device, kernel);
}

/* Local memory is a scalar without a value. */
static void check_local(void)
{
  kit_about("local memory");
  void *kernel = kernel_of(&source, "sum");
  void *from = make(NUMBERS * sizeof *numbers);
  void *to = make(NUMBERS * sizeof *numbers);
  fill(to, 0);
  fill(from, 5);
  const struct cwi_device_argument arguments[] = {
      {.memory = to}, {.memory = from}, {.bytes = 16 * sizeof *numbers}};
  struct cwi_device_launch launch = {.kernel = kernel,
                                     .arguments = arguments,
                                     .count = 3,
                                     .global = {NUMBERS, 1, 1},
                                     .local = {16, 1, 1}};
  KIT_OK(backend->launch(device, CWI_QUEUE_WORK, &launch));
  done(CWI_QUEUE_WORK);
  read_all(to);
  for (uint32_t i = 0; i < NUMBERS; i++)
    numbers[i] = i < NUMBERS / 16 ? i + 16 * (5 + 16 * i) + 120 : i;
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "sums of groups");
  launch.local[0] = 7;
  KIT_OUTSIDE("clEnqueueNDRangeKernel|CL_INVALID_WORK_GROUP_SIZE",
              backend->launch(device, CWI_QUEUE_WORK, &launch));
  launch.local[0] = 16;
  launch.count = 4;
  const struct cwi_device_argument more[] = {arguments[0], arguments[1], arguments[2],
                                             arguments[1]};
  launch.arguments = more;
  KIT_OUTSIDE("clSetKernelArg, for argument 3,|CL_INVALID_ARG_INDEX",
              backend->launch(device, CWI_QUEUE_WORK, &launch));
  backend->release(device, from);
  backend->release(device, to);
  backend->leave(device, kernel);
}

static void check_memory(void)
{
  kit_about("allocation");
  void *memory = NULL;
  char limit[32];
  snprintf(limit, sizeof limit, "limit|%zu", facts.most);
  KIT_OUTSIDE(limit, backend->allocate(device, facts.most + 1, &memory));
  KIT_OUTSIDE(limit, backend->allocate(device, SIZE_MAX, &memory));
  WATCH(clCreateBuffer, 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  KIT_OUTSIDE("clCreateBuffer|-4 CL_MEM_OBJECT_ALLOCATION_FAILURE",
              backend->allocate(device, 64, &memory));
  let_all();
  WATCH(clEnqueueFillBuffer, 1, CL_OUT_OF_RESOURCES);
  KIT_OUTSIDE("new memory|-5 CL_OUT_OF_RESOURCES", backend->allocate(device, 64, &memory));
  let_all();
  WATCH(clWaitForEvents, 1, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  KIT_OUTSIDE("new memory|-14 CL_EXEC_STATUS_ERROR", backend->allocate(device, 64, &memory));
  let_all();
  KIT_OK(backend->allocate(device, 0, &memory));
  const struct cwi_device_rows nothing = {.run = 0, .rows = 5, .memory = memory};
  KIT_OK(backend->write(device, CWI_QUEUE_IN, &nothing));
  KIT_OK(backend->read(device, CWI_QUEUE_OUT, &nothing));
  backend->release(device, memory);
}

static void check_wrap(void *kernel)
{
  kit_about("host memory");
  const size_t bytes = NUMBERS * sizeof *numbers;
  char *host = aligned_alloc(4096, 2 * bytes);
  void *memory = NULL;
  for (size_t i = 0; i < NUMBERS; i++)
    ((uint32_t *)host)[i] = (uint32_t)i;
  KIT_OUTSIDE("multiple of", backend->wrap(device, host + 4, bytes, &memory));
  KIT_MUST(backend->wrap(device, host, bytes, &memory));
  KIT_OK(add(kernel, memory, 0, 7, NUMBERS));
  done(CWI_QUEUE_WORK);
  for (uint32_t i = 0; i < NUMBERS; i++)
    numbers[i] = i + 7;
  kit_check_bytes(host, numbers, bytes, "what a kernel wrote into host memory");
  backend->release(device, memory);
  free(host);
}

static void check_copies(void)
{
  kit_about("copies within a slice");
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  /* 10 rows of 3 numbers, 5 apart, to the second half, 7 apart */
  const struct cwi_device_copy copy = {.run = 12,
                                       .rows = 10,
                                       .from = memory,
                                       .to = memory,
                                       .from_offset = 8,
                                       .from_stride = 20,
                                       .to_offset = 8192 + 4,
                                       .to_stride = 28};
  for (int round = 0; round < 2; round++)
    KIT_OK(backend->copy(device, CWI_QUEUE_WORK, &copy));
  done(CWI_QUEUE_WORK);
  for (size_t row = 0; row < 10; row++)
    memcpy(numbers + 2049 + row * 7, numbers + 2 + row * 5, 12);
  read_all(memory);
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "rows with other strides");
  backend->release(device, memory);
}

static void check_order(void *kernel)
{
  kit_about("order");
  void *memory = make(NUMBERS * sizeof *numbers);
  WATCH(clEnqueueBarrierWithWaitList, 0, 0);
  fill(memory, 0);
  KIT_OK(backend->order(device, CWI_QUEUE_WORK, CWI_QUEUE_IN));
  kit_check_long(calls, 0, "barriers behind a queue whose commands have been waited for");
  KIT_OK(add(kernel, memory, 0, 1, NUMBERS));
  KIT_OK(backend->order(device, CWI_QUEUE_OUT, CWI_QUEUE_WORK));
  KIT_OK(backend->order(device, CWI_QUEUE_OUT, CWI_QUEUE_WORK));
  kit_check_long(calls, 1, "barriers behind one kernel");
  KIT_OK(add(kernel, memory, 0, 1, NUMBERS));
  KIT_OK(backend->order(device, CWI_QUEUE_OUT, CWI_QUEUE_WORK));
  kit_check_long(calls, 2, "barriers behind the next kernel");
  KIT_OK(backend->order(device, CWI_QUEUE_WORK, CWI_QUEUE_WORK));
  kit_check_long(calls, 2, "barriers behind itself");
  let_all();
  read_all(memory);
  for (size_t i = 0; i < NUMBERS; i++)
    numbers[i] += 2;
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "what two kernels wrote");
  done(CWI_QUEUE_WORK);
  backend->release(device, memory);
}

/* More commands than there is initial space for events, with no event between them. */
static void check_many(void *kernel)
{
  kit_about("many commands");
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  for (int i = 0; i < 1000; i++)
    KIT_OK(add(kernel, memory, 0, 1, 16));
  done(CWI_QUEUE_WORK);
  read_all(memory);
  for (size_t i = 0; i < 16; i++)
    numbers[i] += 1000;
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "what 1000 kernels wrote");
  backend->release(device, memory);
}

/* A call of the library fails: the message has the device, the call and the name of the code; no
 * part of the operation has begun. */
#define CHECK_FAILS(name, code, call)                                                              \
  do {                                                                                             \
    WATCH(name, 1, code);                                                                          \
    KIT_OUTSIDE("OpenCL device 1 (|" #name "|" #code, call);                                       \
    kit_check(calls == 1, "%s: %d calls", #name, calls);                                           \
    let_all();                                                                                     \
  } while (0)

static void check_failing_transfers(void)
{
  kit_about("refused transfers");
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  void *event = NULL;
  memset(others, 1, NUMBERS * sizeof *others);
  const struct cwi_device_rows run = run_of(others, memory, 0, 4096);
  const struct cwi_device_rows rows = {.run = 8,
                                       .rows = 3,
                                       .host = (char *)others,
                                       .host_stride = 16,
                                       .memory = memory,
                                       .stride = 24};
  struct cwi_device_copy copy = {
      .run = 8, .rows = 1, .from = memory, .to = memory, .to_offset = 64};
  CHECK_FAILS(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES,
              backend->write(device, CWI_QUEUE_IN, &run));
  CHECK_FAILS(clEnqueueWriteBufferRect, CL_OUT_OF_HOST_MEMORY,
              backend->write(device, CWI_QUEUE_IN, &rows));
  CHECK_FAILS(clEnqueueReadBuffer, CL_INVALID_VALUE, backend->read(device, CWI_QUEUE_OUT, &run));
  CHECK_FAILS(clEnqueueReadBufferRect, CL_OUT_OF_RESOURCES,
              backend->read(device, CWI_QUEUE_OUT, &rows));
  CHECK_FAILS(clEnqueueCopyBuffer, CL_OUT_OF_RESOURCES,
              backend->copy(device, CWI_QUEUE_WORK, &copy));
  void *other = make(NUMBERS * sizeof *numbers); /* within one memory, rows go by CopyBuffer */
  copy.rows = 3;
  copy.from_stride = copy.to_stride = 128;
  copy.to = other;
  CHECK_FAILS(clEnqueueCopyBufferRect, CL_MEM_COPY_OVERLAP,
              backend->copy(device, CWI_QUEUE_WORK, &copy));
  copy.to_stride = 192;
  copy.to = memory;
  CHECK_FAILS(clEnqueueCopyBuffer, CL_OUT_OF_RESOURCES,
              backend->copy(device, CWI_QUEUE_WORK, &copy));
  CHECK_FAILS(clFlush, CL_INVALID_COMMAND_QUEUE, backend->event(device, CWI_QUEUE_IN, &event));
  for (size_t i = 0; i < NUMBERS; i++)
    kit_check(others[i] == 0x01010101, "a refused read wrote %u", others[i]);
  read_all(memory);
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "device memory");
  backend->release(device, other);
  backend->release(device, memory);
}

static void check_failing_kernels(void *kernel)
{
  kit_about("refused kernels");
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  void *program = NULL;
  void *found = NULL;
  CHECK_FAILS(clEnqueueNDRangeKernel, CL_OUT_OF_RESOURCES, add(kernel, memory, 0, 1, NUMBERS));
  CHECK_FAILS(clSetKernelArg, CL_INVALID_ARG_SIZE, add(kernel, memory, 0, 1, NUMBERS));
  CHECK_FAILS(clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET,
              add(kernel, memory, facts.alignment, 1, 1));
  const cw_kernel_source fresh = {.opencl = "kernel void none(void) {}"};
  CHECK_FAILS(clCreateProgramWithSource, CL_OUT_OF_HOST_MEMORY,
              backend->build(device, &fresh, &program));
  CHECK_FAILS(clBuildProgram, CL_OUT_OF_HOST_MEMORY, backend->build(device, &fresh, &program));
  KIT_MUST(backend->build(device, &source, &program));
  CHECK_FAILS(clCreateKernel, CL_OUT_OF_RESOURCES, backend->find(device, program, "add", &found));
  KIT_OK(add(kernel, memory, 0, 1, 1));
  CHECK_FAILS(clEnqueueBarrierWithWaitList, CL_OUT_OF_RESOURCES,
              backend->order(device, CWI_QUEUE_IN, CWI_QUEUE_WORK));
  done(CWI_QUEUE_WORK);
  numbers[0]++;
  read_all(memory);
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "device memory");
  backend->release(device, memory);
}

static void check_failing_devices(void)
{
  kit_about("refused devices");
  void *opened = NULL;
  cw_device_facts nothing;
  CHECK_FAILS(clGetDeviceInfo, CL_INVALID_DEVICE, backend->open(1, &opened, &nothing));
  CHECK_FAILS(clCreateContext, CL_OUT_OF_RESOURCES, backend->open(1, &opened, &nothing));
  for (int queue = 1; queue <= CWI_DEVICE_QUEUES; queue++) {
    WATCH(clCreateCommandQueue, queue, CL_OUT_OF_RESOURCES);
    KIT_OUTSIDE("clCreateCommandQueue|CL_OUT_OF_RESOURCES", backend->open(1, &opened, &nothing));
    let_all();
  }
}

/* The second of three commands fails: waits for later commands return the error, now and later, and
 * the other queues continue. */
static void check_failed(bool by_status)
{
  kit_about("a failed command, told by %s", by_status ? "its event" : "the wait");
  void *first = device;
  KIT_MUST(backend->open(1, &device, &facts));
  void *kernel = kernel_of(&source, "add");
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  for (int i = 0; i < 3; i++)
    KIT_OK(add(kernel, memory, 0, 1, 16));
  void *event = NULL;
  void *late = NULL;
  KIT_MUST(backend->event(device, CWI_QUEUE_WORK, &event));
  if (by_status) {
    WATCH(clGetEventInfo, 2, -9999);
    KIT_OUTSIDE("OpenCL device 1 (|a command has failed|-9999 an error of its own",
                backend->wait(device, event));
  } else {
    WATCH(clWaitForEvents, 1, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    KIT_OUTSIDE("a command has failed|-14 CL_EXEC_STATUS_ERROR", backend->wait(device, event));
  }
  let_all();
  KIT_OUTSIDE("a command has failed", backend->wait(device, event));
  backend->forget(device, event);
  KIT_OK(add(kernel, memory, 0, 1, 16));
  KIT_MUST(backend->event(device, CWI_QUEUE_WORK, &late));
  cw_error error = CW_OK;
  for (bool passed = false; !passed;)
    error = backend->passed(device, late, &passed);
  kit_check(error == CW_OUTSIDE, "a event in the failed queue passes without an error");
  backend->forget(device, late);
  read_all(memory);
  backend->release(device, memory);
  backend->leave(device, kernel);
  backend->close(device);
  device = first;
}

/* A copy of rows that is made row by row fails in the middle. */
static void check_half_copied(void)
{
  kit_about("a copy that is refused in the middle");
  void *first = device;
  KIT_MUST(backend->open(1, &device, &facts));
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  const struct cwi_device_copy copy = {.run = 8,
                                       .rows = 3,
                                       .from = memory,
                                       .from_stride = 16,
                                       .to = memory,
                                       .to_offset = 8192,
                                       .to_stride = 24};
  void *event = NULL;
  WATCH(clEnqueueCopyBuffer, 2, CL_OUT_OF_HOST_MEMORY);
  KIT_OK(backend->copy(device, CWI_QUEUE_WORK, &copy));
  kit_check_long(calls, 2, "rows");
  let_all();
  KIT_MUST(backend->event(device, CWI_QUEUE_WORK, &event));
  KIT_OUTSIDE("a command has failed|CL_OUT_OF_RESOURCES", backend->wait(device, event));
  backend->forget(device, event);
  backend->release(device, memory);
  backend->close(device);
  device = first;
}

/* Events of one queue, each waited for by its own thread and polled meanwhile. */
static void *wait_in_thread(void *event)
{
  return backend->wait(device, event) == CW_OK ? event : NULL;
}

static void check_threads(void *kernel)
{
  kit_about("threads");
  enum { THREADS = 4 };
  void *memory = make(NUMBERS * sizeof *numbers);
  fill(memory, 0);
  for (int round = 0; round < 50; round++) {
    void *events_of_threads[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
      KIT_OK(add(kernel, memory, 0, 1, NUMBERS));
      KIT_MUST(backend->event(device, CWI_QUEUE_WORK, &events_of_threads[i]));
      kit_check(pthread_create(&threads[i], NULL, wait_in_thread, events_of_threads[i]) == 0,
                "no thread");
    }
    for (bool passed = false; !passed;)
      KIT_OK(backend->passed(device, events_of_threads[THREADS - 1], &passed));
    for (int i = 0; i < THREADS; i++) {
      void *waited = NULL;
      pthread_join(threads[i], &waited);
      kit_check(waited == events_of_threads[i], "the wait failed");
      backend->forget(device, events_of_threads[i]);
    }
  }
  read_all(memory);
  for (size_t i = 0; i < NUMBERS; i++)
    numbers[i] += 50 * THREADS;
  kit_check_bytes(others, numbers, NUMBERS * sizeof *numbers, "what kernels wrote");
  backend->release(device, memory);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "opencl");
  kit_hang_guard();
  numbers = kit_alloc(NUMBERS, sizeof *numbers);
  others = kit_alloc(NUMBERS, sizeof *others);
  check_devices();
  real = cwi_opencl;
  check_compiler();
  void *kernel = kernel_of(&source, "add");
  check_parts(kernel);
  check_shared();
  check_local();
  check_memory();
  check_wrap(kernel);
  check_copies();
  check_order(kernel);
  check_many(kernel);
  check_threads(kernel);
  check_failing_transfers();
  check_failing_kernels(kernel);
  check_failing_devices();
  check_failed(true);
  check_failed(false);
  check_half_copied();
  backend->leave(device, kernel);
  backend->close(device);
  free(numbers);
  free(others);
  return kit_finish();
}
