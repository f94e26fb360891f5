/* Answers what the program asks and only the vendor knows. */
#include "service/session.h"

#include <stdlib.h>
#include <string.h>

/* Of which sort the object of each question is. */
static const enum cwi_sort asked[CWI_ABOUTS] = {
    [CWI_ABOUT_MEMORY] = CWI_BUFFER,          [CWI_ABOUT_IMAGE] = CWI_BUFFER,
    [CWI_ABOUT_PROGRAM] = CWI_SOURCE_PROGRAM, [CWI_ABOUT_BUILD] = CWI_SOURCE_PROGRAM,
    [CWI_ABOUT_KERNEL] = CWI_KERNEL,          [CWI_ABOUT_WORK_GROUP] = CWI_KERNEL,
    [CWI_ABOUT_ARGUMENT] = CWI_KERNEL,        [CWI_ABOUT_EVENT] = CWI_EVENT,
    [CWI_ABOUT_PROFILE] = CWI_EVENT};

/* An answer that is an address here would mean nothing there. */
static bool is_address(const struct cwi_native_question *question)
{
  switch (question->about) {
  case CWI_ABOUT_MEMORY:
    return question->what == CL_MEM_HOST_PTR || question->what == CL_MEM_CONTEXT ||
           question->what == CL_MEM_ASSOCIATED_MEMOBJECT;
  case CWI_ABOUT_IMAGE:
    return question->what == CL_IMAGE_BUFFER;
  case CWI_ABOUT_PROGRAM:
    return question->what == CL_PROGRAM_CONTEXT;
  case CWI_ABOUT_KERNEL:
    return question->what == CL_KERNEL_CONTEXT || question->what == CL_KERNEL_PROGRAM;
  default:
    return false;
  }
}

/* The value in room of our own; NULL, with *code, if there is none. */
static void *answer_plain(const struct cwi_native_question *question, size_t size, size_t needed,
                          cl_int *code)
{
  char *value = calloc(1, needed + 1);
  *code = value != NULL ? cwi_native_ask(question, size < needed ? size : needed, value, NULL)
                        : CL_OUT_OF_HOST_MEMORY;
  return value;
}

static void *answer_devices(struct cwi_service *session, const struct cwi_native_question *question,
                            size_t size, size_t *needed, cl_int *code)
{
  const size_t count = *needed / sizeof(void *);
  void **natives = answer_plain(question, SIZE_MAX, *needed, code);
  uint32_t *numbers = calloc(count + 1, sizeof *numbers);
  *needed = count * sizeof *numbers;
  if (numbers == NULL)
    *code = CL_OUT_OF_HOST_MEMORY;
  for (size_t i = 0; *code == CL_SUCCESS && i < count; i++)
    numbers[i] = cwi_service_device_number(session, natives[i]);
  if (*code == CL_SUCCESS && size < *needed)
    *code = CL_INVALID_VALUE;
  free(natives);
  return numbers;
}

/* Returns a text without the name of the folder in which the program was built. */
static void *answer_text(const struct cwi_native_question *question, size_t size, size_t *needed,
                         cl_int *code)
{
  char *text = answer_plain(question, SIZE_MAX, *needed, code);
  if (*code == CL_SUCCESS && *needed > 0)
    *needed = cwi_service_folder_hide(text) + 1;
  if (*code == CL_SUCCESS && size < *needed)
    *code = CL_INVALID_VALUE;
  return text;
}

/* One behind the other: their sizes are asked first. */
static void *answer_binaries(const struct cwi_native_question *question, size_t size,
                             size_t *needed, cl_int *code)
{
  const struct cwi_native_question of_sizes = {
      .about = CWI_ABOUT_PROGRAM, .object = question->object, .what = CL_PROGRAM_BINARY_SIZES};
  const size_t count = *needed / sizeof(void *);
  size_t *sizes = calloc(count + 1, sizeof *sizes);
  unsigned char **places = calloc(count + 1, sizeof *places);
  unsigned char *all = NULL;
  *needed = 0;
  *code = sizes != NULL && places != NULL
              ? cwi_native_ask(&of_sizes, count * sizeof *sizes, sizes, NULL)
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
    *code = cwi_native_ask(question, count * sizeof *places, places, NULL);
  }
  free(sizes);
  free(places);
  return all;
}

