/* Builds programs in a separate thread, so that the session handles other messages meanwhile. */
#include "handler/handler.h"

#include "wait/thread.h"

#include <stdlib.h>
#include <string.h>

/* A build that is queued or in progress. */
struct vocl_service_building {
  struct vocl_service_building *next;
  uint64_t ticket;
  struct vocl_building native;
  struct vocl_service_object *linked; /* the program that a link makes; NULL for other builds */
  void **devices;
  char *options;
  const char **names;
  void **programs;
  struct vocl_service_object
      *archive; /* the files that the build may read; NULL if it reads none */
  uint32_t held_count;
  struct vocl_service_object
      *refs[]; /* the program (or the context of a link), then the other programs */
};

static void building_free(struct vocl_service *session, struct vocl_service_building *building)
{
  for (uint32_t i = 0; i < building->held_count; i++)
    vocl_service_object_unref(session, building->refs[i]);
  if (building->linked != NULL)
    vocl_service_object_unref(session, building->linked);
  if (building->archive != NULL)
    vocl_service_object_unref(session, building->archive);
  free(building->devices);
  free(building->options);
  free(building->names);
  free(building->programs);
  free(building);
}

static void building_run(struct vocl_service *session, struct vocl_service_building *building)
{
  void *linked = NULL;
  bool is_other = false;
  if (building->linked != NULL)
    building->native.linked = &linked;
  pthread_mutex_unlock(&session->lock);
  const cl_int code =
      building->archive == NULL
          ? vocl_native_build(&building->native)
          : vocl_service_build_in_folder(&building->native, building->archive->native, &is_other);
  pthread_mutex_lock(&session->lock);
  building->refs[0]->builds--;
  if (linked != NULL) {
    building->linked->native = linked;
    building->linked->code = CL_SUCCESS;
  } else if (building->linked != NULL) {
    building->linked->code = code;
    if (building->ticket != 0)
      vocl_service_object_forget(session, building->linked);
  }
  vocl_service_reply_bytes(session,
                           &(struct vocl_msg_reply){.header.ticket = building->ticket,
                                                    .code = code,
                                                    .count = linked != NULL || is_other},
                           NULL);
  building_free(session, building);
  vocl_service_publish(session);
}

static void *builder_run(void *argument)
{
  struct vocl_service *session = argument;
  pthread_mutex_lock(&session->lock);
  for (;;) {
    while (session->first_build == NULL && !session->builder_ends)
      pthread_cond_wait(&session->build, &session->lock);
    struct vocl_service_building *building = session->first_build;
    if (building == NULL)
      break;
    session->first_build = building->next;
    if (session->first_build == NULL)
      session->last_build = NULL;
    if (session->builder_ends)
      building_free(session, building);
    else
      building_run(session, building);
  }
  pthread_mutex_unlock(&session->lock);
  return NULL;
}

/* Copies the options and the names of headers and terminates each by a null byte. */
static bool building_texts(struct vocl_service_building *building, const struct vocl_msg_build *msg,
                           const uint64_t *lengths, const char *text)
{
  uint64_t all = msg->option_bytes;
  for (uint32_t i = 0; i < msg->names; i++)
    all += lengths[i];
  building->options = malloc(all + msg->names + 1);
  building->names = calloc(msg->names + (size_t)1, sizeof *building->names);
  if (building->options == NULL || building->names == NULL)
    return false;
  char *to = building->options;
  memcpy(to, text, msg->option_bytes);
  to += msg->option_bytes;
  text += msg->option_bytes;
  *to++ = '\0';
  for (uint32_t i = 0; i < msg->names; i++) {
    building->names[i] = to;
    memcpy(to, text, lengths[i]);
    to += lengths[i];
    text += lengths[i];
    *to++ = '\0';
  }
  building->native.options = building->options;
  building->native.names = msg->names > 0 ? building->names : NULL;
  return true;
}

static bool building_hold(struct vocl_service *session, struct vocl_service_building *building,
                          uint32_t number, enum vocl_sort sort, cl_int *code)
{
  struct vocl_service_object *object = vocl_service_object_resolve(session, number, sort, code);
  if (object == NULL)
    return false;
  vocl_service_object_ref(object);
  building->refs[building->held_count++] = object;
  return true;
}

