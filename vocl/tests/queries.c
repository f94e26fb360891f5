/* Constant properties are queried from the vendor once: our answers are its own, a second query
 * does not reach it, and when a program is built again, its earlier answers are dropped. The
 * vendor's calls are counted in a table of our own, which its objects then point to. */
#include "vocl.h"

#include "client/client_handle.h"

#include <pthread.h>
#include <string.h>

static const cl_icd_dispatch *vendors; /* its own table */
static cl_icd_dispatch counting;
static int calls_of_vendor;

#define COUNTED(name, parameters, arguments)                                                       \
  static cl_int CL_API_CALL counted_##name parameters                                              \
  {                                                                                                \
    calls_of_vendor++;                                                                             \
    return vendors->name arguments;                                                                \
  }
#define REST size_t size, void *value, size_t *size_ret
COUNTED(clGetMemObjectInfo, (cl_mem m, cl_mem_info what, REST), (m, what, size, value, size_ret))
COUNTED(clGetImageInfo, (cl_mem m, cl_image_info what, REST), (m, what, size, value, size_ret))
COUNTED(clGetProgramInfo, (cl_program p, cl_program_info what, REST),
        (p, what, size, value, size_ret))
COUNTED(clGetProgramBuildInfo, (cl_program p, cl_device_id d, cl_program_build_info what, REST),
        (p, d, what, size, value, size_ret))
COUNTED(clGetKernelInfo, (cl_kernel k, cl_kernel_info what, REST), (k, what, size, value, size_ret))
COUNTED(clGetKernelArgInfo, (cl_kernel k, cl_uint i, cl_kernel_arg_info what, REST),
        (k, i, what, size, value, size_ret))
COUNTED(clGetKernelWorkGroupInfo,
        (cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, REST),
        (k, d, what, size, value, size_ret))
#undef REST
#undef COUNTED

static void *object_of(const void *handle)
{
  return ((const struct vocl_handle *)handle)->object;
}

/* Counts the vendor's calls with this object from now on. */
static void count(const void *handle)
{
  const cl_icd_dispatch **table = object_of(handle);
  vendors = *table;
  counting = *vendors;
#define COUNT(name) counting.name = counted_##name
  COUNT(clGetMemObjectInfo);
  COUNT(clGetImageInfo);
  COUNT(clGetProgramInfo);
  COUNT(clGetProgramBuildInfo);
  COUNT(clGetKernelInfo);
  COUNT(clGetKernelArgInfo);
  COUNT(clGetKernelWorkGroupInfo);
#undef COUNT
  *table = &counting;
}

struct question {
  const char *name;
  enum vocl_query_about about;
  cl_uint index, what;
};

static cl_int query(const cl_icd_dispatch *calls, void *object, void *on, const struct question *q,
                    size_t capacity, void *value, size_t *size)
{
  switch (q->about) {
  case VOCL_ABOUT_MEMORY:
    return calls->clGetMemObjectInfo(object, q->what, capacity, value, size);
  case VOCL_ABOUT_IMAGE:
    return calls->clGetImageInfo(object, q->what, capacity, value, size);
  case VOCL_ABOUT_PROGRAM:
    return calls->clGetProgramInfo(object, q->what, capacity, value, size);
  case VOCL_ABOUT_BUILD:
    return calls->clGetProgramBuildInfo(object, on, q->what, capacity, value, size);
  case VOCL_ABOUT_KERNEL:
    return calls->clGetKernelInfo(object, q->what, capacity, value, size);
  case VOCL_ABOUT_ARGUMENT:
    return calls->clGetKernelArgInfo(object, q->index, q->what, capacity, value, size);
  default:
    return calls->clGetKernelWorkGroupInfo(object, on, q->what, capacity, value, size);
  }
}

/* Checks the answer to a question. `most` is the upper bound on the vendor's calls. */
static void check_question(void *handle, const struct question *q, int most)
{
  enum { CAPACITY = 4096 };
  static unsigned char ours[CAPACITY], theirs[CAPACITY];
  size_t size = 0, wanted = 0;
  memset(ours, 0, sizeof ours);
  memset(theirs, 0, sizeof theirs);
  check_code(query(vendors, object_of(handle), object_of(device), q, CAPACITY, theirs, &wanted),
             CL_SUCCESS, q->name);
  calls_of_vendor = 0;
  check_code(query(cl, handle, device, q, CAPACITY, ours, &size), CL_SUCCESS, q->name);
  kit_check(calls_of_vendor <= most, "%s: the vendor was asked %d times", q->name, calls_of_vendor);
  kit_check(size == wanted, "%s: %zu bytes, not %zu", q->name, size, wanted);
  kit_check_bytes(ours, theirs, sizeof ours, q->name);
  check_code(query(cl, handle, device, q, 0, NULL, &size), CL_SUCCESS, q->name);
  kit_check(size == wanted, "%s: then %zu bytes", q->name, size);
  check_code(query(cl, handle, device, q, wanted - 1, ours, NULL), CL_INVALID_VALUE, "no room");
  kit_check(calls_of_vendor <= most, "%s: the vendor was asked again", q->name);
}

