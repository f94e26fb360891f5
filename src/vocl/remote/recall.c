/* Answers what programs ask: at home what is known there, by the proxy the rest. */
#include "remote/session.h"

#include <stdlib.h>
#include <string.h>

static bool recall_memory(const struct cwi_far_memory *memory, cl_uint what, const void **answer,
                          size_t *bytes)
{
  switch (what) {
  case CL_MEM_TYPE:
    return CWI_KNOWN(memory->type);
  case CL_MEM_SIZE:
    return CWI_KNOWN(memory->size);
  case CL_MEM_OFFSET:
    return CWI_KNOWN(memory->offset);
  default:
    return false;
  }
}

static bool recall_image(const struct cwi_far_memory *memory, cl_uint what, const void **answer,
                         size_t *bytes)
{
  switch (what) {
  case CL_IMAGE_FORMAT:
    return CWI_KNOWN(memory->format);
  case CL_IMAGE_ELEMENT_SIZE:
    return CWI_KNOWN(memory->element);
  case CL_IMAGE_WIDTH:
    return CWI_KNOWN(memory->image.image_width);
  default:
    return false;
  }
}

/* CL_PROFILING_COMMAND_QUEUED, _SUBMIT, _START, _END follow each other. */
static cl_int recall_profile(const struct cwi_far_event *event, cl_uint what, size_t size,
                             void *value, size_t *size_needed)
{
  if (what == CL_PROFILING_COMMAND_COMPLETE)
    what = CL_PROFILING_COMMAND_END;
  if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_END)
    return CL_INVALID_VALUE;
  if (!event->is_profiled || event->status != CL_COMPLETE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return cwi_answer_give(&event->times[what - CL_PROFILING_COMMAND_QUEUED], sizeof event->times[0],
                         size, value, size_needed);
}

/* Programs look at an event's status again and again: what has come is taken in. */
static bool recall_event(struct cwi_far_event *event, cl_uint what, const void **answer,
                         size_t *bytes)
{
  if (what != CL_EVENT_COMMAND_EXECUTION_STATUS)
    return false;
  if (!cwi_is_complete(event))
    cwi_session_hear(event->far.session);
  return CWI_KNOWN(event->status);
}

static bool recall_program(const struct cwi_far_program *program, cl_uint what, const void **answer,
                           size_t *bytes)
{
  if (what != CL_PROGRAM_DEVICES)
    return false;
  *answer = program->devices;
  *bytes = program->device_count * sizeof(void *);
  return true;
}

static bool recall(const struct cwi_native_question *question, const void **answer, size_t *bytes)
{
  switch (question->about) {
  case CWI_ABOUT_MEMORY:
    return recall_memory(question->object, question->what, answer, bytes);
  case CWI_ABOUT_IMAGE:
    return recall_image(question->object, question->what, answer, bytes);
  case CWI_ABOUT_PROGRAM:
    return recall_program(question->object, question->what, answer, bytes);
  case CWI_ABOUT_KERNEL:
  case CWI_ABOUT_WORK_GROUP:
  case CWI_ABOUT_ARGUMENT:
    return cwi_kernel_recall(question, answer, bytes);
  case CWI_ABOUT_EVENT:
    return recall_event(question->object, question->what, answer, bytes);
  default:
    return false;
  }
}

/* --- asking --- */

static cl_int ask(const struct cwi_native_question *about, size_t size, void *value,
                  bool wants_length, struct cwi_far_question *question)
{
  struct cwi_session *session = ((const struct cwi_far *)about->object)->session;
  const struct cwi_far *device = about->device;
  const uint64_t ticket =
      cwi_far_question_begin(session, question, value, value != NULL ? size : 0);
  struct cwi_say_ask *message = cwi_say_begin(session, CWI_SAYS_ASK, sizeof *message, ticket);
  if (message != NULL) {
    message->about = about->about;
    message->object = ((const struct cwi_far *)about->object)->number;
    message->device = device != NULL ? device->number : 0;
    message->has_device = device != NULL;
    message->index = about->index;
    message->what = about->what;
    message->size = wants_length ? UINT64_MAX : size;
    cwi_say_end(session);
  }
  return cwi_far_question_wait(session, question);
}

/* Which of the vendor's items belongs to each device of a program: vendors may list a device in
 * place of its parts, once. SIZE_MAX if none does. *count is how many the vendor has. */
static cl_int ask_places(const struct cwi_far_program *program, size_t *places, size_t *count)
{
  const struct cwi_native_question about = {
      .about = CWI_ABOUT_PROGRAM, .object = (void *)(uintptr_t)program, .what = CL_PROGRAM_DEVICES};
  struct cwi_far_question question;
  bool has_parts = false;
  for (cl_uint i = 0; i < program->device_count; i++) {
    has_parts = has_parts || program->devices[i]->far.number >= CWI_FIRST_NUMBER;
    places[i] = i;
  }
  *count = program->device_count;
  if (!has_parts)
    return CL_SUCCESS;
  uint32_t *numbers = calloc(program->device_count + (size_t)1, sizeof *numbers);
  cl_int code = numbers != NULL ? ask(&about, program->device_count * sizeof *numbers, numbers,
                                      false, &question)
                                : CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS)
    *count = question.needed / sizeof *numbers;
  for (cl_uint i = 0; code == CL_SUCCESS && i < program->device_count; i++) {
    const struct cwi_far_device *device = program->devices[i];
    places[i] = SIZE_MAX;
    for (size_t at = 0; at < *count && at < program->device_count; at++)
      if (numbers[at] == device->far.number ||
          (places[i] == SIZE_MAX && numbers[at] == device->whole))
        places[i] = at;
  }
  free(numbers);
  return code;
}

