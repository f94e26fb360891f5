/* A device in an OpenCL context of the program (cw_device_options.context): the program's kernels
 * take slices, and Causeway's kernels take the program's memory. Also tests the probe for shared
 * slices on drivers that report wrong capabilities. Replaces calls of the library in its table of
 * functions. */
#include "device/opencl/opencl_library.h"
#include "kit/native.h"

#include <causeway/device.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NUMBERS = 1024, MOST = 16 };

static const char text[] = "kernel void add(global int *to, global const int *from)\n"
                           "{ to[get_global_id(0)] += from[get_global_id(0)]; }\n";
static const cw_kernel_source source = {.opencl = text};

/* --- The program's own OpenCL ----------------------------------------------------------------- */

static struct {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem buffer; /* NUMBERS elements: 0, 1, 2 ... */
} own;

#define CL_MUST(call) kit_check((call) == CL_SUCCESS, "%s", #call)

static void make_own(void)
{
  const char *lines = text;
  cl_int code = CL_SUCCESS;
  int numbers[NUMBERS];
  for (int i = 0; i < NUMBERS; i++)
    numbers[i] = i;
  own.device = cwi_opencl_device(1)->device;
  own.context = cwi_opencl.clCreateContext(NULL, 1, &own.device, NULL, NULL, &code);
  CL_MUST(code);
  own.queue = cwi_opencl.clCreateCommandQueue(own.context, own.device, 0, &code);
  CL_MUST(code);
  own.program = cwi_opencl.clCreateProgramWithSource(own.context, 1, &lines, NULL, &code);
  CL_MUST(code);
  CL_MUST(cwi_opencl.clBuildProgram(own.program, 1, &own.device, NULL, NULL, NULL));
  own.kernel = cwi_opencl.clCreateKernel(own.program, "add", &code);
  CL_MUST(code);
  own.buffer = cwi_opencl.clCreateBuffer(own.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                         sizeof numbers, numbers, &code);
  CL_MUST(code);
}

static void free_own(void)
{
  CL_MUST(cwi_opencl.clReleaseMemObject(own.buffer));
  CL_MUST(cwi_opencl.clReleaseKernel(own.kernel));
  CL_MUST(cwi_opencl.clReleaseProgram(own.program));
  CL_MUST(cwi_opencl.clReleaseCommandQueue(own.queue));
  CL_MUST(cwi_opencl.clReleaseContext(own.context));
}

static cl_uint references(void)
{
  cl_uint count = 0;
  CL_MUST(cwi_opencl.clGetContextInfo(own.context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count,
                                      NULL));
  return count;
}

/* Runs the program's kernel: the slice += the program's buffer. */
static void run_own(const void *slice)
{
  const size_t global = NUMBERS;
  cw_device_location location;
  cl_event event = NULL;
  KIT_MUST(cw_device_locate(slice, &location));
  cl_mem memory = location.buffer;
  kit_check(memory != NULL && location.offset == 0, "the slice is at %p + %zu", location.buffer,
            location.offset);
  CL_MUST(cwi_opencl.clSetKernelArg(own.kernel, 0, sizeof(cl_mem), &memory));
  CL_MUST(cwi_opencl.clSetKernelArg(own.kernel, 1, sizeof(cl_mem), &own.buffer));
  CL_MUST(cwi_opencl.clEnqueueNDRangeKernel(own.queue, own.kernel, 1, NULL, &global, NULL, 0, NULL,
                                            &event));
  CL_MUST(cwi_opencl.clWaitForEvents(1, &event));
  CL_MUST(cwi_opencl.clReleaseEvent(event));
}

/* Runs a kernel of Causeway that computes the same. */
static void run_ours(cw_device device, const void *slice)
{
  cw_kernel kernel = NULL;
  const cw_kernel_argument arguments[2] = {{.memory = slice},
                                           {.scalar = &own.buffer, .bytes = sizeof(cl_mem)}};
  KIT_MUST(cw_kernel_create(device, &source, "add", &kernel));
  KIT_OK(cw_kernel_launch(kernel, &(cw_kernel_launch_options){
                                      .arguments = arguments, .count = 2, .global = {NUMBERS}}));
  KIT_OK(cw_device_finish(device));
  KIT_OK(cw_kernel_free(&kernel));
}

static void check_slices(cw_device device)
{
  const int me = kit_me(), processes = kit_processes(), next = (me + 1) % processes;
  int numbers[NUMBERS];
  cw_region region = NULL;
  void *slices[MOST];
  KIT_MUST(cw_region_create_on(cw_team_world(), device, sizeof numbers, &region, slices));
  for (int i = 0; i < NUMBERS; i++)
    numbers[i] = 1000 * me;
  KIT_OK(cw_put(numbers, slices[next], sizeof numbers, next));
  KIT_OK(cw_barrier(cw_team_world()));
  run_own(slices[me]);
  run_ours(device, slices[me]);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_get(numbers, slices[next], sizeof numbers, next));
  for (int i = 0; i < NUMBERS; i++)
    kit_check_long(numbers[i], 1000L * me + 2 * i, "after two kernels");
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* PoCL's threads release the references of ended commands with a delay. */
static void await_references(cl_uint wanted)
{
  const struct timespec nap = {.tv_nsec = 1000000};
  for (int polls = 0; polls < 10000 && references() != wanted; polls++)
    nanosleep(&nap, NULL);
  kit_check_long(references(), wanted, "references to the context afterwards");
}

