/* Images. */
#include "client/client_entries.h"
#include "client/client_memory.h"

/* Copies the description for the executor. Replaces the handle of the memory from which the image
 * is made by the executor's object. */
static cl_int image_describe(const struct vocl_cl_context *context, const cl_image_desc *desc,
                             cl_image_desc *described, struct vocl_cl_memory **below)
{
  *below = NULL;
  if (desc == NULL)
    return CL_INVALID_IMAGE_DESCRIPTOR;
  *described = *desc;
  if (desc->mem_object == NULL)
    return CL_SUCCESS;
  *below = vocl_memory_find(desc->mem_object);
  if (*below == NULL || !vocl_contexts_match(context, (*below)->context))
    return CL_INVALID_IMAGE_DESCRIPTOR;
  described->mem_object = (*below)->handle.object;
  return CL_SUCCESS;
}

cl_mem vocl_clCreateImageWithProperties(cl_context in, const cl_mem_properties *properties,
                                        cl_mem_flags flags, const cl_image_format *format,
                                        const cl_image_desc *desc, void *host, cl_int *errcode_ret)
{
  struct vocl_cl_context *context = vocl_context_find(in);
  struct vocl_cl_memory *below = NULL;
  struct vocl_cl_memory *image = NULL;
  cl_image_desc described;
  cl_int code = context != NULL ? vocl_memory_check_properties(properties) : CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS && format == NULL)
    code = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  if (code == CL_SUCCESS)
    code = image_describe(context, desc, &described, &below);
  if (code == CL_SUCCESS) {
    const struct vocl_making making = {.sort = VOCL_IMAGE,
                                       .parent = context->handle.object,
                                       .flags = flags,
                                       .format = format,
                                       .image = &described,
                                       .host = host};
    code = vocl_memory_handle_make(context, below, &making, &image);
  }
  if (code == CL_SUCCESS)
    code = vocl_memory_set_properties(image, properties);
  return vocl_return_created(image, code, errcode_ret);
}

cl_mem vocl_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                          const cl_image_desc *desc, void *host, cl_int *errcode_ret)
{
  return vocl_clCreateImageWithProperties(context, NULL, flags, format, desc, host, errcode_ret);
}

cl_mem vocl_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                            size_t width, size_t height, size_t row_pitch, void *host,
                            cl_int *errcode_ret)
{
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                              .image_width = width,
                              .image_height = height,
                              .image_row_pitch = row_pitch};
  return vocl_clCreateImage(context, flags, format, &desc, host, errcode_ret);
}

cl_mem vocl_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                            size_t width, size_t height, size_t depth, size_t row_pitch,
                            size_t slice_pitch, void *host, cl_int *errcode_ret)
{
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                              .image_width = width,
                              .image_height = height,
                              .image_depth = depth,
                              .image_row_pitch = row_pitch,
                              .image_slice_pitch = slice_pitch};
  return vocl_clCreateImage(context, flags, format, &desc, host, errcode_ret);
}

cl_int vocl_clGetSupportedImageFormats(cl_context in, cl_mem_flags flags, cl_mem_object_type type,
                                       cl_uint most, cl_image_format *formats, cl_uint *count)
{
  const struct vocl_cl_context *context = vocl_context_find(in);
  if (context != NULL && (flags & CL_MEM_KERNEL_READ_AND_WRITE) != 0) {
    /* No device has images that a kernel can both read and write
     * (CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS is 0). */
    cl_uint others = 0;
    const cl_int code =
        formats != NULL && most == 0
            ? CL_INVALID_VALUE
            : vocl_executor_query_formats(context->handle.object, flags, type, 0, NULL, &others);
    if (code == CL_SUCCESS && count != NULL)
      *count = 0;
    return code;
  }
  return context != NULL ? vocl_executor_query_formats(context->handle.object, flags, type, most,
                                                       formats, count)
                         : CL_INVALID_CONTEXT;
}

cl_int vocl_clGetImageInfo(cl_mem image, cl_image_info what, size_t size, void *value,
                           size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_CACHED(CL_IMAGE_FORMAT, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_ELEMENT_SIZE, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_ROW_PITCH, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_SLICE_PITCH, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_WIDTH, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_HEIGHT, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_DEPTH, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_ARRAY_SIZE, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_NUM_SAMPLES, vocl_cl_memory),
      VOCL_ANSWER_CACHED(CL_IMAGE_NUM_MIP_LEVELS, vocl_cl_memory),
      VOCL_ANSWER_FIELD(CL_IMAGE_BUFFER, vocl_cl_memory, parent),
  };
  static const struct vocl_query_table answers = {&vocl_kind_memory, VOCL_ABOUT_IMAGE,
                                                  sizeof rows / sizeof *rows, rows};
  const struct vocl_cl_memory *memory = vocl_memory_find(image);
  if (memory != NULL && memory->type == CL_MEM_OBJECT_BUFFER)
    return CL_INVALID_MEM_OBJECT;
  return vocl_query_answer(&answers, image, what,
                           &(struct vocl_query_result){size, value, size_ret});
}
