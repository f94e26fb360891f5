/* Programs. They are made from sources, binaries or names. The proxy builds, compiles and links
 * them. */
#include "stub/stub_calls.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* --- making --- */

static void forget_kernels(struct vocl_stub_program *program)
{
  while (program->kernels != NULL) {
    struct vocl_kernel_facts *facts = program->kernels;
    program->kernels = facts->next;
    vocl_kernel_facts_unref(facts);
  }
}

static void program_free(struct vocl_stub *stub)
{
  struct vocl_stub_program *program = (struct vocl_stub_program *)stub;
  forget_kernels(program);
  free(program->devices);
  vocl_stub_unref(program->context);
}

static const struct vocl_stub_kind programs = {.sort = VOCL_SOURCE_PROGRAM, .free = program_free};

static struct vocl_stub_program *program_new(struct vocl_stub_context *context, cl_uint count,
                                             void *const *devices)
{
  struct vocl_stub_program *program =
      vocl_stub_new(context->stub.session, &programs, sizeof *program, true);
  if (program == NULL)
    return NULL;
  program->context = context;
  vocl_stub_ref(context);
  if (count == 0) {
    count = context->device_count;
    devices = (void *const *)context->devices;
  }
  program->devices = malloc(count * sizeof *program->devices);
  if (program->devices == NULL) {
    vocl_stub_free(&program->stub);
    return NULL;
  }
  program->device_count = count;
  memcpy(program->devices, devices, count * sizeof *program->devices);
  return program;
}

static cl_int program_send(struct vocl_stub_program *program, const struct vocl_making *making)
{
  const void *const names[] = {making->name};
  const struct vocl_msg_make fields = {.sort = making->sort,
                                       .parent = program->context->stub.number};
  struct vocl_create_parts parts = {0};
  if (making->sort != VOCL_SOURCE_PROGRAM) {
    parts.device_count = program->device_count;
    parts.devices = program->devices;
  }
  if (making->sort == VOCL_BUILT_IN_PROGRAM) {
    parts.string_count = 1;
    parts.strings = names;
  } else {
    parts.string_count = making->sort == VOCL_BINARY_PROGRAM ? making->device_count : making->count;
    parts.strings = making->strings;
    parts.lengths = making->lengths;
  }
  if (making->sort == VOCL_BINARY_PROGRAM) {
    parts.answer = making->statuses;
    parts.answer_bytes =
        making->statuses != NULL ? making->device_count * sizeof *making->statuses : 0;
  }
  return vocl_send_create(&program->stub, &fields, &parts, making->sort == VOCL_SOURCE_PROGRAM);
}

cl_int vocl_stub_program_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_program *program =
      program_new(making->parent, making->device_count, making->devices);
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = program_send(program, making);
  if (code == CL_SUCCESS)
    *object = program;
  else
    vocl_stub_free(&program->stub);
  return code;
}

/* --- building --- */

static const char *options_of(const struct vocl_building *b)
{
  return b->archive != NULL ? b->options_there : b->options;
}

static size_t build_bytes(const struct vocl_building *b)
{
  size_t bytes = sizeof(struct vocl_msg_build) +
                 vocl_part_padded_bytes(b->device_count * sizeof(uint32_t)) +
                 vocl_part_padded_bytes(b->program_count * sizeof(uint32_t));
  if (options_of(b) != NULL)
    bytes += vocl_part_padded_bytes(strlen(options_of(b)));
  for (cl_uint i = 0; b->names != NULL && i < b->program_count; i++)
    bytes += sizeof(uint64_t) + vocl_part_padded_bytes(strlen(b->names[i]));
  return bytes;
}

static char *numbers_write(char *at, void *const *objects, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++)
    ((uint32_t *)(void *)at)[i] = ((const struct vocl_stub *)objects[i])->number;
  return at + vocl_part_padded_bytes(count * sizeof(uint32_t));
}

static void build_write(const struct vocl_building *b, uint32_t linked, uint32_t archive,
                        struct vocl_msg_build *message)
{
  const char *options = options_of(b);
  const size_t option_bytes = options != NULL ? strlen(options) : 0;
  message->step = b->step;
  message->program = ((const struct vocl_stub *)b->program)->number;
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

/* Sends the request and waits for the reply. Sets *is_there if the count in the reply is not 0. */
static cl_int build_send(struct vocl_session *session, const struct vocl_building *b,
                         uint32_t linked, uint32_t archive, bool *is_there)
{
  struct vocl_request query;
  const size_t bytes = build_bytes(b);
  if (bytes > VOCL_MESSAGE_MAX)
    return CL_OUT_OF_HOST_MEMORY;
  const uint64_t ticket = vocl_request_begin(session, &query, NULL, 0);
  struct vocl_msg_build *message = vocl_message_begin(session, VOCL_MSG_BUILD, bytes, ticket);
  if (message != NULL) {
    build_write(b, linked, archive, message);
    vocl_message_end(session);
  }
  const cl_int code = vocl_request_wait(session, &query);
  *is_there = query.count > 0;
  return code;
}

static cl_int link_programs(struct vocl_session *session, const struct vocl_building *b)
{
  struct vocl_stub_program *program = program_new(b->program, b->device_count, b->devices);
  bool is_there = false;
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = build_send(session, b, program->stub.number, 0, &is_there);
  if (code == CL_SUCCESS || is_there)
    *b->linked = program;
  else
    vocl_stub_free(&program->stub);
  return code;
}

/* Builds or compiles, after it has sent the files that the source may include. */
static cl_int build_here(struct vocl_session *session, const struct vocl_building *b)
{
  const struct vocl_making making = {.sort = VOCL_SOURCE_PROGRAM,
                                     .parent = ((struct vocl_stub_program *)b->program)->context,
                                     .count = 1,
                                     .strings = (const void *const[]){b->archive}};
  void *archive = NULL;
  bool is_other = false;
  cl_int code = b->archive != NULL ? vocl_stub_program_make(&making, &archive) : CL_SUCCESS;
  if (code != CL_SUCCESS)
    return code;
  code = build_send(session, b, 0, archive != NULL ? ((struct vocl_stub *)archive)->number : 0,
                    &is_other);
  if (archive != NULL)
    vocl_stub_unref(archive);
  if (is_other)
    cwi_log(CWI_LOG_WARNING, "OpenCL: the program includes a file by its absolute path, which "
                             "names another file or none "
                             "at the device's proxy: name its folder with the option -I instead");
  return code;
}

cl_int vocl_remote_build(const struct vocl_building *building)
{
  struct vocl_session *session = ((struct vocl_stub *)building->program)->session;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  vocl_session_lock(session);
  if (session->is_over) {
    code = CL_DEVICE_NOT_AVAILABLE;
  } else if (building->step == VOCL_LINK) {
    code = link_programs(session, building);
  } else {
    code = build_here(session, building);
    forget_kernels(building->program);
  }
  vocl_session_unlock(session);
  return code;
}
