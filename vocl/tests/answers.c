/* Queries of the platform and its devices, and rejected calls: calls that are not virtualised
 * return an error, and no device reports to support them. Samplers, queues and images by their
 * lists of properties. */
#include "vocl.h"

#include "client/client_entries.h"

#include <stdlib.h>
#include <string.h>

static void check_table(void)
{
  kit_about("the table");
  const void *const *calls = (const void *const *)(const void *)cl;
  const size_t count = sizeof *cl / sizeof *calls;
  kit_check(count >= 140, "the table has %zu calls", count);
  for (size_t i = 0; i < count; i++)
    kit_check(calls[i] != NULL, "call %zu of the table is NULL", i);
}

/* Checks that calls that are not virtualised return errors, with a valid and with a NULL first
 * argument. */
static void check_rejections(void)
{
  typedef cl_int(CL_API_CALL * any_call)(void *, void *, void *, void *, void *, void *);
  cl_program program = vocl_build("kernel void k(void) {}");
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = cl->clCreateKernel(program, "k", &code);
  check_code(code, CL_SUCCESS, "clCreateKernel");
  cl_mem pipe = NULL;
  cl_program il = program;
  void *any = context;
  const struct {
    const char *name;
    size_t offset;
    void *first;
    cl_int code, of_none;
  } rejected[] = {
#define OF_any CL_INVALID_OPERATION, CL_INVALID_OPERATION
#define OF_queue CL_INVALID_OPERATION, CL_INVALID_COMMAND_QUEUE
#define OF_kernel CL_INVALID_OPERATION, CL_INVALID_KERNEL
#define OF_device CL_INVALID_OPERATION, CL_INVALID_DEVICE
#define OF_context CL_INVALID_OPERATION, CL_INVALID_CONTEXT
#define OF_program CL_INVALID_OPERATION, CL_INVALID_PROGRAM
#define OF_pipe CL_INVALID_MEM_OBJECT, CL_INVALID_MEM_OBJECT
#define OF_il CL_INVALID_PROGRAM, CL_INVALID_PROGRAM
#define ROW(call, of) {#call, offsetof(cl_icd_dispatch, call), of, OF_##of},
      VOCL_UNSUPPORTED(ROW)
#undef ROW
  };
  for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
    const any_call call = *(const any_call *)(const void *)((const char *)cl + rejected[i].offset);
    check_code(call(rejected[i].first, NULL, NULL, NULL, NULL, NULL), rejected[i].code,
               rejected[i].name);
    check_code(call(NULL, NULL, NULL, NULL, NULL, NULL), rejected[i].of_none, rejected[i].name);
  }
  kit_check(cl->clSVMAlloc(context, 0, 64, 0) == NULL, "clSVMAlloc gives something");
  kit_check(cl->clCreatePipe(context, 0, 4, 4, NULL, &code) == NULL,
            "clCreatePipe gives something");
  check_code(code, CL_INVALID_OPERATION, "clCreatePipe");
  kit_check(cl->clCreatePipe(NULL, 0, 4, 4, NULL, &code) == NULL, "clCreatePipe of no context");
  check_code(code, CL_INVALID_CONTEXT, "clCreatePipe of no context");
  kit_check(cl->clCreateProgramWithIL(context, "", 1, &code) == NULL,
            "clCreateProgramWithIL gives something");
  check_code(code, CL_INVALID_OPERATION, "clCreateProgramWithIL");
  kit_check(cl->clCloneKernel(NULL, &code) == NULL, "a clone of nothing");
  check_code(code, CL_INVALID_KERNEL, "a clone of nothing");
  cl->clReleaseKernel(kernel);
  cl->clReleaseProgram(program);
}

static void check_platform(void)
{
  kit_about("the platform");
  cl_platform_id given = NULL;
  cl_uint count = 0;
  char text[64];
  size_t size = 0;
  check_code(cl->clGetPlatformIDs(1, &given, &count), CL_SUCCESS, "clGetPlatformIDs");
  kit_check(given == platform && count == 1, "%u platforms", count);
  check_code(cl->clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE, "clGetPlatformIDs for nothing");
  check_code(cl->clGetPlatformIDs(0, &given, NULL), CL_INVALID_VALUE, "clGetPlatformIDs for none");
  check_code(cl->clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, &size),
             CL_SUCCESS, "extensions");
  kit_check(strstr(text, "cl_khr_icd") != NULL && size == strlen(text) + 1, "extensions: %s (%zu)",
            text, size);
  check_code(cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, 3, text, NULL), CL_INVALID_VALUE,
             "no room");
  check_code(cl->clGetPlatformInfo(platform, 7, sizeof text, text, NULL), CL_INVALID_VALUE,
             "question 7");
  check_code(cl->clUnloadCompiler(), CL_SUCCESS, "clUnloadCompiler");
  check_code(cl->clUnloadPlatformCompiler(platform), CL_SUCCESS, "clUnloadPlatformCompiler");
  kit_check(cl->clGetExtensionFunctionAddressForPlatform(platform, "clIcdGetPlatformIDsKHR") !=
                NULL,
            "no address");
  kit_check(cl->clGetExtensionFunctionAddress("clNothing") == NULL, "an address of nothing");
}

