/* Answers queries of the program: on the client side if the answer is known there, otherwise by
 * the proxy. */
#include "stub/stub_calls.h"

#include <stdlib.h>
#include <string.h>

static bool known_memory(const struct vocl_stub_memory *memory, cl_uint what, const void **answer,
                         size_t *bytes)
{
  switch (what) {
  case CL_MEM_TYPE:
    return VOCL_KNOWN(memory->type);
  case CL_MEM_SIZE:
    return VOCL_KNOWN(memory->size);
  case CL_MEM_OFFSET:
    return VOCL_KNOWN(memory->offset);
  default:
    return false;
  }
}

static bool known_image(const struct vocl_stub_memory *memory, cl_uint what, const void **answer,
                        size_t *bytes)
{
  switch (what) {
  case CL_IMAGE_FORMAT:
    return VOCL_KNOWN(memory->format);
  case CL_IMAGE_ELEMENT_SIZE:
    return VOCL_KNOWN(memory->element);
  case CL_IMAGE_WIDTH:
    return VOCL_KNOWN(memory->image.image_width);
  default:
    return false;
  }
}

/* Returns a profiling time of an event. The constants CL_PROFILING_COMMAND_QUEUED, _SUBMIT,
 * _START and _END are consecutive. */
static cl_int known_profile(const struct vocl_stub_event *event, cl_uint what, size_t size,
                            void *value, size_t *size_needed)
{
  if (what == CL_PROFILING_COMMAND_COMPLETE)
    what = CL_PROFILING_COMMAND_END;
  if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_END)
    return CL_INVALID_VALUE;
  if (!event->is_profiled || event->status != CL_COMPLETE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return vocl_query_return(&event->times[what - CL_PROFILING_COMMAND_QUEUED],
                           sizeof event->times[0], size, value, size_needed);
}

/* Returns the status of an event. Programs poll it, so messages that have arrived are processed
 * first. */
static bool known_event(struct vocl_stub_event *event, cl_uint what, const void **answer,
                        size_t *bytes)
{
  if (what != CL_EVENT_COMMAND_EXECUTION_STATUS)
    return false;
  if (!vocl_stub_event_is_complete(event))
    vocl_session_receive(event->stub.session);
  return VOCL_KNOWN(event->status);
}

static bool known_program(const struct vocl_stub_program *program, cl_uint what,
                          const void **answer, size_t *bytes)
{
  if (what != CL_PROGRAM_DEVICES)
    return false;
  *answer = program->devices;
  *bytes = program->device_count * sizeof(void *);
  return true;
}

static bool known(const struct vocl_query *query, const void **answer, size_t *bytes)
{
  switch (query->about) {
  case VOCL_ABOUT_MEMORY:
    return known_memory(query->object, query->what, answer, bytes);
  case VOCL_ABOUT_IMAGE:
    return known_image(query->object, query->what, answer, bytes);
  case VOCL_ABOUT_PROGRAM:
    return known_program(query->object, query->what, answer, bytes);
  case VOCL_ABOUT_KERNEL:
  case VOCL_ABOUT_WORK_GROUP:
  case VOCL_ABOUT_ARGUMENT:
    return vocl_stub_kernel_query_known(query, answer, bytes);
  case VOCL_ABOUT_EVENT:
    return known_event(query->object, query->what, answer, bytes);
  default:
    return false;
  }
}

/* --- queries to the proxy --- */

static cl_int send_query(const struct vocl_query *about, size_t size, void *value,
                         bool wants_length, struct vocl_request *query)
{
  struct vocl_session *session = ((const struct vocl_stub *)about->object)->session;
  const struct vocl_stub *device = about->device;
  const uint64_t ticket = vocl_request_begin(session, query, value, value != NULL ? size : 0);
  struct vocl_msg_query *message =
      vocl_message_begin(session, VOCL_MSG_QUERY, sizeof *message, ticket);
  if (message != NULL) {
    message->about = about->about;
    message->object = ((const struct vocl_stub *)about->object)->number;
    message->device = device != NULL ? device->number : 0;
    message->has_device = device != NULL;
    message->index = about->index;
    message->what = about->what;
    message->size = wants_length ? UINT64_MAX : size;
    vocl_message_end(session);
  }
  return vocl_request_wait(session, query);
}

