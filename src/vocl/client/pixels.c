/* Commands on images. */
#include "client/enqueue.h"
#include "client/entries.h"

/* The ends of all these calls' lists of parameters. */
#define REST cl_uint wait_count, const cl_event *waits, cl_event *event
#define CALL (&(struct cwi_call){queue, wait_count, waits, event})

cl_int cwi_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                              const size_t *origin, const size_t *region, size_t row, size_t slice,
                              void *host, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_READ_IMAGE,
                                           .blocking = blocking,
                                           .memory = {image},
                                           .origin = {origin},
                                           .region = region,
                                           .row_pitch = {0, row},
                                           .slice_pitch = {0, slice},
                                           .host = host},
                     CALL);
}

cl_int cwi_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                               const size_t *origin, const size_t *region, size_t row, size_t slice,
                               const void *host, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_WRITE_IMAGE,
                                           .blocking = blocking,
                                           .memory = {image},
                                           .origin = {origin},
                                           .region = region,
                                           .row_pitch = {0, row},
                                           .slice_pitch = {0, slice},
                                           .host = (void *)(uintptr_t)host},
                     CALL);
}

cl_int cwi_clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target,
                              const size_t *from, const size_t *to, const size_t *region, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_COPY_IMAGE,
                                           .memory = {source, target},
                                           .origin = {from, to},
                                           .region = region},
                     CALL);
}

cl_int cwi_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color,
                              const size_t *origin, const size_t *region, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_FILL_IMAGE,
                                           .memory = {image},
                                           .pattern = color,
                                           .pattern_size = 4 * sizeof(cl_uint),
                                           .origin = {origin},
                                           .region = region},
                     CALL);
}

cl_int cwi_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                      const size_t *from, const size_t *region, size_t to, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_IMAGE_TO_BUFFER,
                                           .memory = {image, buffer},
                                           .origin = {from},
                                           .region = region,
                                           .offset = {0, to}},
                     CALL);
}

cl_int cwi_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                      size_t from, const size_t *to, const size_t *region, REST)
{
  return cwi_enqueue(&(struct cwi_command){.sort = CWI_COMMAND_BUFFER_TO_IMAGE,
                                           .memory = {buffer, image},
                                           .offset = {from},
                                           .origin = {NULL, to},
                                           .region = region},
                     CALL);
}

void *cwi_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                            cl_map_flags flags, const size_t *origin, const size_t *region,
                            size_t *row, size_t *slice, REST, cl_int *errcode_ret)
{
  struct cwi_command command = {.sort = CWI_COMMAND_MAP_IMAGE,
                                .blocking = blocking,
                                .memory = {image},
                                .flags = flags,
                                .origin = {origin},
                                .region = region,
                                .pitches = {row, slice}};
  const cl_int code = cwi_enqueue(&command, CALL);
  return cwi_created(command.host, code, errcode_ret);
}