static void check_device(void)
{
  kit_about("the device");
  char text[4096] = "";
  cl_uint count = 0;
  kit_check(VOCL_GET(cl_platform_id, clGetDeviceInfo, device, CL_DEVICE_PLATFORM) == platform,
            "its platform");
  kit_check(VOCL_GET(cl_device_id, clGetDeviceInfo, device, CL_DEVICE_PARENT_DEVICE) == NULL,
            "its parent");
  kit_check(VOCL_GET(cl_ulong, clGetDeviceInfo, device, CL_DEVICE_GLOBAL_MEM_SIZE) > 1 << 20,
            "its memory");
  const cl_device_exec_capabilities can = VOCL_GET(cl_device_exec_capabilities, clGetDeviceInfo,
                                                   device, CL_DEVICE_EXECUTION_CAPABILITIES);
  kit_check(can == CL_EXEC_KERNEL, "it can %llx", (unsigned long long)can);
  cl->clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL);
  const bool is_30 = strncmp(text, "OpenCL 3.0 ", 11) == 0;
  kit_check(is_30 || strncmp(text, "OpenCL 1.2 ", 11) == 0, "its version is %s", text);
  if (is_30) {
    kit_check(VOCL_GET(cl_bitfield, clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES) == 0,
              "shared virtual memory");
    kit_check(VOCL_GET(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_PIPE_ARGS) == 0, "pipes");
    kit_check(VOCL_GET(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_ON_DEVICE_QUEUES) == 0,
              "queues on the device");
  }
  check_code(cl->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL), CL_SUCCESS,
             "extensions");
  kit_check(strstr(text, "cl_khr_byte_addressable_store") != NULL, "extensions: %s", text);
  kit_check(strstr(text, "cl_khr_command_buffer") == NULL && strstr(text, "cl_pocl") == NULL,
            "extensions: %s", text);
  check_code(cl->clGetDeviceInfo(device, CL_DEVICE_NAME, 1, text, NULL), CL_INVALID_VALUE,
             "no room");
  check_code(cl->clGetDeviceInfo(device, 7, sizeof text, text, NULL), CL_INVALID_VALUE,
             "question 7");
  check_code(cl->clGetDeviceIDs(platform, 0, 0, NULL, &count), CL_INVALID_DEVICE_TYPE, "type 0");
  check_code(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ACCELERATOR, 0, NULL, &count),
             CL_DEVICE_NOT_FOUND, "none");
  check_code(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count), CL_SUCCESS,
             "the default");
  kit_check(count == 1, "%u default devices", count);
}

