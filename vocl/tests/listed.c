/* Guarantees of OpenCL that random programs do not reach, one line for each question: the same
 * lines natively, through libcw-vocl, and through proxies (random.sh compares them).
 *
 *   vocl_listed LIBRARY DEVICE ... */
#include "vocl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- OpenCL 3.0's queries ------------------------------------------------------------------------
 */

struct question {
  const char *name;
  cl_uint what;
  bool is_own; /* a handle or what this machine has: its value is not printed */
};

/* Prints the code, the size of an answer, and the bytes of a short one. */
static void print_answer(const struct question *question, cl_int code, const unsigned char *answer,
                         size_t size)
{
  printf("%s: %d", question->name, code);
  if (code == CL_SUCCESS)
    printf(", %zu bytes", size);
  for (size_t i = 0; code == CL_SUCCESS && !question->is_own && i < size && size <= 24; i++)
    printf(" %02x", answer[i]);
  printf("\n");
}

#define QUERY(call, handle, questions)                                                             \
  for (size_t i = 0; i < sizeof(questions) / sizeof *(questions); i++) {                           \
    unsigned char its_answer[1 << 16] = {0};                                                       \
    size_t its_size = 0;                                                                           \
    const cl_int its_code =                                                                        \
        cl->call(handle, (questions)[i].what, sizeof its_answer, its_answer, &its_size);           \
    print_answer(&(questions)[i], its_code, its_answer, its_size);                                 \
  }
#define QUERY_DEVICE(call, handle, questions)                                                      \
  for (size_t i = 0; i < sizeof(questions) / sizeof *(questions); i++) {                           \
    unsigned char its_answer[1 << 16] = {0};                                                       \
    size_t its_size = 0;                                                                           \
    const cl_int its_code =                                                                        \
        cl->call(handle, device, (questions)[i].what, sizeof its_answer, its_answer, &its_size);   \
    print_answer(&(questions)[i], its_code, its_answer, its_size);                                 \
  }
#define VALUE(what)                                                                                \
  {                                                                                                \
#what, what, false                                                                             \
  }
#define OWN(what)                                                                                  \
  {                                                                                                \
#what, what, true                                                                              \
  }

/* Properties of devices, except those that are not virtualised (SVM, pipes, queues on the device,
 * ...), which vocl_answers queries.
 */
