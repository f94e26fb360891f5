/* Answers queries of the program that only the vendor can answer. */
#include "handler/handler.h"

#include <stdlib.h>
#include <string.h>

/* The sort of object that each query is about. */
static const enum vocl_sort queried[VOCL_ABOUT_COUNT] = {
    [VOCL_ABOUT_MEMORY] = VOCL_BUFFER,          [VOCL_ABOUT_IMAGE] = VOCL_BUFFER,
    [VOCL_ABOUT_PROGRAM] = VOCL_SOURCE_PROGRAM, [VOCL_ABOUT_BUILD] = VOCL_SOURCE_PROGRAM,
    [VOCL_ABOUT_KERNEL] = VOCL_KERNEL,          [VOCL_ABOUT_WORK_GROUP] = VOCL_KERNEL,
    [VOCL_ABOUT_ARGUMENT] = VOCL_KERNEL,        [VOCL_ABOUT_EVENT] = VOCL_EVENT,
    [VOCL_ABOUT_PROFILE] = VOCL_EVENT};

/* Returns true if the result is an address of the proxy, which means nothing in the program. */
static bool is_address(const struct vocl_query *query)
{
  switch (query->about) {
  case VOCL_ABOUT_MEMORY:
    return query->what == CL_MEM_HOST_PTR || query->what == CL_MEM_CONTEXT ||
           query->what == CL_MEM_ASSOCIATED_MEMOBJECT;
  case VOCL_ABOUT_IMAGE:
    return query->what == CL_IMAGE_BUFFER;
  case VOCL_ABOUT_PROGRAM:
    return query->what == CL_PROGRAM_CONTEXT;
  case VOCL_ABOUT_KERNEL:
    return query->what == CL_KERNEL_CONTEXT || query->what == CL_KERNEL_PROGRAM;
  default:
    return false;
  }
}

/* Returns the value in a new buffer, or sets *code. The caller frees the buffer, also after an
 * error. */
static void *answer_plain(const struct vocl_query *query, size_t size, size_t needed, cl_int *code)
{
  char *value = calloc(1, needed + 1);
  *code = value != NULL ? vocl_native_query(query, size < needed ? size : needed, value, NULL)
                        : CL_OUT_OF_HOST_MEMORY;
  return value;
}

static void *answer_devices(struct vocl_service *session, const struct vocl_query *query,
                            size_t size, size_t *needed, cl_int *code)
{
  const size_t count = *needed / sizeof(void *);
  void **natives = answer_plain(query, SIZE_MAX, *needed, code);
  uint32_t *numbers = calloc(count + 1, sizeof *numbers);
  *needed = count * sizeof *numbers;
  if (numbers == NULL)
    *code = CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; *code == CL_SUCCESS && i < count; i++)
    numbers[i] = vocl_service_device_number(session, natives[i]);
  if (*code == CL_SUCCESS && size < *needed)
    *code = CL_INVALID_VALUE;
  free(natives);
  return numbers;
}

/* Returns a text without the name of the folder in which the program was built. */
static void *answer_text(const struct vocl_query *query, size_t size, size_t *needed, cl_int *code)
{
  char *text = answer_plain(query, SIZE_MAX, *needed, code);
  if (*code == CL_SUCCESS && *needed > 0)
    *needed = vocl_service_folder_mask(text) + 1;
  if (*code == CL_SUCCESS && size < *needed)
    *code = CL_INVALID_VALUE;
  return text;
}

/* Returns all binaries of a program, one after the other. Queries their sizes first to allocate
 * one buffer for all of them. */
static void *answer_binaries(const struct vocl_query *query, size_t size, size_t *needed,
                             cl_int *code)
{
  const struct vocl_query of_sizes = {
      .about = VOCL_ABOUT_PROGRAM, .object = query->object, .what = CL_PROGRAM_BINARY_SIZES};
  const size_t count = *needed / sizeof(void *);
  size_t *sizes = calloc(count + 1, sizeof *sizes);
  unsigned char **places = calloc(count + 1, sizeof *places);
  unsigned char *all = NULL;
  *needed = 0;
  *code = sizes != NULL && places != NULL
              ? vocl_native_query(&of_sizes, count * sizeof *sizes, sizes, NULL)
              : CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; *code == CL_SUCCESS && i < count; i++)
    *needed += sizes[i];
  if (*code == CL_SUCCESS && size < *needed)
    *code = CL_INVALID_VALUE;
  if (*code == CL_SUCCESS) {
    all = calloc(1, *needed + 1);
    *code = all != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  }
  if (*code == CL_SUCCESS) {
    for (size_t i = 0, at = 0; i < count; at += sizes[i++])
      places[i] = all + at;
    *code = vocl_native_query(query, count * sizeof *places, places, NULL);
  }
  free(sizes);
  free(places);
  return all;
}