/* Finds for each device of a program its index in the vendor's list, or SIZE_MAX if there is
 * none. Vendors may list a device once instead of its sub-devices. Sets *count to the length of
 * the vendor's list. */
static cl_int query_places(const struct vocl_stub_program *program, size_t *places, size_t *count)
{
  const struct vocl_query about = {.about = VOCL_ABOUT_PROGRAM,
                                   .object = (void *)(uintptr_t)program,
                                   .what = CL_PROGRAM_DEVICES};
  struct vocl_request query;
  bool has_parts = false;
  for (cl_uint i = 0; i < program->device_count; i++) {
    has_parts = has_parts || program->devices[i]->stub.number >= VOCL_FIRST_OBJECT_NUMBER;
    places[i] = i;
  }
  *count = program->device_count;
  if (!has_parts)
    return CL_SUCCESS;
  uint32_t *numbers = calloc(program->device_count + (size_t)1, sizeof *numbers);
  cl_int code = numbers != NULL ? send_query(&about, program->device_count * sizeof *numbers,
                                             numbers, false, &query)
                                : CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS)
    *count = query.needed / sizeof *numbers;
  for (cl_uint i = 0; code == CL_SUCCESS && i < program->device_count; i++) {
    const struct vocl_stub_device *device = program->devices[i];
    places[i] = SIZE_MAX;
    for (size_t at = 0; at < *count && at < program->device_count; at++)
      if (numbers[at] == device->stub.number ||
          (places[i] == SIZE_MAX && numbers[at] == device->whole))
        places[i] = at;
  }
  free(numbers);
  return code;
}

/* Queries the sizes of the binaries for each device of the program. *natives receives the sizes
 * in the order of the vendor's list; the caller frees it. */
static cl_int query_sizes(const struct vocl_stub_program *program, size_t *sizes, size_t *places,
                          size_t **natives, size_t *count)
{
  const struct vocl_query about = {.about = VOCL_ABOUT_PROGRAM,
                                   .object = (void *)(uintptr_t)program,
                                   .what = CL_PROGRAM_BINARY_SIZES};
  struct vocl_request query;
  cl_int code = query_places(program, places, count);
  *natives = code == CL_SUCCESS ? calloc(*count + 1, sizeof **natives) : NULL;
  if (code == CL_SUCCESS)
    code = *natives != NULL ? send_query(&about, *count * sizeof **natives, *natives, false, &query)
                            : CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; code == CL_SUCCESS && i < program->device_count; i++)
    sizes[i] = places[i] < *count ? (*natives)[places[i]] : 0;
  return code;
}

static cl_int query_binary_sizes(const struct vocl_stub_program *program, size_t size, void *value,
                                 size_t *size_needed)
{
  const size_t bytes = program->device_count * sizeof(size_t);
  size_t *natives = NULL, count = 0;
  if (value != NULL && size < bytes)
    return CL_INVALID_VALUE;
  if (size_needed != NULL)
    *size_needed = bytes;
  if (value == NULL)
    return CL_SUCCESS;
  size_t *places = calloc(program->device_count + (size_t)1, sizeof *places);
  const cl_int code = places != NULL ? query_sizes(program, value, places, &natives, &count)
                                     : CL_OUT_OF_HOST_MEMORY;
  free(natives);
  free(places);
  return code;
}

/* Queries the binaries, which arrive concatenated, and copies each to the address that the
 * program gave for it, unless that is NULL. */