static const struct question of_devices[] = {
    VALUE(CL_DEVICE_TYPE),
    VALUE(CL_DEVICE_VENDOR_ID),
    VALUE(CL_DEVICE_MAX_COMPUTE_UNITS),
    VALUE(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS),
    VALUE(CL_DEVICE_MAX_WORK_ITEM_SIZES),
    VALUE(CL_DEVICE_MAX_WORK_GROUP_SIZE),
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR),
    VALUE(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF),
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR),
    VALUE(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF),
    OWN(CL_DEVICE_MAX_CLOCK_FREQUENCY),
    VALUE(CL_DEVICE_ADDRESS_BITS),
    VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
    VALUE(CL_DEVICE_IMAGE_SUPPORT),
    VALUE(CL_DEVICE_MAX_READ_IMAGE_ARGS),
    VALUE(CL_DEVICE_MAX_WRITE_IMAGE_ARGS),
    VALUE(CL_DEVICE_IL_VERSION),
    VALUE(CL_DEVICE_ILS_WITH_VERSION),
    VALUE(CL_DEVICE_IMAGE2D_MAX_WIDTH),
    VALUE(CL_DEVICE_IMAGE2D_MAX_HEIGHT),
    VALUE(CL_DEVICE_IMAGE3D_MAX_DEPTH),
    VALUE(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE),
    VALUE(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
    VALUE(CL_DEVICE_MAX_SAMPLERS),
    VALUE(CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
    VALUE(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT),
    VALUE(CL_DEVICE_MAX_PARAMETER_SIZE),
    VALUE(CL_DEVICE_MEM_BASE_ADDR_ALIGN),
    VALUE(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE),
    VALUE(CL_DEVICE_SINGLE_FP_CONFIG),
    VALUE(CL_DEVICE_DOUBLE_FP_CONFIG),
    VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE),
    VALUE(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE),
    VALUE(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
    VALUE(CL_DEVICE_GLOBAL_MEM_SIZE),
    VALUE(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE),
    VALUE(CL_DEVICE_MAX_CONSTANT_ARGS),
    VALUE(CL_DEVICE_LOCAL_MEM_TYPE),
    VALUE(CL_DEVICE_LOCAL_MEM_SIZE),
    VALUE(CL_DEVICE_ERROR_CORRECTION_SUPPORT),
    VALUE(CL_DEVICE_HOST_UNIFIED_MEMORY),
    VALUE(CL_DEVICE_PROFILING_TIMER_RESOLUTION),
    VALUE(CL_DEVICE_ENDIAN_LITTLE),
    VALUE(CL_DEVICE_AVAILABLE),
    VALUE(CL_DEVICE_COMPILER_AVAILABLE),
    VALUE(CL_DEVICE_LINKER_AVAILABLE),
    VALUE(CL_DEVICE_QUEUE_PROPERTIES),
    VALUE(CL_DEVICE_BUILT_IN_KERNELS),
    VALUE(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION),
    VALUE(CL_DEVICE_NAME),
    VALUE(CL_DEVICE_VENDOR),
    VALUE(CL_DEVICE_PROFILE),
    VALUE(CL_DEVICE_VERSION),
    VALUE(CL_DEVICE_NUMERIC_VERSION),
    VALUE(CL_DEVICE_OPENCL_C_VERSION),
    VALUE(CL_DEVICE_OPENCL_C_ALL_VERSIONS),
    VALUE(CL_DEVICE_PRINTF_BUFFER_SIZE),
    VALUE(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC),
    VALUE(CL_DEVICE_PARENT_DEVICE),
    VALUE(CL_DEVICE_PARTITION_MAX_SUB_DEVICES),
    VALUE(CL_DEVICE_PARTITION_PROPERTIES),
    VALUE(CL_DEVICE_PARTITION_AFFINITY_DOMAIN),
    VALUE(CL_DEVICE_PARTITION_TYPE),
    VALUE(CL_DEVICE_REFERENCE_COUNT),
    VALUE(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT),
    VALUE(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT),
    VALUE(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT),
    VALUE(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    VALUE(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED),
    VALUE(CL_DEVICE_MAX_NUM_SUB_GROUPS),
    VALUE(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)};
static const struct question of_contexts[] = {VALUE(CL_CONTEXT_NUM_DEVICES),
                                              OWN(CL_CONTEXT_DEVICES), OWN(CL_CONTEXT_PROPERTIES)};
static const struct question of_queues[] = {OWN(CL_QUEUE_CONTEXT),
                                            OWN(CL_QUEUE_DEVICE),
                                            VALUE(CL_QUEUE_REFERENCE_COUNT),
                                            VALUE(CL_QUEUE_PROPERTIES),
                                            VALUE(CL_QUEUE_PROPERTIES_ARRAY),
                                            VALUE(CL_QUEUE_SIZE),
                                            VALUE(CL_QUEUE_DEVICE_DEFAULT)};
static const struct question of_memory[] = {
    VALUE(CL_MEM_TYPE),       VALUE(CL_MEM_FLAGS),           VALUE(CL_MEM_SIZE),
    VALUE(CL_MEM_HOST_PTR),   VALUE(CL_MEM_MAP_COUNT),       VALUE(CL_MEM_REFERENCE_COUNT),
    OWN(CL_MEM_CONTEXT),      VALUE(CL_MEM_OFFSET),          VALUE(CL_MEM_ASSOCIATED_MEMOBJECT),
    VALUE(CL_MEM_PROPERTIES), VALUE(CL_MEM_USES_SVM_POINTER)};
static const struct question of_images[] = {
    VALUE(CL_IMAGE_FORMAT),      VALUE(CL_IMAGE_ELEMENT_SIZE),  VALUE(CL_IMAGE_ROW_PITCH),
    VALUE(CL_IMAGE_SLICE_PITCH), VALUE(CL_IMAGE_WIDTH),         VALUE(CL_IMAGE_HEIGHT),
    VALUE(CL_IMAGE_DEPTH),       VALUE(CL_IMAGE_ARRAY_SIZE),    VALUE(CL_IMAGE_BUFFER),
    VALUE(CL_IMAGE_NUM_SAMPLES), VALUE(CL_IMAGE_NUM_MIP_LEVELS)};
static const struct question of_pipes[] = {VALUE(CL_PIPE_PACKET_SIZE), VALUE(CL_PIPE_MAX_PACKETS),
                                           VALUE(CL_PIPE_PROPERTIES)};
static const struct question of_samplers[] = {VALUE(CL_SAMPLER_REFERENCE_COUNT),
                                              OWN(CL_SAMPLER_CONTEXT),
                                              VALUE(CL_SAMPLER_NORMALIZED_COORDS),
                                              VALUE(CL_SAMPLER_ADDRESSING_MODE),
                                              VALUE(CL_SAMPLER_FILTER_MODE),
                                              VALUE(CL_SAMPLER_PROPERTIES),
                                              VALUE(CL_SAMPLER_LOD_MAX)};
static const struct question of_programs[] = {VALUE(CL_PROGRAM_REFERENCE_COUNT),
                                              OWN(CL_PROGRAM_CONTEXT),
                                              VALUE(CL_PROGRAM_NUM_DEVICES),
                                              OWN(CL_PROGRAM_DEVICES),
                                              VALUE(CL_PROGRAM_SOURCE),
                                              OWN(CL_PROGRAM_BINARY_SIZES),
                                              VALUE(CL_PROGRAM_NUM_KERNELS),
                                              VALUE(CL_PROGRAM_KERNEL_NAMES),
                                              VALUE(CL_PROGRAM_IL),
                                              VALUE(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT),
                                              VALUE(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)};
static const struct question of_builds[] = {
    VALUE(CL_PROGRAM_BUILD_STATUS), VALUE(CL_PROGRAM_BUILD_OPTIONS), VALUE(CL_PROGRAM_BUILD_LOG),
    VALUE(CL_PROGRAM_BINARY_TYPE), VALUE(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)};
static const struct question of_kernels[] = {
    VALUE(CL_KERNEL_FUNCTION_NAME), VALUE(CL_KERNEL_NUM_ARGS), VALUE(CL_KERNEL_REFERENCE_COUNT),
    OWN(CL_KERNEL_CONTEXT),         OWN(CL_KERNEL_PROGRAM),    VALUE(CL_KERNEL_ATTRIBUTES)};
static const struct question of_groups[] = {
    VALUE(CL_KERNEL_WORK_GROUP_SIZE),  VALUE(CL_KERNEL_COMPILE_WORK_GROUP_SIZE),
    VALUE(CL_KERNEL_LOCAL_MEM_SIZE),   VALUE(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
    VALUE(CL_KERNEL_PRIVATE_MEM_SIZE), VALUE(CL_KERNEL_GLOBAL_WORK_SIZE)};
static const struct question of_times[] = {
    OWN(CL_PROFILING_COMMAND_QUEUED), OWN(CL_PROFILING_COMMAND_SUBMIT),
    OWN(CL_PROFILING_COMMAND_START), OWN(CL_PROFILING_COMMAND_END),
    OWN(CL_PROFILING_COMMAND_COMPLETE)};

static void query_memory(void)
{
  static const cl_mem_flags flags[] = {0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
  const cl_mem_properties none[] = {0};
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
  cl_int code = CL_SUCCESS;
  cl_mem buffer = cl->clCreateBufferWithProperties(context, none, 0, 256, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateBufferWithProperties");
  cl_mem image = cl->clCreateImage(context, 0, &format, &desc, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateImage");
  QUERY(clGetMemObjectInfo, buffer, of_memory)
  QUERY(clGetImageInfo, image, of_images)
  QUERY(clGetPipeInfo, buffer, of_pipes)
  QUERY(clGetPipeInfo, image, of_pipes)
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    cl_uint count = 0;
    code =
        cl->clGetSupportedImageFormats(context, flags[i], CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count);
    printf("formats %llx: %d, %u\n", (unsigned long long)flags[i], code, count);
  }
  cl->clReleaseMemObject(image);
  cl->clReleaseMemObject(buffer);
}

/* Clones a kernel. The clone must have the arguments that were set, and must not change those of
 * the original. */
static void clone_kernel(cl_kernel kernel)
{
  static const cl_int values[] = {5, 7};
  cl_int code = CL_SUCCESS, sums[2] = {0, 0};
  const size_t one = 1;
  cl_event event = NULL;
  cl_mem buffer = cl->clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof *sums, sums, &code);
  cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
  cl->clSetKernelArg(kernel, 1, sizeof *values, &values[0]);
  cl->clSetKernelArg(kernel, 2, 64, NULL);
  cl_kernel clone = cl->clCloneKernel(kernel, &code);
  must_be(code, CL_SUCCESS, "clCloneKernel");
  for (int i = 0; i < 2; i++) {
    cl_kernel which = i == 0 ? clone : kernel;
    must_be(cl->clEnqueueNDRangeKernel(queue, which, 1, NULL, &one, &one, 0, NULL,
                                       i == 0 ? &event : NULL),
            CL_SUCCESS, "clEnqueueNDRangeKernel");
    cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof *sums, &sums[i], 0, NULL, NULL);
    cl->clSetKernelArg(clone, 1, sizeof *values, &values[1]);
  }
  printf("the clone's sum %d, then the kernel's %d\n", sums[0], sums[1]);
  QUERY(clGetKernelInfo, clone, of_kernels)
  QUERY(clGetEventProfilingInfo, event, of_times)
  cl->clReleaseEvent(event);
  cl->clReleaseKernel(clone);
  cl->clReleaseMemObject(buffer);
}

static cl_program new_program(const char *text)
{
  cl_int code = CL_SUCCESS;
  cl_program program = cl->clCreateProgramWithSource(context, 1, &text, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateProgramWithSource");
  return program;
}

static void query_programs(void)
{
  cl_int code = CL_SUCCESS;
  size_t group = 8, answer = 0;
  cl_program program =
      new_program("kernel void k(global int *out, int a, local int *l) { out[0] += a; }");
  for (int step = 0; step < 2; step++) {
    QUERY(clGetProgramInfo, program, of_programs)
    QUERY_DEVICE(clGetProgramBuildInfo, program, of_builds)
    if (step == 0)
      must_be(cl->clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_SUCCESS, "clBuildProgram");
  }
  printf("a constant of no intermediate language: %d\n",
         cl->clSetProgramSpecializationConstant(program, 0, sizeof code, &code));
  cl_kernel kernel = cl->clCreateKernel(program, "k", &code);
  must_be(code, CL_SUCCESS, "clCreateKernel");
  QUERY(clGetKernelInfo, kernel, of_kernels)
  QUERY_DEVICE(clGetKernelWorkGroupInfo, kernel, of_groups)
  printf("sub-groups: %d\n",
         cl->clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                     sizeof group, &group, sizeof answer, &answer, NULL));
  printf("sub-groups of no kernel: %d\n",
         cl->clGetKernelSubGroupInfo(NULL, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                     sizeof group, &group, sizeof answer, &answer, NULL));
  clone_kernel(kernel);
  cl->clReleaseKernel(kernel);
  cl->clReleaseProgram(program);
}

static void query_all(void)
{
  const cl_sampler_properties linear[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_int code = CL_SUCCESS;
  QUERY(clGetDeviceInfo, device, of_devices)
  QUERY(clGetContextInfo, context, of_contexts)
  QUERY(clGetCommandQueueInfo, queue, of_queues)
  query_memory();
  cl_sampler sampler = cl->clCreateSamplerWithProperties(context, linear, &code);
  must_be(code, CL_SUCCESS, "clCreateSamplerWithProperties");
  QUERY(clGetSamplerInfo, sampler, of_samplers)
  cl->clReleaseSampler(sampler);
  query_programs();
}

static int kernel_value(cl_program program);

/* --- contexts of parts of a device ---------------------------------------------------------------
 */

static void print_part(cl_program program, cl_device_id part)
{
  cl_build_status status = 77;
  cl_program_binary_type type = 77;
  cl->clGetProgramBuildInfo(program, part, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
  cl->clGetProgramBuildInfo(program, part, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
  printf(", status %d, type %u", status, type);
}

/* Builds a program for the last `for_count` sub-devices, or for all if it is 0. Prints the build
 * status of every sub-device, and runs the kernel on each. Every device of the program must have a
 * binary. */
static void build_for_parts(const cl_device_id *parts, cl_uint count, cl_uint for_count)
{
  cl_int code = CL_SUCCESS;
  cl_uint known = 0;
  size_t sizes[8] = {0};
  cl_program program = new_program("kernel void k(global int *out) { *out = 11; }\n");
  code = cl->clBuildProgram(program, for_count, for_count > 0 ? parts + count - for_count : NULL,
                            "", NULL, NULL);
  must_be(cl->clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof known, &known, NULL),
          CL_SUCCESS, "CL_PROGRAM_NUM_DEVICES");
  cl->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL);
  must(known > 0 && known <= count, "%u devices of %u", known, count);
  for (cl_uint i = 0; i < known; i++)
    must(sizes[i] > 0 && sizes[i] < 1 << 24, "a binary of %zu bytes", sizes[i]);
  printf("built for %u of %u parts: %d", for_count, count, code);
  for (cl_uint i = 0; i < count; i++)
    print_part(program, parts[i]);
  printf("\n");
  for (cl_uint i = 0; i < count; i++) {
    queue = cl->clCreateCommandQueue(context, parts[i], 0, &code);
    must_be(code, CL_SUCCESS, "clCreateCommandQueue");
    printf("on part %u: %d\n", i, kernel_value(program));
    cl->clReleaseCommandQueue(queue);
  }
  cl->clReleaseProgram(program);
}

static void try_parts(void)
{
  static const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[8];
  cl_uint count = 0;
  cl_int code = cl->clCreateSubDevices(device, equally, 8, parts, &count);
  printf("%u parts: %d\n", count, code);
  if (code != CL_SUCCESS)
    return;
  context = cl->clCreateContext(NULL, count, parts, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  build_for_parts(parts, count, 0);
  build_for_parts(parts, count, 1);
  cl->clReleaseContext(context);
  for (cl_uint i = 0; i < count; i++)
    cl->clReleaseDevice(parts[i]);
}

/* --- files that programs include -----------------------------------------------------------------
 */

static const char kernel_text[] = "\nkernel void k(global int *out) { *out = VALUE; }\n";

static void file_write(const char *name, const char *text)
{
  FILE *file = fopen(name, "w");
  must(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s cannot be written", name);
}

static int kernel_value(cl_program program)
{
  cl_int code = CL_SUCCESS;
  int value = -1;
  const size_t one = 1;
  cl_kernel kernel = cl->clCreateKernel(program, "k", &code);
  must_be(code, CL_SUCCESS, "clCreateKernel");
  cl_mem out = cl->clCreateBuffer(context, 0, sizeof value, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateBuffer");
  must_be(cl->clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS, "clSetKernelArg");
  must_be(cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL), CL_SUCCESS,
          "clEnqueueNDRangeKernel");
  must_be(cl->clEnqueueReadBuffer(queue, out, 1, 0, sizeof value, &value, 0, NULL, NULL),
          CL_SUCCESS, "clEnqueueReadBuffer");
  cl->clReleaseMemObject(out);
  cl->clReleaseKernel(kernel);
  return value;
}

/* Prints the result of a build: the kernel's value, or the message about a header's line. */
static void print_build(cl_program program, cl_int code, const char *include, const char *given)
{
  char options[4096] = "", log[65536] = "";
  cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                            NULL);
  cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  printf("%s with '%s': %d, options '%s'", include, given, code, options);
  if (code == CL_SUCCESS)
    printf(", value %d\n", kernel_value(program));
  else
    printf(", %s\n", strstr(log, "not found") != NULL ? "not found" : log);
}

static void try_include(const char *include, const char *options)
{
  char text[4096];
  snprintf(text, sizeof text, "#include %s%s", include, kernel_text);
  cl_program program = new_program(text);
  print_build(program, cl->clBuildProgram(program, 1, &device, options, NULL, NULL), include,
              options);
  cl->clReleaseProgram(program);
}

/* Compiles with a header that the program passes and that includes a file. */
static void try_compile(void)
{
  const char *const name = "own.h";
  cl_int code = CL_SUCCESS;
  cl_program header = new_program("#include <plain.h>\n"),
             program = new_program("#include <own.h>\n"
                                   "kernel void k(global int *out) { *out = VALUE; }\n");
  code = cl->clCompileProgram(program, 1, &device, "-I folder", 1, &header, (const char **)&name,
                              NULL, NULL);
  printf("compiled: %d\n", code);
  cl_program linked = cl->clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &code);
  print_build(linked, code, "own.h", "");
  cl->clReleaseProgram(linked);
  cl->clReleaseProgram(program);
  cl->clReleaseProgram(header);
}

/* Builds programs with included files in a working folder that is not the proxies'. */
static void try_includes(void)
{
  char folder[] = "/tmp/vocl-listed-XXXXXX", options[128];
  must(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("folder", 0700) == 0 &&
           mkdir("folder/below", 0700) == 0 && mkdir("other", 0700) == 0,
       "%s: no folders", folder);
  file_write("here.h", "#define VALUE 1\n");
  file_write("folder/plain.h", "#define VALUE 2\n");
  file_write("folder/deep.h", "#include \"below/deeper.h\"\n");
  file_write("folder/below/deeper.h", "#include \"../../other/aside.h\"\n");
  file_write("other/aside.h", "#ifndef VALUE\n#define VALUE 3\n#endif\n");
  file_write("other/bad.h", "#error bad\n");
  file_write("other/plain.h", "#define VALUE 4\n");
  try_include("\"here.h\"", "");
  try_include("<plain.h>", "-Iother/ -I folder");
  try_include("NAME", "-I other/../folder -DNAME=<deep.h>");
  try_include("\"bad.h\"", "-I other");
  try_include("\"nowhere.h\"", "-I other");
  snprintf(options, sizeof options, "-I%s/folder", folder);
  char text[4096];
  snprintf(text, sizeof text, "#include <deep.h>%s", kernel_text);
  cl_program program = new_program(text);
  printf("a whole path: %d", cl->clBuildProgram(program, 1, &device, options, NULL, NULL));
  printf(", value %d\n", kernel_value(program));
  cl->clReleaseProgram(program);
  try_compile();
  static const char *const files[] = {
      "here.h",      "folder/plain.h", "folder/deep.h",        "other/aside.h",
      "other/bad.h", "other/plain.h",  "folder/below/deeper.h"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(files[i]);
  rmdir("folder/below");
  rmdir("folder");
  rmdir("other");
  must(chdir("/") == 0 && rmdir(folder) == 0, "%s stays", folder);
}

int main(int argc, char **argv)
{
  cl_int code = CL_SUCCESS;
  must(argc >= 3, "usage: vocl_listed LIBRARY DEVICE ...");
  vocl_open(argv[1]);
  vocl_choose(strtoul(argv[2], NULL, 10));
  context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  must_be(code, CL_SUCCESS, "clCreateContext");
  queue = cl->clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  must_be(code, CL_SUCCESS, "clCreateCommandQueue");
  query_all();
  try_includes();
  cl->clReleaseCommandQueue(queue);
  cl->clReleaseContext(context);
  try_parts();
  return 0;
}