static void answer_query(struct vocl_service *session, const struct vocl_query *query,
                         uint64_t ticket, uint64_t size)
{
  size_t needed = 0;
  void *value = NULL;
  cl_int code = vocl_native_query(query, 0, NULL, &needed);
  const bool of_program = query->about == VOCL_ABOUT_PROGRAM;
  if (code == CL_SUCCESS && of_program && query->what == CL_PROGRAM_DEVICES)
    value = answer_devices(session, query, size, &needed, &code);
  else if (code == CL_SUCCESS && of_program && query->what == CL_PROGRAM_BINARIES)
    value = answer_binaries(query, size, &needed, &code);
  else if (code == CL_SUCCESS && query->about == VOCL_ABOUT_BUILD &&
           (query->what == CL_PROGRAM_BUILD_LOG || query->what == CL_PROGRAM_BUILD_OPTIONS))
    value = answer_text(query, size, &needed, &code);
  else if (code == CL_SUCCESS && size != UINT64_MAX)
    value = answer_plain(query, size, needed, &code);
  const bool is_wanted = code == CL_SUCCESS && size != UINT64_MAX;
  vocl_service_reply_bytes(
      session,
      &(struct vocl_msg_reply){
          .header.ticket = ticket, .code = code, .needed = needed, .bytes = is_wanted ? needed : 0},
      value);
  free(value);
}

bool vocl_on_query(struct vocl_service *session, const void *message, size_t bytes)
{
  (void)bytes;
  const struct vocl_msg_query *msg = message;
  if (msg->about >= VOCL_ABOUT_COUNT)
    return vocl_service_protocol_error(session, "the object of a query");
  cl_int code = CL_SUCCESS;
  const struct vocl_service_object *object =
      vocl_service_object_resolve(session, msg->object, queried[msg->about], &code);
  struct vocl_query query = {.about = (enum vocl_query_about)msg->about,
                             .object = object != NULL ? object->native : NULL,
                             .index = msg->index,
                             .what = msg->what};
  if (object != NULL && msg->has_device) {
    query.device = vocl_service_device(session, msg->device);
    if (query.device == NULL)
      code = CL_INVALID_DEVICE;
  }
  if (code == CL_SUCCESS && msg->about == VOCL_ABOUT_IMAGE && object->sort != VOCL_IMAGE)
    code = CL_INVALID_MEM_OBJECT;
  if (code == CL_SUCCESS &&
      (is_address(&query) || (msg->about == VOCL_ABOUT_BUILD && query.device == NULL)))
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS && msg->about == VOCL_ABOUT_PROGRAM && msg->what == CL_PROGRAM_BINARIES &&
      object->builds > 0)
    code =
        CL_INVALID_OPERATION; /* a build could make the binaries longer than the buffers for them */
  if (code == CL_SUCCESS)
    answer_query(session, &query, msg->header.ticket, msg->size);
  else
    vocl_service_reply(session, msg->header.ticket, code);
  return true;
}

bool vocl_on_query_formats(struct vocl_service *session, const void *message, size_t bytes)
{
  (void)bytes;
  const struct vocl_msg_query_formats *msg = message;
  cl_int code = CL_SUCCESS;
  cl_uint count = 0;
  cl_image_format *formats = NULL;
  const struct vocl_service_object *context =
      vocl_service_object_resolve(session, msg->context, VOCL_CONTEXT, &code);
  if (context != NULL)
    code = vocl_native_query_formats(context->native, msg->flags, msg->type, 0, NULL, &count);
  const cl_uint known = count < msg->most ? count : msg->most;
  if (code == CL_SUCCESS && known > 0) {
    formats = calloc(known, sizeof *formats);
    code = formats != NULL ? vocl_native_query_formats(context->native, msg->flags, msg->type,
                                                       known, formats, NULL)
                           : CL_OUT_OF_HOST_MEMORY;
  }
  vocl_service_reply_bytes(
      session,
      &(struct vocl_msg_reply){.header.ticket = msg->header.ticket,
                               .code = code,
                               .count = count,
                               .needed = count,
                               .bytes = code == CL_SUCCESS ? known * sizeof *formats : 0},
      formats);
  free(formats);
  return true;
}