static void check_lists(void)
{
  kit_about("lists of properties");
  cl_int code = CL_SUCCESS;
  const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0};
  const cl_queue_properties unknown[] = {7, 7, 0};
  cl_queue_properties got[8];
  size_t size = 0;
  cl_command_queue made = cl->clCreateCommandQueueWithProperties(context, device, profiling, &code);
  check_code(code, CL_SUCCESS, "profiling");
  kit_check(VOCL_GET(cl_command_queue_properties, clGetCommandQueueInfo, made,
                     CL_QUEUE_PROPERTIES) == CL_QUEUE_PROFILING_ENABLE,
            "flags");
  check_code(cl->clGetCommandQueueInfo(made, CL_QUEUE_PROPERTIES_ARRAY, sizeof got, got, &size),
             CL_SUCCESS, "the list");
  kit_check(size == sizeof profiling && memcmp(got, profiling, size) == 0, "the list has %zu bytes",
            size);
  check_code(cl->clGetCommandQueueInfo(made, CL_QUEUE_SIZE, sizeof got, got, NULL),
             CL_INVALID_COMMAND_QUEUE, "its size");
  cl->clReleaseCommandQueue(made);
  kit_check(cl->clCreateCommandQueueWithProperties(context, device, on_device, &code) == NULL,
            "on the device");
  check_code(code, CL_INVALID_QUEUE_PROPERTIES, "on the device");
  kit_check(cl->clCreateCommandQueueWithProperties(context, device, unknown, &code) == NULL,
            "unknown");
  check_code(code, CL_INVALID_VALUE, "unknown");
  const cl_sampler_properties repeat[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0};
  const cl_sampler_properties twice[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT,
                                         CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0};
  cl_sampler sampler = cl->clCreateSamplerWithProperties(context, repeat, &code);
  check_code(code, CL_SUCCESS, "a sampler");
  kit_check(VOCL_GET(cl_addressing_mode, clGetSamplerInfo, sampler, CL_SAMPLER_ADDRESSING_MODE) ==
                CL_ADDRESS_REPEAT,
            "its mode");
  kit_check(VOCL_GET(cl_bool, clGetSamplerInfo, sampler, CL_SAMPLER_NORMALIZED_COORDS) == CL_TRUE,
            "the default");
  cl->clReleaseSampler(sampler);
  kit_check(cl->clCreateSamplerWithProperties(context, twice, &code) == NULL, "twice");
  check_code(code, CL_INVALID_VALUE, "twice");
  kit_check(cl->clCreateBufferWithProperties(context, (const cl_mem_properties[]){7, 7, 0}, 0, 64,
                                             NULL, &code) == NULL,
            "a buffer");
  check_code(code, CL_INVALID_PROPERTY, "a buffer");
}

/* Checks that a device whose kernels cannot read and write one image has no format for that. */
static void check_formats(void)
{
  static const cl_mem_flags flags[] = {CL_MEM_KERNEL_READ_AND_WRITE,
                                       CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_READ_WRITE};
  cl_image_format format;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    cl_uint count = 7;
    check_code(cl->clGetSupportedImageFormats(context, flags[i], CL_MEM_OBJECT_IMAGE2D, 1, &format,
                                              &count),
               CL_SUCCESS, "formats to read and write");
    kit_check(count == 0, "%u formats to read and write", count);
    check_code(cl->clGetSupportedImageFormats(context, flags[i], CL_MEM_OBJECT_IMAGE2D, 0, &format,
                                              &count),
               CL_INVALID_VALUE, "no room for formats");
  }
  kit_check(VOCL_GET(cl_uint, clGetDeviceInfo, device, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) == 0,
            "images to read and write");
}

enum { WIDTH = 8, HEIGHT = 6 };

