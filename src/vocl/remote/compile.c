/* Programs: made of sources, binaries or names, built, compiled and linked by their proxy. */
#include "remote/session.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* --- making --- */

static void forget_kernels(struct cwi_far_program *program)
{
  while (program->kernels != NULL) {
    struct cwi_kernel_facts *facts = program->kernels;
    program->kernels = facts->next;
    cwi_kernel_facts_leave(facts);
  }
}

static void program_free(struct cwi_far *far)
{
  struct cwi_far_program *program = (struct cwi_far_program *)far;
  forget_kernels(program);
  free(program->devices);
  cwi_far_let_go(program->context);
}

static const struct cwi_far_kind programs = {.sort = CWI_SOURCE_PROGRAM, .free = program_free};

static struct cwi_far_program *program_new(struct cwi_far_context *context, cl_uint count,
                                           void *const *devices)
{
  struct cwi_far_program *program =
      cwi_far_new(context->far.session, &programs, sizeof *program, true);
  if (program == NULL)
    return NULL;
  program->context = context;
  cwi_far_hold(context);
  if (count == 0) {
    count = context->device_count;
    devices = (void *const *)context->devices;
  }
  program->devices = malloc(count * sizeof *program->devices);
  if (program->devices == NULL) {
    cwi_far_free(&program->far);
    return NULL;
  }
  program->device_count = count;
  memcpy(program->devices, devices, count * sizeof *program->devices);
  return program;
}

static cl_int program_say(struct cwi_far_program *program, const struct cwi_making *making)
{
  const void *const names[] = {making->name};
  const struct cwi_say_make fields = {.sort = making->sort, .parent = program->context->far.number};
  struct cwi_make_parts parts = {0};
  if (making->sort != CWI_SOURCE_PROGRAM) {
    parts.device_count = program->device_count;
    parts.devices = program->devices;
  }
  if (making->sort == CWI_BUILT_IN_PROGRAM) {
    parts.string_count = 1;
    parts.strings = names;
  } else {
    parts.string_count = making->sort == CWI_BINARY_PROGRAM ? making->device_count : making->count;
    parts.strings = making->strings;
    parts.lengths = making->lengths;
  }
  if (making->sort == CWI_BINARY_PROGRAM) {
    parts.answer = making->statuses;
    parts.answer_bytes =
        making->statuses != NULL ? making->device_count * sizeof *making->statuses : 0;
  }
  return cwi_make_say(&program->far, &fields, &parts, making->sort == CWI_SOURCE_PROGRAM);
}

cl_int cwi_program_make(const struct cwi_making *making, void **object)
{
  struct cwi_far_program *program =
      program_new(making->parent, making->device_count, making->devices);
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = program_say(program, making);
  if (code == CL_SUCCESS)
    *object = program;
  else
    cwi_far_free(&program->far);
  return code;
}

/* --- building --- */

static const char *options_of(const struct cwi_building *b)
{
  return b->archive != NULL ? b->options_there : b->options;
}

static size_t build_bytes(const struct cwi_building *b)
{
  size_t bytes = sizeof(struct cwi_say_build) + cwi_part_bytes(b->device_count * sizeof(uint32_t)) +
                 cwi_part_bytes(b->program_count * sizeof(uint32_t));
  if (options_of(b) != NULL)
    bytes += cwi_part_bytes(strlen(options_of(b)));
  for (cl_uint i = 0; b->names != NULL && i < b->program_count; i++)
    bytes += sizeof(uint64_t) + cwi_part_bytes(strlen(b->names[i]));
  return bytes;
}

static char *numbers_write(char *at, void *const *objects, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++)
    ((uint32_t *)(void *)at)[i] = ((const struct cwi_far *)objects[i])->number;
  return at + cwi_part_bytes(count * sizeof(uint32_t));
}

static void build_write(const struct cwi_building *b, uint32_t linked, uint32_t archive,
                        struct cwi_say_build *message)
{
  const char *options = options_of(b);
  const size_t option_bytes = options != NULL ? strlen(options) : 0;
  message->step = b->step;
  message->program = ((const struct cwi_far *)b->program)->number;
  message->linked = linked;
  message->device_count = b->device_count;
  message->program_count = b->program_count;
  message->names = b->names != NULL ? b->program_count : 0;
  message->archive = archive;
  message->option_bytes = option_bytes;
  char *at = numbers_write((char *)(message + 1), b->devices, b->device_count);
  at = numbers_write(at, b->programs, b->program_count);
  uint64_t *lengths = (uint64_t *)(void *)at;
  at += message->names * sizeof *lengths;
  if (option_bytes > 0)
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): it is counted */
    memcpy(at, options, option_bytes);
  at += option_bytes;
  for (uint32_t i = 0; i < message->names; i++) {
    lengths[i] = strlen(b->names[i]);
    memcpy(at, b->names[i], lengths[i]);
    at += lengths[i];
  }
}

/* *is_there: the answer's count is not 0. */
static cl_int build_say(struct cwi_session *session, const struct cwi_building *b, uint32_t linked,
                        uint32_t archive, bool *is_there)
{
  struct cwi_far_question question;
  const size_t bytes = build_bytes(b);
  if (bytes > CWI_MESSAGE_MOST)
    return CL_OUT_OF_HOST_MEMORY;
  const uint64_t ticket = cwi_far_question_begin(session, &question, NULL, 0);
  struct cwi_say_build *message = cwi_say_begin(session, CWI_SAYS_BUILD, bytes, ticket);
  if (message != NULL) {
    build_write(b, linked, archive, message);
    cwi_say_end(session);
  }
  const cl_int code = cwi_far_question_wait(session, &question);
  *is_there = question.count > 0;
  return code;
}

static cl_int link_programs(struct cwi_session *session, const struct cwi_building *b)
{
  struct cwi_far_program *program = program_new(b->program, b->device_count, b->devices);
  bool is_there = false;
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = build_say(session, b, program->far.number, 0, &is_there);
  if (code == CL_SUCCESS || is_there)
    *b->linked = program;
  else
    cwi_far_free(&program->far);
  return code;
}

/* Builds or compiles, after it has sent the files that the text may include. */
static cl_int build_here(struct cwi_session *session, const struct cwi_building *b)
{
  const struct cwi_making making = {.sort = CWI_SOURCE_PROGRAM,
                                    .parent = ((struct cwi_far_program *)b->program)->context,
                                    .count = 1,
                                    .strings = (const void *const[]){b->archive}};
  void *archive = NULL;
  bool is_other = false;
  cl_int code = b->archive != NULL ? cwi_program_make(&making, &archive) : CL_SUCCESS;
  if (code != CL_SUCCESS)
    return code;
  code = build_say(session, b, 0, archive != NULL ? ((struct cwi_far *)archive)->number : 0,
                   &is_other);
  if (archive != NULL)
    cwi_far_let_go(archive);
  if (is_other)
    cwi_log(
        CWI_LOG_WARNING,
        "OpenCL: the program includes a file by its whole path, and where the device is, that is "
        "another file or none: name its folder by the option -I instead");
  return code;
}

cl_int cwi_remote_build(const struct cwi_building *building)
{
  struct cwi_session *session = ((struct cwi_far *)building->program)->session;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  cwi_session_lock(session);
  if (session->is_over) {
    code = CL_DEVICE_NOT_AVAILABLE;
  } else if (building->step == CWI_LINK) {
    code = link_programs(session, building);
  } else {
    code = build_here(session, building);
    forget_kernels(building->program);
  }
  cwi_session_unlock(session);
  return code;
}