/* Number of vendor calls for a long answer: a call with too little space, one for its size, one for
 * the answer. */
enum { LONG = 3 };

static void check_questions(void *handle, const struct question *questions, size_t number)
{
  for (int time = 0; time < 2; time++)
    for (size_t i = 0; i < number; i++)
      check_question(handle, &questions[i], time == 0 ? LONG : 0);
}
#define CHECK_ALL(handle, questions)                                                               \
  check_questions(handle, questions, sizeof(questions) / sizeof *(questions))

static void check_memory(void)
{
  kit_about("memory");
  static const struct question of_buffers[] = {
      {"type", VOCL_ABOUT_MEMORY, 0, CL_MEM_TYPE},
      {"flags", VOCL_ABOUT_MEMORY, 0, CL_MEM_FLAGS},
      {"size", VOCL_ABOUT_MEMORY, 0, CL_MEM_SIZE},
      {"offset", VOCL_ABOUT_MEMORY, 0, CL_MEM_OFFSET},
      {"host's memory", VOCL_ABOUT_MEMORY, 0, CL_MEM_HOST_PTR},
  };
  static const struct question of_images[] = {
      {"format", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_FORMAT},
      {"size of an element", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_ELEMENT_SIZE},
      {"row pitch", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_ROW_PITCH},
      {"slice pitch", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_SLICE_PITCH},
      {"width", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_WIDTH},
      {"height", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_HEIGHT},
      {"depth", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_DEPTH},
      {"array's size", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_ARRAY_SIZE},
      {"samples", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_NUM_SAMPLES},
      {"levels", VOCL_ABOUT_IMAGE, 0, CL_IMAGE_NUM_MIP_LEVELS},
  };
  static int values[256] __attribute__((aligned(128)));
  static const cl_mem_flags flags[] = {0, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                       CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
  const cl_buffer_region region = {256, 128};
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 7, .image_height = 5};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    const bool has_host = (flags[i] & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0;
    cl_mem whole =
        cl->clCreateBuffer(context, flags[i], sizeof values, has_host ? values : NULL, NULL);
    cl_mem part = cl->clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    count(whole);
    count(part);
    CHECK_ALL(whole, of_buffers);
    CHECK_ALL(part, of_buffers);
    cl->clReleaseMemObject(part);
    cl->clReleaseMemObject(whole);
  }
  cl_mem image = cl->clCreateImage(context, 0, &format, &desc, NULL, NULL);
  count(image);
  CHECK_ALL(image, of_buffers);
  CHECK_ALL(image, of_images);
  cl->clReleaseMemObject(image);
}

static const char *text =
    "kernel void first(global int *a, int by, sampler_t s, constant float *table) { *a = by; }\n"
    "#ifdef SECOND\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void second(global int *b) { *b = 2; }\n"
    "#endif\n";