static void check_images(void)
{
  kit_about("images");
  static unsigned char pixels[HEIGHT][WIDTH][4], got[HEIGHT][WIDTH][4];
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
  const size_t from[] = {0, 0, 0}, all[] = {WIDTH, HEIGHT, 1}, one[] = {1, 1, 1}, at[] = {2, 3, 0};
  const cl_uint color[] = {9, 8, 7, 6};
  const unsigned char wanted[] = {9, 8, 7, 6};
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < sizeof pixels; i++)
    ((unsigned char *)pixels)[i] = (unsigned char)(i * 7);
  cl_mem image = cl->clCreateImage(context, 0, &format, &desc, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  cl_mem other = cl->clCreateImage2D(context, 0, &format, WIDTH, HEIGHT, 0, NULL, &code);
  cl_mem buffer = cl->clCreateBuffer(context, 0, sizeof pixels, NULL, &code);
  kit_check(VOCL_GET(size_t, clGetImageInfo, image, CL_IMAGE_WIDTH) == WIDTH, "its width");
  kit_check(VOCL_GET(cl_mem_object_type, clGetMemObjectInfo, image, CL_MEM_TYPE) ==
                CL_MEM_OBJECT_IMAGE2D,
            "its type");
  check_code(cl->clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL), CL_INVALID_MEM_OBJECT,
             "width of a buffer");
  check_code(cl->clEnqueueWriteImage(queue, image, CL_TRUE, from, all, 0, 0, pixels, 0, NULL, NULL),
             CL_SUCCESS, "write");
  check_code(cl->clEnqueueFillImage(queue, image, color, at, one, 0, NULL, NULL), CL_SUCCESS,
             "fill");
  memcpy(pixels[3][2], wanted, 4);
  check_code(cl->clEnqueueCopyImage(queue, image, other, from, from, all, 0, NULL, NULL),
             CL_SUCCESS, "copy");
  check_code(cl->clEnqueueReadImage(queue, other, CL_TRUE, from, all, 0, 0, got, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check_bytes(got, pixels, sizeof got, "copied");
  check_code(cl->clEnqueueCopyImageToBuffer(queue, image, buffer, from, all, 0, 0, NULL, NULL),
             CL_SUCCESS, "to buffer");
  memset(got, 0, sizeof got);
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check_bytes(got, pixels, sizeof got, "in the buffer");
  check_code(cl->clEnqueueCopyBufferToImage(queue, buffer, other, 0, from, all, 0, NULL, NULL),
             CL_SUCCESS, "from it");
  size_t row = 0;
  unsigned char *mapped = cl->clEnqueueMapImage(queue, other, CL_TRUE, CL_MAP_READ, from, all, &row,
                                                NULL, 0, NULL, NULL, &code);
  check_code(code, CL_SUCCESS, "clEnqueueMapImage");
  for (int y = 0; y < HEIGHT; y++)
    kit_check_bytes(mapped + y * row, pixels[y], sizeof pixels[y], "mapped");
  check_code(cl->clEnqueueUnmapMemObject(queue, other, mapped, 0, NULL, NULL), CL_SUCCESS, "unmap");
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  cl->clReleaseMemObject(image);
  cl->clReleaseMemObject(other);
  cl->clReleaseMemObject(buffer);
}

/* Checks the pitches that OpenCL allows; PoCL itself accepts most others, too. */
static void check_pitches(void)
{
  kit_about("pitches of images");
  static unsigned char pixels[4096];
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const struct {
    cl_mem_object_type type;
    size_t row, slice;
    bool has_host, fits;
  } rows[] = {
      {CL_MEM_OBJECT_IMAGE2D, 64, 0, false, false}, {CL_MEM_OBJECT_IMAGE2D, 64, 0, true, true},
      {CL_MEM_OBJECT_IMAGE2D, 16, 0, true, false},  {CL_MEM_OBJECT_IMAGE2D, 35, 0, true, false},
      {CL_MEM_OBJECT_IMAGE3D, 64, 384, true, true}, {CL_MEM_OBJECT_IMAGE3D, 64, 128, true, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const cl_image_desc desc = {.image_type = rows[i].type,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .image_depth = rows[i].type == CL_MEM_OBJECT_IMAGE3D ? 2 : 0,
                                .image_row_pitch = rows[i].row,
                                .image_slice_pitch = rows[i].slice};
    cl_int code = CL_SUCCESS;
    cl_mem image = cl->clCreateImage(context, rows[i].has_host ? CL_MEM_COPY_HOST_PTR : 0, &format,
                                     &desc, rows[i].has_host ? pixels : NULL, &code);
    check_code(code, rows[i].fits ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR, "clCreateImage");
    if (image != NULL)
      cl->clReleaseMemObject(image);
  }
}

/* Calls that crash PoCL, natively too. The proxy copies in another way, and rejects the fill. */
static void check_images_of_buffers(void)
{
  kit_about("images of buffers");
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  const size_t from[] = {2, 0, 0}, part[] = {5, 1, 1};
  const cl_uint color[] = {9, 8, 7, 6};
  unsigned char pixels[WIDTH][4], got[5][4] = {{0}};
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < sizeof pixels; i++)
    ((unsigned char *)pixels)[i] = (unsigned char)(i * 7);
  cl_mem below = cl->clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof pixels, pixels, &code);
  cl_mem buffer = cl->clCreateBuffer(context, 0, 64, NULL, &code);
  const cl_image_desc desc = {
      .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = WIDTH, .mem_object = below};
  cl_mem image = cl->clCreateImage(context, 0, &format, &desc, NULL, &code);
  check_code(code, CL_SUCCESS, "clCreateImage");
  check_code(cl->clEnqueueCopyImageToBuffer(queue, image, buffer, from, part, 8, 0, NULL, NULL),
             CL_SUCCESS, "clEnqueueCopyImageToBuffer");
  check_code(cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 8, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS, "read");
  kit_check_bytes(got, pixels[2], sizeof got, "in the buffer");
  check_code(cl->clEnqueueFillImage(queue, image, color, from, part, 0, NULL, NULL),
             CL_INVALID_OPERATION, "clEnqueueFillImage");
  check_code(cl->clFinish(queue), CL_SUCCESS, "clFinish");
  cl->clReleaseMemObject(image);
  cl->clReleaseMemObject(below);
  cl->clReleaseMemObject(buffer);
}

int main(int argc, char **argv)
{
  vocl_start(&argc, &argv, "vocl_answers");
  check_table();
  check_rejections();
  check_platform();
  check_device();
  check_lists();
  check_formats();
  check_images();
  if (getenv("VOCL_REMOTE") != NULL) {
    check_pitches();
    check_images_of_buffers();
  }
  return vocl_finish();
}
