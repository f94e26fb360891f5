/* Builds programs, in a thread of its own: other messages of the session go on meanwhile. */
#include "service/session.h"

#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

/* A build that waits for its turn, or is under way. */
struct cwi_service_building {
  struct cwi_service_building *next;
  uint64_t ticket;
  struct cwi_building native;
  struct cwi_service_object *linked; /* the program that a link makes */
  void **devices;
  char *options;
  const char **names;
  void **programs;
  struct cwi_service_object *archive; /* the files that the build may read; NULL if it reads none */
  uint32_t held_count;
  struct cwi_service_object *held[]; /* the program or context, then programs */
};

static void building_free(struct cwi_service *session, struct cwi_service_building *building)
{
  for (uint32_t i = 0; i < building->held_count; i++)
    cwi_service_let_go(session, building->held[i]);
  if (building->linked != NULL)
    cwi_service_let_go(session, building->linked);
  if (building->archive != NULL)
    cwi_service_let_go(session, building->archive);
  free(building->devices);
  free(building->options);
  free(building->names);
  free(building->programs);
  free(building);
}

static void building_run(struct cwi_service *session, struct cwi_service_building *building)
{
  void *linked = NULL;
  bool is_other = false;
  if (building->linked != NULL)
    building->native.linked = &linked;
  pthread_mutex_unlock(&session->lock);
  const cl_int code =
      building->archive == NULL
          ? cwi_native_build(&building->native)
          : cwi_service_build_in_folder(&building->native, building->archive->native, &is_other);
  pthread_mutex_lock(&session->lock);
  building->held[0]->builds--;
  if (linked != NULL) {
    building->linked->native = linked;
    building->linked->code = CL_SUCCESS;
  } else if (building->linked != NULL) {
    building->linked->code = code;
    if (building->ticket != 0)
      cwi_service_forget(session, building->linked);
  }
  cwi_service_answer_bytes(session,
                           &(struct cwi_say_answer){.said.ticket = building->ticket,
                                                    .code = code,
                                                    .count = linked != NULL || is_other},
                           NULL);
  building_free(session, building);
  cwi_service_publish(session);
}