static cl_int building_resolve(struct vocl_service *session, struct vocl_service_building *building,
                               const struct vocl_msg_build *msg, const uint32_t *devices,
                               const uint32_t *programs)
{
  struct vocl_building *native = &building->native;
  cl_int code = CL_SUCCESS;
  native->step = (enum vocl_build_step)msg->step;
  if (!building_hold(session, building, msg->program,
                     msg->step == VOCL_LINK ? VOCL_CONTEXT : VOCL_SOURCE_PROGRAM, &code))
    return code;
  native->program = building->refs[0]->native;
  building->programs = calloc(msg->program_count + (size_t)1, sizeof *building->programs);
  if (building->programs == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < msg->program_count; i++) {
    if (!building_hold(session, building, programs[i], VOCL_SOURCE_PROGRAM, &code))
      return code;
    building->programs[i] = building->refs[1 + i]->native;
  }
  if (msg->archive != 0) {
    building->archive =
        vocl_service_object_resolve(session, msg->archive, VOCL_SOURCE_PROGRAM, &code);
    if (building->archive == NULL)
      return code;
    vocl_service_object_ref(building->archive);
  }
  native->program_count = msg->program_count;
  native->programs = msg->program_count > 0 ? building->programs : NULL;
  native->device_count = msg->device_count;
  building->devices = vocl_service_devices(session, devices, msg->device_count, &code);
  native->devices = msg->device_count > 0 ? building->devices : NULL;
  return code;
}

/* Returns true if the options end with -I or -D without a value. PoCL would read beyond their
 * end. */
static bool options_end_early(const char *options)
{
  size_t length = strlen(options);
  while (length > 0 && strchr(" \t\r\n", options[length - 1]) != NULL)
    length--;
  return length >= 2 && options[length - 2] == '-' && strchr("ID", options[length - 1]) != NULL &&
         (length == 2 || strchr(" \t\r\n", options[length - 3]) != NULL);
}

static void building_put(struct vocl_service *session, struct vocl_service_building *building)
{
  if (session->last_build != NULL)
    session->last_build->next = building;
  else
    session->first_build = building;
  session->last_build = building;
  building->refs[0]->builds++;
  pthread_cond_signal(&session->build);
}

static bool parts_are_good(const struct vocl_msg_build *msg, struct vocl_service_parts *parts,
                           const uint64_t *lengths)
{
  uint64_t left = parts->left;
  if (!parts->are_good || msg->option_bytes > left || msg->step > VOCL_LINK ||
      msg->names != (msg->step == VOCL_COMPILE ? msg->program_count : 0) ||
      (msg->step == VOCL_BUILD && msg->program_count > 0) ||
      (msg->step == VOCL_LINK && msg->archive != 0))
    return false;
  left -= msg->option_bytes;
  for (uint32_t i = 0; i < msg->names; i++) {
    if (lengths[i] > left)
      return false;
    left -= lengths[i];
  }
  return true;
}

bool vocl_on_build(struct vocl_service *session, const void *message, size_t bytes)
{
  const struct vocl_msg_build *msg = message;
  struct vocl_service_parts parts = {(const char *)(msg + 1), bytes - sizeof *msg, true};
  const uint32_t *devices = vocl_service_part(&parts, msg->device_count, sizeof *devices);
  const uint32_t *programs = vocl_service_part(&parts, msg->program_count, sizeof *programs);
  const uint64_t *lengths = vocl_service_part(&parts, msg->names, sizeof *lengths);
  if (!parts_are_good(msg, &parts, lengths))
    return vocl_service_protocol_error(session, "lengths of a build");
  struct vocl_service_building *building =
      calloc(1, sizeof *building + (msg->program_count + (size_t)1) * sizeof *building->refs);
  if (building == NULL)
    return vocl_service_protocol_error(session, "no memory for a build");
  building->ticket = msg->header.ticket;
  cl_int code = building_resolve(session, building, msg, devices, programs);
  if (code == CL_SUCCESS && !building_texts(building, msg, lengths, parts.at))
    code = CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && options_end_early(building->options))
    code = msg->step == VOCL_BUILD     ? CL_INVALID_BUILD_OPTIONS
           : msg->step == VOCL_COMPILE ? CL_INVALID_COMPILER_OPTIONS
                                       : CL_INVALID_LINKER_OPTIONS;
  if (code == CL_SUCCESS && msg->step == VOCL_LINK) {
    building->linked = vocl_service_object_enter(session, VOCL_SOURCE_PROGRAM, msg->linked,
                                                 sizeof *building->linked);
    if (building->linked == NULL) {
      building_free(session, building);
      return vocl_service_protocol_error(session, "the number of a linked program");
    }
    vocl_service_object_ref(building->linked);
  }
  if (code == CL_SUCCESS && !session->has_builder) {
    session->has_builder = cwi_thread_start(&session->builder, builder_run, session) == 0;
    code = session->has_builder ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  }
  if (code == CL_SUCCESS) {
    building_put(session, building);
    return true;
  }
  vocl_service_reply(session, msg->header.ticket, code);
  if (building->linked != NULL)
    vocl_service_object_forget(session, building->linked);
  building_free(session, building);
  return true;
}

void vocl_service_end_builds(struct vocl_service *session)
{
  pthread_mutex_lock(&session->lock);
  session->builder_ends = true;
  pthread_cond_signal(&session->build);
  pthread_mutex_unlock(&session->lock);
  if (session->has_builder)
    pthread_join(session->builder, NULL);
}