static void answer_question(struct cwi_service *session, const struct cwi_native_question *question,
                            uint64_t ticket, uint64_t size)
{
  size_t needed = 0;
  void *value = NULL;
  cl_int code = cwi_native_ask(question, 0, NULL, &needed);
  const bool of_program = question->about == CWI_ABOUT_PROGRAM;
  if (code == CL_SUCCESS && of_program && question->what == CL_PROGRAM_DEVICES)
    value = answer_devices(session, question, size, &needed, &code);
  else if (code == CL_SUCCESS && of_program && question->what == CL_PROGRAM_BINARIES)
    value = answer_binaries(question, size, &needed, &code);
  else if (code == CL_SUCCESS && question->about == CWI_ABOUT_BUILD &&
           (question->what == CL_PROGRAM_BUILD_LOG || question->what == CL_PROGRAM_BUILD_OPTIONS))
    value = answer_text(question, size, &needed, &code);
  else if (code == CL_SUCCESS && size != UINT64_MAX)
    value = answer_plain(question, size, needed, &code);
  const bool is_wanted = code == CL_SUCCESS && size != UINT64_MAX;
  cwi_service_answer_bytes(
      session,
      &(struct cwi_say_answer){
          .said.ticket = ticket, .code = code, .needed = needed, .bytes = is_wanted ? needed : 0},
      value);
  free(value);
}

bool cwi_service_ask(struct cwi_service *session, const void *message, size_t bytes)
{
  (void)bytes;
  const struct cwi_say_ask *said = message;
  if (said->about >= CWI_ABOUTS)
    return cwi_service_wild(session, "a question about nothing");
  cl_int code = CL_SUCCESS;
  const struct cwi_service_object *object =
      cwi_service_resolve(session, said->object, asked[said->about], &code);
  struct cwi_native_question question = {.about = (enum cwi_about)said->about,
                                         .object = object != NULL ? object->native : NULL,
                                         .index = said->index,
                                         .what = said->what};
  if (object != NULL && said->has_device) {
    question.device = cwi_service_device(session, said->device);
    if (question.device == NULL)
      code = CL_INVALID_DEVICE;
  }
  if (code == CL_SUCCESS && said->about == CWI_ABOUT_IMAGE && object->sort != CWI_IMAGE)
    code = CL_INVALID_MEM_OBJECT;
  if (code == CL_SUCCESS &&
      (is_address(&question) || (said->about == CWI_ABOUT_BUILD && question.device == NULL)))
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS && said->about == CWI_ABOUT_PROGRAM && said->what == CL_PROGRAM_BINARIES &&
      object->builds > 0)
    code = CL_INVALID_OPERATION; /* they may become longer than there is room for */
  if (code == CL_SUCCESS)
    answer_question(session, &question, said->said.ticket, said->size);
  else
    cwi_service_answer(session, said->said.ticket, code);
  return true;
}

bool cwi_service_ask_formats(struct cwi_service *session, const void *message, size_t bytes)
{
  (void)bytes;
  const struct cwi_say_ask_formats *said = message;
  cl_int code = CL_SUCCESS;
  cl_uint count = 0;
  cl_image_format *formats = NULL;
  const struct cwi_service_object *context =
      cwi_service_resolve(session, said->context, CWI_CONTEXT, &code);
  if (context != NULL)
    code = cwi_native_ask_formats(context->native, said->flags, said->type, 0, NULL, &count);
  const cl_uint told = count < said->most ? count : said->most;
  if (code == CL_SUCCESS && told > 0) {
    formats = calloc(told, sizeof *formats);
    code = formats != NULL ? cwi_native_ask_formats(context->native, said->flags, said->type, told,
                                                    formats, NULL)
                           : CL_OUT_OF_HOST_MEMORY;
  }
  cwi_service_answer_bytes(
      session,
      &(struct cwi_say_answer){.said.ticket = said->said.ticket,
                               .code = code,
                               .count = count,
                               .needed = count,
                               .bytes = code == CL_SUCCESS ? told * sizeof *formats : 0},
      formats);
  free(formats);
  return true;
}