static cl_int query_binaries(const struct vocl_query *about, size_t size, void *value,
                             size_t *size_needed)
{
  const struct vocl_stub_program *program = about->object;
  const size_t devices = program->device_count;
  struct vocl_request query;
  if (size_needed != NULL)
    *size_needed = devices * sizeof(char *);
  if (value == NULL)
    return CL_SUCCESS;
  if (size < devices * sizeof(char *))
    return CL_INVALID_VALUE;
  size_t *sizes = calloc(2 * (devices + 1), sizeof *sizes), *natives = NULL, count = 0, all = 0;
  size_t *places = sizes + devices;
  cl_int code =
      sizes != NULL ? query_sizes(program, sizes, places, &natives, &count) : CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; code == CL_SUCCESS && i < count; i++)
    if (__builtin_add_overflow(all, natives[i], &all))
      code = CL_OUT_OF_HOST_MEMORY;
  char *binaries = code == CL_SUCCESS ? malloc(all + 1) : NULL;
  if (binaries != NULL)
    code = send_query(about, all, binaries, false, &query);
  else if (code == CL_SUCCESS)
    code = CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && query.bytes != all)
    code = CL_INVALID_VALUE;
  for (size_t i = 0; code == CL_SUCCESS && i < devices; i++) {
    const char *at = binaries;
    for (size_t before = 0; before < places[i] && before < count; before++)
      at += natives[before];
    if (((char **)value)[i] != NULL)
      memcpy(((char **)value)[i], at, sizes[i]);
  }
  free(binaries);
  free(natives);
  free(sizes);
  return code;
}

static cl_int query_proxy(const struct vocl_query *about, size_t size, void *value,
                          size_t *size_needed)
{
  struct vocl_request query;
  if (about->about == VOCL_ABOUT_PROGRAM && about->what == CL_PROGRAM_BINARIES)
    return query_binaries(about, size, value, size_needed);
  if (about->about == VOCL_ABOUT_PROGRAM && about->what == CL_PROGRAM_BINARY_SIZES)
    return query_binary_sizes(about->object, size, value, size_needed);
  const cl_int code = send_query(about, size, value, value == NULL, &query);
  if (code == CL_SUCCESS && size_needed != NULL)
    *size_needed = query.needed;
  return code;
}

cl_int vocl_remote_query(const struct vocl_query *about, size_t size, void *value,
                         size_t *size_needed)
{
  struct vocl_session *session = ((const struct vocl_stub *)about->object)->session;
  const void *answer = NULL;
  size_t bytes = 0;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  vocl_session_lock(session);
  if (about->about == VOCL_ABOUT_PROFILE)
    code = known_profile(about->object, about->what, size, value, size_needed);
  else if (known(about, &answer, &bytes))
    code = vocl_query_return(answer, bytes, size, value, size_needed);
  else if (!session->is_over)
    code = query_proxy(about, size, value, size_needed);
  vocl_session_unlock(session);
  return code;
}

cl_int vocl_remote_query_formats(void *object, cl_mem_flags flags, cl_mem_object_type type,
                                 cl_uint most, cl_image_format *formats, cl_uint *count)
{
  const struct vocl_stub_context *context = object;
  struct vocl_session *session = context->stub.session;
  struct vocl_request query;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  vocl_session_lock(session);
  if (!session->is_over) {
    const uint64_t ticket =
        vocl_request_begin(session, &query, formats, formats != NULL ? most * sizeof *formats : 0);
    struct vocl_msg_query_formats *message =
        vocl_message_begin(session, VOCL_MSG_QUERY_FORMATS, sizeof *message, ticket);
    if (message != NULL) {
      message->context = context->stub.number;
      message->type = type;
      message->most = formats != NULL ? most : 0;
      message->flags = flags;
      vocl_message_end(session);
    }
    code = vocl_request_wait(session, &query);
    if (code == CL_SUCCESS && count != NULL)
      *count = query.count;
  }
  vocl_session_unlock(session);
  return code;
}