static void try_lent(bool names)
{
  const cw_device_options options = {
      .kind = CW_DEVICE_OPENCL, .context = own.context, .native = names ? own.device : NULL};
  const cl_uint before = references();
  cw_device device = NULL;
  cw_device_facts facts;
  KIT_MUST(cw_device_open(&options, &device));
  kit_check(references() > before, "the context is not retained");
  KIT_OK(cw_device_describe(device, &facts));
  kit_check(facts.kind == CW_DEVICE_OPENCL && facts.number == 1, "it is device %d of kind %d",
            facts.number, (int)facts.kind);
  check_slices(device);
  KIT_OK(cw_device_close(&device));
  if (!names) /* the second time: the program's queue keeps its first command, which keeps the
                 context */
    await_references(before);
}

static void try_wrong(void)
{
  cw_device device = NULL;
  cw_device_options options = {
      .kind = CW_DEVICE_OPENCL, .context = own.context, .native = &options};
  KIT_MISUSE("options->native|none of the 1 devices", cw_device_open(&options, &device));
  kit_check(device == NULL, "there is a device");
}

/* --- Drivers that report wrong capabilities --------------------------------------------------- */

static struct cwi_opencl_library real;
static bool copies;  /* host memory is copied, as accelerators do */
static bool rejects; /* or rejected */

static cl_int CL_API_CALL dead_context(cl_context context, cl_context_info what, size_t size,
                                       void *value, size_t *all)
{
  (void)context, (void)what, (void)size, (void)value, (void)all;
  return CL_INVALID_CONTEXT;
}

static cl_mem CL_API_CALL make_copy(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                    cl_int *code)
{
  if (rejects && (flags & CL_MEM_USE_HOST_PTR) != 0) {
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  if (copies && (flags & CL_MEM_USE_HOST_PTR) != 0)
    flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  return real.clCreateBuffer(context, flags, size, host, code);
}

static cl_int CL_API_CALL reject_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t begin,
                                      size_t there, size_t size, cl_uint events,
                                      const cl_event *list, cl_event *event)
{
  (void)queue, (void)from, (void)to, (void)begin, (void)there, (void)size, (void)events;
  (void)list, (void)event;
  return CL_OUT_OF_RESOURCES;
}

static void check_shared(bool shared, const char *driver)
{
  cw_device device = NULL;
  cw_device_facts facts;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_OPENCL}, &device));
  KIT_OK(cw_device_describe(device, &facts));
  kit_check(facts.shared == shared, "with a driver that %s slices are %s", driver,
            facts.shared ? "shared" : "apart");
  KIT_OK(cw_device_close(&device));
}

/* The call fails on one member: all members get the error, and allocated memory is freed. */
static void try_failing(void)
{
  cw_device device = NULL;
  cw_region region = NULL;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_OPENCL}, &device));
  cwi_opencl.clCreateBuffer = make_copy;
  for (int member = 0; member < kit_processes(); member++) {
    rejects = member == kit_me();
    KIT_OUTSIDE(rejects ? "clCreateBuffer|CL_OUT_OF_HOST_MEMORY" : "process",
                cw_region_create_on(cw_team_world(), device, 1 << 20, &region, NULL));
    kit_check(region == NULL, "there is a region");
  }
  rejects = false;
  cwi_opencl = real;
  KIT_OK(cw_region_create_on(cw_team_world(), device, 1 << 20, &region, NULL));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
}

static void try_drivers(void)
{
  cw_device device = NULL;
  const cw_device_options lent = {.kind = CW_DEVICE_OPENCL, .context = own.context};
  real = cwi_opencl;
  check_shared(true, "uses the host's memory");
  cwi_opencl.clCreateBuffer = make_copy;
  copies = true;
  check_shared(false, "copies");
  copies = false;
  check_shared(true, "uses the host's memory again");
  cwi_opencl.clEnqueueCopyBuffer = reject_copy;
  check_shared(false, "refuses the probe");
  cwi_opencl = real;
  try_failing();
  cwi_opencl.clGetContextInfo = dead_context;
  KIT_MISUSE("options->context|existing OpenCL context|CL_INVALID_CONTEXT",
             cw_device_open(&lent, &device));
  cwi_opencl = real;
}

int main(int argc, char **argv)
{
  char why[512] = "";
  int count = 0;
  kit_start_native(&argc, &argv, "lent_opencl");
  KIT_MUST(cw_device_count(CW_DEVICE_OPENCL, &count, why, sizeof why));
  if (count == 0)
    kit_skip(why);
  make_own();
  try_lent(true);
  try_lent(false);
  try_wrong();
  if (argc == 1)
    try_drivers();
  free_own();
  return kit_finish_native();
}
