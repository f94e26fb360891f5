/* Every call that takes a handle, with NULL, with a released handle, and with an address that never
 * was a handle of that kind: the error is that of the specification, nothing is read, and valid
 * objects continue to work. */
#include "vocl.h"

#include "client/client_entries.h"

#include <stdlib.h>
#include <string.h>

static cl_mem buffer, image;
static cl_sampler sampler;
static cl_program program;
static cl_kernel kernel;
static cl_event event, made_event;

/* Valid arguments. */
static cl_uint number;
static char bytes[256];
static size_t row, slice;
static const size_t zeros[3] = {0, 0, 0}, ones[3] = {1, 1, 1}, size = 1;
static const cl_buffer_region part = {0, 8};
static const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
static const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
static const cl_image_desc description = {
    .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static const char *text = "kernel void nothing(global int *a, sampler_t b) {}";
static const unsigned char *binary = (const unsigned char *)"x";

static void CL_CALLBACK context_ended(cl_context c, void *data)
{
  (void)c;
  (void)data;
}

static void CL_CALLBACK memory_ended(cl_mem m, void *data)
{
  (void)m;
  (void)data;
}

static void CL_CALLBACK event_reached(cl_event e, cl_int status, void *data)
{
  (void)e;
  (void)status;
  (void)data;
}

/* New handles, which are released at once. */
static void *released_platform(void)
{
  return NULL; /* platforms are not released */
}

static void *released_device(void)
{
  cl_device_id parts[64];
  if (cl->clCreateSubDevices(device, equally, 64, parts, &number) != CL_SUCCESS)
    return NULL;
  for (cl_uint i = 0; i < number; i++)
    check_code(cl->clReleaseDevice(parts[i]), CL_SUCCESS, "clReleaseDevice");
  return parts[0];
}

#define RELEASED(kind, Release, create)                                                            \
  static void *released_##kind(void)                                                               \
  {                                                                                                \
    void *made = create;                                                                           \
    check_code(cl->clRelease##Release(made), CL_SUCCESS, "clRelease" #Release);                    \
    return made;                                                                                   \
  }
RELEASED(context, Context, cl->clCreateContext(NULL, 1, &device, NULL, NULL, NULL))
RELEASED(queue, CommandQueue, cl->clCreateCommandQueue(context, device, 0, NULL))
RELEASED(memory, MemObject, cl->clCreateBuffer(context, 0, 64, NULL, NULL))
RELEASED(sampler, Sampler, cl->clCreateSamplerWithProperties(context, NULL, NULL))
RELEASED(program, Program, cl->clCreateProgramWithSource(context, 1, &text, NULL, NULL))
RELEASED(kernel, Kernel, cl->clCreateKernel(program, "nothing", NULL))
RELEASED(event, Event, cl->clCreateUserEvent(context, NULL))

/* An invalid handle, and what is wrong with it. */
struct bad_value {
  const char *what;
  void *handle;
};

enum { MOST_WAYS = 16 };

/* Stores all invalid handles for a kind in `ways`, and returns their number. */
static int ways_of(const char *kind, void *(*released)(void), struct bad_value *ways)
{
  static char ours[128];
  const struct {
    const char *kind;
    void *handle;
  } live[] = {{"platform", platform}, {"device", device}, {"context", context},
              {"queue", queue},       {"memory", buffer}, {"sampler", sampler},
              {"program", program},   {"kernel", kernel}, {"event", event}};
  int count = 0;
  ways[count++] = (struct bad_value){"NULL", NULL};
  for (size_t i = 0; i < sizeof live / sizeof *live; i++)
    if (strcmp(live[i].kind, kind) != 0)
      ways[count++] = (struct bad_value){live[i].kind, live[i].handle};
    else
      ways[count++] = (struct bad_value){"the middle of one", (char *)live[i].handle + 8};
  ways[count++] = (struct bad_value){"own memory", ours};
  ways[count++] = (struct bad_value){"a number", (void *)16};
  void *released_handle = released();
  if (released_handle != NULL)
    ways[count++] = (struct bad_value){"released", released_handle};
  return count;
}

/* Names of the calls in the rows. */
static char seen[16384];

static void see(const char *call)
{
  strncat(seen, call, sizeof seen - strlen(seen) - 1);
  strncat(seen, " ", sizeof seen - strlen(seen) - 1);
}

/* NO_CODE: the call returns NULL without an error code. */
enum { NO_CODE = 1 };

#define EACH(call, kind, or_null, body)                                                            \
  {                                                                                                \
    struct bad_value ways[MOST_WAYS];                                                              \
    const int count = ways_of(#kind, released_##kind, ways);                                       \
    see(#call);                                                                                    \
    for (int way = or_null; way < count; way++) {                                                  \
      void *bad = ways[way].handle;                                                                \
      void *bads = &bad;                                                                           \
      kit_about(#call ", " #kind ": %s", ways[way].what);                                          \
      (void)bads;                                                                                  \
      body                                                                                         \
    }                                                                                              \
  }
#define CALL(call, error, kind, arguments)                                                         \
  EACH(call, kind, 0, check_code(cl->call arguments, error, #call);)
#define CALL_OR_NULL(call, error, kind, arguments)                                                 \
  EACH(call, kind, 1, check_code(cl->call arguments, error, #call);)
#define MAKE(call, error, kind, arguments)                                                         \
  EACH(call, kind, 0, {                                                                            \
    cl_int code = NO_CODE;                                                                         \
    kit_check((cl->call arguments) == NULL, #call " gives something");                             \
    check_code(code, error, #call);                                                                \
  })

static void check_rows(void) /* NOLINT(readability-function-size): a table */
{
#include "handles.def"
}

static void check_that_all_were_called(void)
{
  static const char *const calls[] = {
#define NAME(call) #call " ",
      VOCL_ENTRIES(NAME)
#undef NAME
  };
  static const char without[] = "clGetPlatformIDs clGetExtensionFunctionAddress clUnloadCompiler ";
  size_t found = 0;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    const bool known = strstr(seen, calls[i]) != NULL || strstr(without, calls[i]) != NULL;
    kit_check(known, "%shas no row in handles.def", calls[i]);
    found += known;
  }
  kit_check(found >= 90, "only %zu calls were looked at", found);
}

/* Valid handles still work, and their reference counts are unchanged. */
static void check_that_all_lives(void)
{
  int value = 7, got = 0;
  kit_about("afterwards");
  check_code(
      cl->clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL),
      CL_SUCCESS, "clEnqueueWriteBuffer");
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL),
             CL_SUCCESS, "clEnqueueReadBuffer");
  kit_check(got == value, "the buffer has %d", got);
  kit_check(VOCL_GET(cl_uint, clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT) == 1, "count");
}

int main(int argc, char **argv)
{
  vocl_start(&argc, &argv, "vocl_handles");
  cl_int code = CL_SUCCESS;
  buffer = cl->clCreateBuffer(context, 0, 64, NULL, &code);
  image = cl->clCreateImage(context, 0, &format, &description, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  sampler = cl->clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
  program = vocl_build(text);
  kernel = cl->clCreateKernel(program, "nothing", &code);
  event = cl->clCreateUserEvent(context, &code);
  check_code(code, CL_SUCCESS, "clCreateUserEvent");
  check_rows();
  check_that_all_were_called();
  check_that_all_lives();
  cl->clReleaseEvent(event);
  cl->clReleaseKernel(kernel);
  cl->clReleaseProgram(program);
  cl->clReleaseSampler(sampler);
  cl->clReleaseMemObject(image);
  cl->clReleaseMemObject(buffer);
  return vocl_finish();
}
