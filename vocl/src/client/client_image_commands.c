/* Commands on images. */
#include "client/client_enqueue.h"
#include "client/client_entries.h"

/* The last parameters of all these calls. */
#define REST cl_uint wait_count, const cl_event *waits, cl_event *event
#define CALL (&(struct vocl_enqueue_arguments){queue, wait_count, waits, event})

cl_int vocl_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                               const size_t *origin, const size_t *region, size_t row, size_t slice,
                               void *host, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_READ_IMAGE,
                                             .blocking = blocking,
                                             .memory = {image},
                                             .origin = {origin},
                                             .region = region,
                                             .row_pitch = {0, row},
                                             .slice_pitch = {0, slice},
                                             .host = host},
                      CALL);
}

cl_int vocl_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                const size_t *origin, const size_t *region, size_t row,
                                size_t slice, const void *host, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_WRITE_IMAGE,
                                             .blocking = blocking,
                                             .memory = {image},
                                             .origin = {origin},
                                             .region = region,
                                             .row_pitch = {0, row},
                                             .slice_pitch = {0, slice},
                                             .host = (void *)(uintptr_t)host},
                      CALL);
}

cl_int vocl_clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target,
                               const size_t *from, const size_t *to, const size_t *region, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_COPY_IMAGE,
                                             .memory = {source, target},
                                             .origin = {from, to},
                                             .region = region},
                      CALL);
}

cl_int vocl_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color,
                               const size_t *origin, const size_t *region, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_FILL_IMAGE,
                                             .memory = {image},
                                             .pattern = color,
                                             .pattern_size = VOCL_COLOUR_BYTES,
                                             .origin = {origin},
                                             .region = region},
                      CALL);
}

cl_int vocl_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                       const size_t *from, const size_t *region, size_t to, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_IMAGE_TO_BUFFER,
                                             .memory = {image, buffer},
                                             .origin = {from},
                                             .region = region,
                                             .offset = {0, to}},
                      CALL);
}

cl_int vocl_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                       size_t from, const size_t *to, const size_t *region, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_BUFFER_TO_IMAGE,
                                             .memory = {buffer, image},
                                             .offset = {from},
                                             .origin = {NULL, to},
                                             .region = region},
                      CALL);
}

void *vocl_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                             cl_map_flags flags, const size_t *origin, const size_t *region,
                             size_t *row, size_t *slice, REST, cl_int *errcode_ret)
{
  struct vocl_command command = {.sort = VOCL_COMMAND_MAP_IMAGE,
                                 .blocking = blocking,
                                 .memory = {image},
                                 .flags = flags,
                                 .origin = {origin},
                                 .region = region,
                                 .pitches = {row, slice}};
  const cl_int code = vocl_enqueue(&command, CALL);
  return vocl_return_created(command.host, code, errcode_ret);
}
