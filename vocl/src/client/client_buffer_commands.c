/* Commands on buffers. */
#include "client/client_enqueue.h"
#include "client/client_entries.h"

/* The last parameters of all these calls. */
#define REST cl_uint wait_count, const cl_event *waits, cl_event *event
#define CALL (&(struct vocl_enqueue_arguments){queue, wait_count, waits, event})

cl_int vocl_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                size_t offset, size_t size, void *host, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_READ,
                                             .blocking = blocking,
                                             .memory = {buffer},
                                             .offset = {offset},
                                             .size = size,
                                             .host = host},
                      CALL);
}

cl_int vocl_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                 size_t offset, size_t size, const void *host, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_WRITE,
                                             .blocking = blocking,
                                             .memory = {buffer},
                                             .offset = {offset},
                                             .size = size,
                                             .host = (void *)(uintptr_t)host},
                      CALL);
}

cl_int vocl_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                    const size_t *origin, const size_t *host_origin,
                                    const size_t *region, size_t row, size_t slice, size_t host_row,
                                    size_t host_slice, void *host, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_READ_RECT,
                                             .blocking = blocking,
                                             .memory = {buffer},
                                             .origin = {origin, host_origin},
                                             .region = region,
                                             .row_pitch = {row, host_row},
                                             .slice_pitch = {slice, host_slice},
                                             .host = host},
                      CALL);
}

cl_int vocl_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     const size_t *origin, const size_t *host_origin,
                                     const size_t *region, size_t row, size_t slice,
                                     size_t host_row, size_t host_slice, const void *host, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_WRITE_RECT,
                                             .blocking = blocking,
                                             .memory = {buffer},
                                             .origin = {origin, host_origin},
                                             .region = region,
                                             .row_pitch = {row, host_row},
                                             .slice_pitch = {slice, host_slice},
                                             .host = (void *)(uintptr_t)host},
                      CALL);
}

cl_int vocl_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target, size_t from,
                                size_t to, size_t size, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_COPY,
                                             .memory = {source, target},
                                             .offset = {from, to},
                                             .size = size},
                      CALL);
}

cl_int vocl_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem target,
                                    const size_t *from, const size_t *to, const size_t *region,
                                    size_t row, size_t slice, size_t target_row,
                                    size_t target_slice, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_COPY_RECT,
                                             .memory = {source, target},
                                             .origin = {from, to},
                                             .region = region,
                                             .row_pitch = {row, target_row},
                                             .slice_pitch = {slice, target_slice}},
                      CALL);
}

cl_int vocl_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                size_t pattern_size, size_t offset, size_t size, REST)
{
  return vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_FILL,
                                             .memory = {buffer},
                                             .pattern = pattern,
                                             .pattern_size = pattern_size,
                                             .offset = {offset},
                                             .size = size},
                      CALL);
}

void *vocl_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                              cl_map_flags flags, size_t offset, size_t size, REST,
                              cl_int *errcode_ret)
{
  struct vocl_command command = {.sort = VOCL_COMMAND_MAP,
                                 .blocking = blocking,
                                 .memory = {buffer},
                                 .flags = flags,
                                 .offset = {offset},
                                 .size = size};
  const cl_int code = vocl_enqueue(&command, CALL);
  return vocl_return_created(command.host, code, errcode_ret);
}

cl_int vocl_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *mapped, REST)
{
  return vocl_enqueue(
      &(struct vocl_command){.sort = VOCL_COMMAND_UNMAP, .memory = {memory}, .host = mapped}, CALL);
}

cl_int vocl_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count,
                                       const cl_mem *memories, cl_mem_migration_flags flags, REST)
{
  struct vocl_handle_list list;
  const struct vocl_cl_queue *on = vocl_queue_find(queue);
  if (on == NULL)
    return CL_INVALID_COMMAND_QUEUE;
  if (count == 0 || memories == NULL)
    return CL_INVALID_VALUE;
  cl_int code = vocl_handle_list_begin(&list, &vocl_kind_memory, count, memories);
  if (code != CL_SUCCESS)
    return code;
  for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
    if (vocl_memory_find(memories[i])->context != on->context)
      code = CL_INVALID_CONTEXT;
  if (code == CL_SUCCESS)
    code = vocl_enqueue(&(struct vocl_command){.sort = VOCL_COMMAND_MIGRATE,
                                               .object_count = count,
                                               .objects = list.objects,
                                               .flags = flags},
                        CALL);
  vocl_handle_list_end(&list);
  return code;
}