static void *builder_run(void *argument)
{
  struct cwi_service *session = argument;
  pthread_mutex_lock(&session->lock);
  for (;;) {
    while (session->first_build == NULL && !session->builder_ends)
      pthread_cond_wait(&session->build, &session->lock);
    struct cwi_service_building *building = session->first_build;
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

/* The names of headers and the options, each with an end. */
static bool building_texts(struct cwi_service_building *building, const struct cwi_say_build *said,
                           const uint64_t *lengths, const char *text)
{
  uint64_t all = said->option_bytes;
  for (uint32_t i = 0; i < said->names; i++)
    all += lengths[i];
  building->options = malloc(all + said->names + 1);
  building->names = calloc(said->names + (size_t)1, sizeof *building->names);
  if (building->options == NULL || building->names == NULL)
    return false;
  char *to = building->options;
  memcpy(to, text, said->option_bytes);
  to += said->option_bytes;
  text += said->option_bytes;
  *to++ = '\0';
  for (uint32_t i = 0; i < said->names; i++) {
    building->names[i] = to;
    memcpy(to, text, lengths[i]);
    to += lengths[i];
    text += lengths[i];
    *to++ = '\0';
  }
  building->native.options = building->options;
  building->native.names = said->names > 0 ? building->names : NULL;
  return true;
}

static bool building_hold(struct cwi_service *session, struct cwi_service_building *building,
                          uint32_t number, enum cwi_sort sort, cl_int *code)
{
  struct cwi_service_object *object = cwi_service_resolve(session, number, sort, code);
  if (object == NULL)
    return false;
  cwi_service_hold(object);
  building->held[building->held_count++] = object;
  return true;
}

static cl_int building_resolve(struct cwi_service *session, struct cwi_service_building *building,
                               const struct cwi_say_build *said, const uint32_t *devices,
                               const uint32_t *programs)
{
  struct cwi_building *native = &building->native;
  cl_int code = CL_SUCCESS;
  native->step = (enum cwi_build_step)said->step;
  if (!building_hold(session, building, said->program,
                     said->step == CWI_LINK ? CWI_CONTEXT : CWI_SOURCE_PROGRAM, &code))
    return code;
  native->program = building->held[0]->native;
  building->programs = calloc(said->program_count + (size_t)1, sizeof *building->programs);
  if (building->programs == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  for (uint32_t i = 0; i < said->program_count; i++) {
    if (!building_hold(session, building, programs[i], CWI_SOURCE_PROGRAM, &code))
      return code;
    building->programs[i] = building->held[1 + i]->native;
  }
  if (said->archive != 0) {
    building->archive = cwi_service_resolve(session, said->archive, CWI_SOURCE_PROGRAM, &code);
    if (building->archive == NULL)
      return code;
    cwi_service_hold(building->archive);
  }
  native->program_count = said->program_count;
  native->programs = said->program_count > 0 ? building->programs : NULL;
  native->device_count = said->device_count;
  building->devices = cwi_service_devices(session, devices, said->device_count, &code);
  native->devices = said->device_count > 0 ? building->devices : NULL;
  return code;
}

/* PoCL reads beyond options that end where a value should follow. */
static bool options_end_early(const char *options)
{
  size_t length = strlen(options);
  while (length > 0 && strchr(" \t\r\n", options[length - 1]) != NULL)
    length--;
  return length >= 2 && options[length - 2] == '-' && strchr("ID", options[length - 1]) != NULL &&
         (length == 2 || strchr(" \t\r\n", options[length - 3]) != NULL);
}

static void building_put(struct cwi_service *session, struct cwi_service_building *building)
{
  if (session->last_build != NULL)
    session->last_build->next = building;
  else
    session->first_build = building;
  session->last_build = building;
  building->held[0]->builds++;
  pthread_cond_signal(&session->build);
}

static bool parts_are_good(const struct cwi_say_build *said, struct cwi_service_parts *parts,
                           const uint64_t *lengths)
{
  uint64_t left = parts->left;
  if (!parts->are_good || said->option_bytes > left || said->step > CWI_LINK ||
      said->names != (said->step == CWI_COMPILE ? said->program_count : 0) ||
      (said->step == CWI_BUILD && said->program_count > 0) ||
      (said->step == CWI_LINK && said->archive != 0))
    return false;
  left -= said->option_bytes;
  for (uint32_t i = 0; i < said->names; i++) {
    if (lengths[i] > left)
      return false;
    left -= lengths[i];
  }
  return true;
}

bool cwi_service_build(struct cwi_service *session, const void *message, size_t bytes)
{
  const struct cwi_say_build *said = message;
  struct cwi_service_parts parts = {(const char *)(said + 1), bytes - sizeof *said, true};
  const uint32_t *devices = cwi_service_part(&parts, said->device_count, sizeof *devices);
  const uint32_t *programs = cwi_service_part(&parts, said->program_count, sizeof *programs);
  const uint64_t *lengths = cwi_service_part(&parts, said->names, sizeof *lengths);
  if (!parts_are_good(said, &parts, lengths))
    return cwi_service_wild(session, "lengths of a build");
  struct cwi_service_building *building =
      calloc(1, sizeof *building + (said->program_count + (size_t)1) * sizeof *building->held);
  if (building == NULL)
    return cwi_service_wild(session, "no memory for a build");
  building->ticket = said->said.ticket;
  cl_int code = building_resolve(session, building, said, devices, programs);
  if (code == CL_SUCCESS && !building_texts(building, said, lengths, parts.at))
    code = CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && options_end_early(building->options))
    code = said->step == CWI_BUILD     ? CL_INVALID_BUILD_OPTIONS
           : said->step == CWI_COMPILE ? CL_INVALID_COMPILER_OPTIONS
                                       : CL_INVALID_LINKER_OPTIONS;
  if (code == CL_SUCCESS && said->step == CWI_LINK) {
    building->linked =
        cwi_service_enter(session, CWI_SOURCE_PROGRAM, said->linked, sizeof *building->linked);
    if (building->linked == NULL) {
      building_free(session, building);
      return cwi_service_wild(session, "the number of a linked program");
    }
    cwi_service_hold(building->linked);
  }
  if (code == CL_SUCCESS && !session->has_builder) {
    session->has_builder = cwi_thread_start(&session->builder, builder_run, session) == 0;
    code = session->has_builder ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
  }
  if (code == CL_SUCCESS) {
    building_put(session, building);
    return true;
  }
  cwi_service_answer(session, said->said.ticket, code);
  if (building->linked != NULL)
    cwi_service_forget(session, building->linked);
  building_free(session, building);
  return true;
}

void cwi_service_end_builds(struct cwi_service *session)
{
  pthread_mutex_lock(&session->lock);
  session->builder_ends = true;
  pthread_cond_signal(&session->build);
  pthread_mutex_unlock(&session->lock);
  if (session->has_builder)
    pthread_join(session->builder, NULL);
}