static void check_kernel(cl_program program, const char *name, cl_uint arguments)
{
  static const struct question of_kernels[] = {
      {"name", VOCL_ABOUT_KERNEL, 0, CL_KERNEL_FUNCTION_NAME},
      {"attributes", VOCL_ABOUT_KERNEL, 0, CL_KERNEL_ATTRIBUTES},
      {"size", VOCL_ABOUT_WORK_GROUP, 0, CL_KERNEL_WORK_GROUP_SIZE},
      {"size when compiled", VOCL_ABOUT_WORK_GROUP, 0, CL_KERNEL_COMPILE_WORK_GROUP_SIZE},
      {"multiple", VOCL_ABOUT_WORK_GROUP, 0, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE},
  };
  kit_about("kernel %s", name);
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = cl->clCreateKernel(program, name, &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  count(kernel);
  CHECK_ALL(kernel, of_kernels);
  for (cl_uint i = 0; i < arguments; i++) {
    const struct question of_arguments[] = {
        {"argument's address", VOCL_ABOUT_ARGUMENT, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER},
        {"argument's access", VOCL_ABOUT_ARGUMENT, i, CL_KERNEL_ARG_ACCESS_QUALIFIER},
        {"argument's type", VOCL_ABOUT_ARGUMENT, i, CL_KERNEL_ARG_TYPE_NAME},
        {"argument's qualifier", VOCL_ABOUT_ARGUMENT, i, CL_KERNEL_ARG_TYPE_QUALIFIER},
        {"argument's name", VOCL_ABOUT_ARGUMENT, i, CL_KERNEL_ARG_NAME},
    };
    CHECK_ALL(kernel, of_arguments);
  }
  cl->clReleaseKernel(kernel);
}

static void check_program(void)
{
  static const struct question before[] = {
      {"source", VOCL_ABOUT_PROGRAM, 0, CL_PROGRAM_SOURCE},
      {"status", VOCL_ABOUT_BUILD, 0, CL_PROGRAM_BUILD_STATUS},
  };
  static const struct question after[] = {
      {"source", VOCL_ABOUT_PROGRAM, 0, CL_PROGRAM_SOURCE},
      {"binaries' sizes", VOCL_ABOUT_PROGRAM, 0, CL_PROGRAM_BINARY_SIZES},
      {"kernels", VOCL_ABOUT_PROGRAM, 0, CL_PROGRAM_NUM_KERNELS},
      {"kernels' names", VOCL_ABOUT_PROGRAM, 0, CL_PROGRAM_KERNEL_NAMES},
      {"status", VOCL_ABOUT_BUILD, 0, CL_PROGRAM_BUILD_STATUS},
      {"log", VOCL_ABOUT_BUILD, 0, CL_PROGRAM_BUILD_LOG},
      {"type of binary", VOCL_ABOUT_BUILD, 0, CL_PROGRAM_BINARY_TYPE},
  };
  /* A source that is longer than most answers. */
  static char comment[2000] = "/*";
  const char *texts[] = {comment, text};
  kit_about("program");
  memset(comment + 2, 'x', sizeof comment - 5);
  memcpy(comment + sizeof comment - 3, "*/", 3);
  cl_program program = cl->clCreateProgramWithSource(context, 2, texts, NULL, NULL);
  for (int i = 0; i < 2; i++)
    check_question(program, &before[i], 1000); /* not counted yet */
  static const char *const options[] = {"-cl-kernel-arg-info", "-DSECOND -cl-kernel-arg-info"};
  for (int i = 0; i < 2; i++) {
    kit_about("program, built with %s", options[i]);
    check_code(cl->clBuildProgram(program, 0, NULL, options[i], NULL, NULL), CL_SUCCESS, "build");
    if (i == 0)
      count(program);
    CHECK_ALL(program, after);
    kit_check(VOCL_GET(size_t, clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS) == i + 1U,
              "as many kernels");
    check_kernel(program, i == 0 ? "first" : "second", i == 0 ? 4 : 1);
  }
  cl->clReleaseProgram(program);
}

enum { THREADS = 3, TIMES = 300 };

/* Every thread makes queries that no thread has made yet, and repeats them. */
static void *query_kernel(void *kernel)
{
  size_t wrong = 0;
  for (int i = 0; i < TIMES; i++) {
    char name[16] = "";
    size_t size = 0;
    cl->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    cl->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                 NULL);
    wrong += strcmp(name, "first") != 0 || size == 0;
  }
  return (void *)wrong; /* NOLINT(performance-no-int-to-ptr) */
}

/* Queries the source while another thread builds the program again. */
static void *query_program(void *program)
{
  size_t wrong = 0;
  for (int i = 0; i < TIMES; i++) {
    char source[1024] = "";
    cl->clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source, source, NULL);
    wrong += strcmp(source, text) != 0;
  }
  return (void *)wrong; /* NOLINT(performance-no-int-to-ptr) */
}

static void check_threads(void)
{
  kit_about("threads");
  pthread_t threads[2 * THREADS];
  cl_program program = vocl_build(text), again = vocl_build(text);
  cl_kernel kernel = cl->clCreateKernel(program, "first", NULL);
  for (int i = 0; i < THREADS; i++) {
    kit_check(pthread_create(&threads[i], NULL, query_kernel, kernel) == 0, "no thread");
    kit_check(pthread_create(&threads[THREADS + i], NULL, query_program, again) == 0, "no thread");
  }
  for (int i = 0; i < 3; i++)
    check_code(cl->clBuildProgram(again, 0, NULL, "", NULL, NULL), CL_SUCCESS, "build");
  for (int i = 0; i < 2 * THREADS; i++) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    kit_check(wrong == NULL, "thread %d got wrong answers", i);
  }
  cl->clReleaseKernel(kernel);
  cl->clReleaseProgram(program);
  cl->clReleaseProgram(again);
}

int main(int argc, char **argv)
{
  vocl_start(&argc, &argv, "vocl_queries");
  check_threads();
  check_memory();
  check_program();
  return vocl_finish();
}