/* Sizes of binaries, of each of the program's devices; *natives are those of the vendor's list, to
 * be freed. */
static cl_int ask_sizes(const struct cwi_far_program *program, size_t *sizes, size_t *places,
                        size_t **natives, size_t *count)
{
  const struct cwi_native_question about = {.about = CWI_ABOUT_PROGRAM,
                                            .object = (void *)(uintptr_t)program,
                                            .what = CL_PROGRAM_BINARY_SIZES};
  struct cwi_far_question question;
  cl_int code = ask_places(program, places, count);
  *natives = code == CL_SUCCESS ? calloc(*count + 1, sizeof **natives) : NULL;
  if (code == CL_SUCCESS)
    code = *natives != NULL ? ask(&about, *count * sizeof **natives, *natives, false, &question)
                            : CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; code == CL_SUCCESS && i < program->device_count; i++)
    sizes[i] = places[i] < *count ? (*natives)[places[i]] : 0;
  return code;
}

static cl_int ask_binary_sizes(const struct cwi_far_program *program, size_t size, void *value,
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
  const cl_int code =
      places != NULL ? ask_sizes(program, value, places, &natives, &count) : CL_OUT_OF_HOST_MEMORY;
  free(natives);
  free(places);
  return code;
}

/* Binaries come one behind the other; the program has given a place for each, or none. */
static cl_int ask_binaries(const struct cwi_native_question *about, size_t size, void *value,
                           size_t *size_needed)
{
  const struct cwi_far_program *program = about->object;
  const size_t devices = program->device_count;
  struct cwi_far_question question;
  if (size_needed != NULL)
    *size_needed = devices * sizeof(char *);
  if (value == NULL)
    return CL_SUCCESS;
  if (size < devices * sizeof(char *))
    return CL_INVALID_VALUE;
  size_t *sizes = calloc(2 * (devices + 1), sizeof *sizes), *natives = NULL, count = 0, all = 0;
  size_t *places = sizes + devices;
  cl_int code =
      sizes != NULL ? ask_sizes(program, sizes, places, &natives, &count) : CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; code == CL_SUCCESS && i < count; i++)
    if (__builtin_add_overflow(all, natives[i], &all))
      code = CL_OUT_OF_HOST_MEMORY;
  char *binaries = code == CL_SUCCESS ? malloc(all + 1) : NULL;
  if (binaries != NULL)
    code = ask(about, all, binaries, false, &question);
  else if (code == CL_SUCCESS)
    code = CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && question.bytes != all)
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

static cl_int ask_proxy(const struct cwi_native_question *about, size_t size, void *value,
                        size_t *size_needed)
{
  struct cwi_far_question question;
  if (about->about == CWI_ABOUT_PROGRAM && about->what == CL_PROGRAM_BINARIES)
    return ask_binaries(about, size, value, size_needed);
  if (about->about == CWI_ABOUT_PROGRAM && about->what == CL_PROGRAM_BINARY_SIZES)
    return ask_binary_sizes(about->object, size, value, size_needed);
  const cl_int code = ask(about, size, value, value == NULL, &question);
  if (code == CL_SUCCESS && size_needed != NULL)
    *size_needed = question.needed;
  return code;
}

cl_int cwi_remote_ask(const struct cwi_native_question *about, size_t size, void *value,
                      size_t *size_needed)
{
  struct cwi_session *session = ((const struct cwi_far *)about->object)->session;
  const void *answer = NULL;
  size_t bytes = 0;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  cwi_session_lock(session);
  if (about->about == CWI_ABOUT_PROFILE)
    code = recall_profile(about->object, about->what, size, value, size_needed);
  else if (recall(about, &answer, &bytes))
    code = cwi_answer_give(answer, bytes, size, value, size_needed);
  else if (!session->is_over)
    code = ask_proxy(about, size, value, size_needed);
  cwi_session_unlock(session);
  return code;
}

cl_int cwi_remote_ask_formats(void *object, cl_mem_flags flags, cl_mem_object_type type,
                              cl_uint most, cl_image_format *formats, cl_uint *count)
{
  const struct cwi_far_context *context = object;
  struct cwi_session *session = context->far.session;
  struct cwi_far_question question;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  cwi_session_lock(session);
  if (!session->is_over) {
    const uint64_t ticket = cwi_far_question_begin(session, &question, formats,
                                                   formats != NULL ? most * sizeof *formats : 0);
    struct cwi_say_ask_formats *message =
        cwi_say_begin(session, CWI_SAYS_ASK_FORMATS, sizeof *message, ticket);
    if (message != NULL) {
      message->context = context->far.number;
      message->type = type;
      message->most = formats != NULL ? most : 0;
      message->flags = flags;
      cwi_say_end(session);
    }
    code = cwi_far_question_wait(session, &question);
    if (code == CL_SUCCESS && count != NULL)
      *count = question.count;
  }
  cwi_session_unlock(session);
  return code;
}
