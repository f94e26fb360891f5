/* Programs. They are made from sources, binaries or names on the client side, and built at all
 * locations of their devices. */
#include "program/replicated_program.h"

#include <stdlib.h>
#include <string.h>

/* --- build records --- */

static void record_unref(struct vocl_build_record *record)
{
  if (record == NULL || __atomic_sub_fetch(&record->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  for (cl_uint i = 0; i < record->count; i++) {
    vocl_replicated_unref(record->programs[i]);
    if (record->names != NULL)
      free(record->names[i]);
  }
  free(record->programs);
  free(record->names);
  free(record->options);
  vocl_includes_unref(record->includes);
  free(record);
}

static bool record_programs(struct vocl_build_record *record, const struct vocl_building *b)
{
  record->programs = calloc(b->program_count + 1, sizeof *record->programs);
  record->names = b->names != NULL ? calloc(b->program_count, sizeof *record->names) : NULL;
  if (record->programs == NULL || (b->names != NULL && record->names == NULL))
    return false;
  for (cl_uint i = 0; i < b->program_count; i++) {
    record->programs[record->count++] = b->programs[i];
    vocl_replicated_ref(b->programs[i]);
    if (b->names != NULL && (record->names[i] = strdup(b->names[i])) == NULL)
      return false;
  }
  return true;
}

/* Collects the files that the program's source and its headers include. */
static bool record_includes(struct vocl_build_record *record,
                            const struct vocl_replicated_program *program,
                            const struct vocl_building *b)
{
  const char **texts = calloc(b->program_count + (size_t)1, sizeof *texts);
  size_t count = 0;
  for (cl_uint i = 0; texts != NULL && i <= b->program_count && b->step != VOCL_LINK; i++) {
    const struct vocl_replicated_program *of = i == 0 ? program : b->programs[i - 1];
    if (of->sort == VOCL_SOURCE_PROGRAM && of->source != NULL)
      texts[count++] = of->source;
  }
  const bool is_done = texts != NULL && vocl_includes_collect(b, texts, count, &record->includes);
  free(texts);
  return is_done;
}

/* Returns a build record with one reference, or NULL if there is no memory. */
static struct vocl_build_record *record_new(const struct vocl_replicated_program *program,
                                            const struct vocl_building *b)
{
  static uint64_t generations;
  struct vocl_build_record *record = calloc(1, sizeof *record);
  if (record == NULL)
    return NULL;
  record->refs = 1;
  record->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
  record->step = b->step;
  record->options = b->options != NULL ? strdup(b->options) : NULL;
  if ((b->options == NULL || record->options != NULL) && record_programs(record, b) &&
      record_includes(record, program, b))
    return record;
  record_unref(record);
  return NULL;
}

static bool building_is_for(const struct vocl_building *b, const void *given)
{
  for (cl_uint i = 0; i < b->device_count; i++)
    if (b->devices[i] == given)
      return true;
  return b->device_count == 0;
}

/* Records the build for the devices at the location. */
static void builds_set(struct vocl_replicated_program *program, const struct vocl_building *b,
                       struct vocl_build_record *record, uint32_t location, bool has_succeeded)
{
  for (cl_uint i = 0; i < program->device_count; i++) {
    void *given = program->devices[i];
    struct vocl_build_record *before = program->builds[i].record;
    if (vocl_device_binding_of(program->replicated.context, given)->location != location ||
        !building_is_for(b, given))
      continue;
    __atomic_fetch_add(&record->refs, 1, __ATOMIC_RELAXED);
    program->builds[i] = (struct vocl_build){.record = record, .has_succeeded = has_succeeded};
    record_unref(before);
  }
}

const struct vocl_build *vocl_program_build_for(const struct vocl_replicated_program *program,
                                                const void *given)
{
  for (cl_uint i = 0; i < program->device_count; i++)
    if (program->devices[i] == given)
      return &program->builds[i];
  return NULL;
}

uint32_t vocl_program_location(const struct vocl_replicated_program *program)
{
  const struct vocl_replicated_context *context = program->replicated.context;
  uint32_t locations = 0;
  for (cl_uint i = 0; i < program->device_count; i++)
    if (program->builds[i].has_succeeded)
      locations |= 1u << vocl_device_binding_of(context, program->devices[i])->location;
  for (uint32_t location = 0; locations == 0 && location < VOCL_LOCATIONS_MAX; location++)
    locations |= program->replicated.replicas[location] != NULL ? 1u << location : 0;
  const uint32_t alive = vocl_locations_alive(context, locations);
  return (uint32_t)__builtin_ctz(alive != 0 ? alive : locations | 1u << (VOCL_LOCATIONS_MAX - 1));
}

static void program_end(struct vocl_replicated *replicated)
{
  struct vocl_replicated_program *program = (struct vocl_replicated_program *)replicated;
  for (cl_uint i = 0; program->builds != NULL && i < program->device_count; i++)
    record_unref(program->builds[i].record);
  for (cl_uint i = 0; program->binaries != NULL && i < program->device_count; i++)
    free(program->binaries[i]);
  free(program->binaries);
  free(program->lengths);
  free(program->source);
  free(program->builds);
  free(program->devices);
}

/* --- replicas --- */

/* Makes a program from the binaries of the location's devices. If the location is lost meanwhile,
 * the statuses of its devices are CL_DEVICE_NOT_AVAILABLE. */
static cl_int binaries_make_at(const struct vocl_replicated_program *program, uint32_t location,
                               struct vocl_making *making, cl_int *statuses, void **replica)
{
  const cl_uint count = program->device_count;
  const void **strings = calloc(count, sizeof *strings);
  size_t *lengths = calloc(count, sizeof *lengths);
  cl_int *there = calloc(count, sizeof *there);
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  cl_uint known = 0;
  const bool has_memory = strings != NULL && lengths != NULL && there != NULL;
  for (cl_uint i = 0; has_memory && i < count; i++)
    if (vocl_device_binding_of(program->replicated.context, program->devices[i])->location ==
        location) {
      there[known] = CL_DEVICE_NOT_AVAILABLE;
      strings[known] = program->binaries[i];
      lengths[known++] = program->lengths[i];
    }
  making->strings = strings;
  making->lengths = lengths;
  making->statuses = there;
  if (has_memory)
    code = vocl_replica_make(making, replica);
  for (cl_uint i = 0, at = 0; statuses != NULL && has_memory && i < count; i++)
    if (vocl_device_binding_of(program->replicated.context, program->devices[i])->location ==
        location)
      statuses[i] = there[at++];
  free(strings);
  free(lengths);
  free(there);
  return code;
}

/* Makes the program at a location. A linked program exists only where it was linked. */
static cl_int program_make_at(const struct vocl_replicated_program *program, uint32_t location,
                              cl_int *statuses, void **replica)
{
  cl_int code = CL_SUCCESS;
  if (program->source == NULL && program->binaries == NULL)
    return CL_INVALID_PROGRAM_EXECUTABLE;
  const void *const strings[] = {program->source};
  void **there = malloc((program->device_count + 1) * sizeof *there);
  struct vocl_making making = {.sort = program->sort,
                               .parent =
                                   vocl_replica_get(program->replicated.context, location, &code),
                               .devices = there,
                               .name = program->source,
                               .count = 1,
                               .strings = strings};
  if (there == NULL)
    code = CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS && program->sort != VOCL_SOURCE_PROGRAM)
    making.device_count = vocl_location_devices(program->replicated.context, program->devices,
                                                program->device_count, location, there);
  if (code == CL_SUCCESS)
    code = program->sort == VOCL_BINARY_PROGRAM
               ? binaries_make_at(program, location, &making, statuses, replica)
               : vocl_replica_make(&making, replica);
  free(there);
  return code;
}

static cl_int program_replica(struct vocl_replicated *replicated, uint32_t location, void **replica)
{
  return program_make_at((const struct vocl_replicated_program *)replicated, location, NULL,
                         replica);
}

const struct vocl_replicated_kind vocl_replicated_program_kind = {
    .sort = VOCL_SOURCE_PROGRAM,
    .bytes = sizeof(struct vocl_replicated_program),
    .replica = program_replica,
    .end = program_end};

/* --- making --- */

/* Returns all strings, concatenated. */
static char *source_join(const struct vocl_making *making)
{
  size_t bytes = 0;
  for (cl_uint i = 0; i < making->count; i++)
    bytes += making->lengths != NULL && making->lengths[i] != 0 ? making->lengths[i]
                                                                : strlen(making->strings[i]);
  char *source = malloc(bytes + 1);
  char *at = source;
  for (cl_uint i = 0; source != NULL && i < making->count; i++) {
    const size_t length = making->lengths != NULL && making->lengths[i] != 0
                              ? making->lengths[i]
                              : strlen(making->strings[i]);
    memcpy(at, making->strings[i], length);
    at += length;
  }
  if (source != NULL)
    *at = '\0';
  return source;
}

static bool binaries_keep(struct vocl_replicated_program *program, const struct vocl_making *making)
{
  const cl_uint count = making->device_count;
  program->binaries = calloc(count, sizeof *program->binaries);
  program->lengths = calloc(count, sizeof *program->lengths);
  bool is_whole = program->binaries != NULL && program->lengths != NULL;
  for (cl_uint i = 0; is_whole && i < count; i++) {
    program->lengths[i] = making->lengths[i];
    program->binaries[i] = malloc(making->lengths[i] + 1);
    is_whole = program->binaries[i] != NULL;
    if (is_whole)
      memcpy(program->binaries[i], making->strings[i], making->lengths[i]);
  }
  return is_whole;
}

/* Makes a program for these devices, or for all devices of the context if `count` is 0. Returns
 * NULL if there is no memory. */
static struct vocl_replicated_program *program_new(struct vocl_replicated_context *context,
                                                   enum vocl_sort sort, cl_uint count,
                                                   void *const *devices)
{
  struct vocl_replicated_program *program =
      vocl_replicated_new(&vocl_replicated_program_kind, context);
  if (program == NULL)
    return NULL;
  program->sort = sort;
  program->device_count = count > 0 ? count : context->device_count;
  program->devices = malloc(program->device_count * sizeof *program->devices);
  program->builds = calloc(program->device_count, sizeof *program->builds);
  if (program->devices == NULL || program->builds == NULL) {
    vocl_replicated_unref(program);
    return NULL;
  }
  for (cl_uint i = 0; i < program->device_count; i++)
    program->devices[i] = count > 0 ? devices[i] : context->devices[i].given;
  return program;
}

static uint32_t locations_of_program(const struct vocl_replicated_program *program)
{
  return vocl_locations_of_devices(program->replicated.context, program->devices,
                                   program->device_count);
}

/* Returns true if a binary is empty or NULL. */
static bool has_empty_binary(const struct vocl_making *making)
{
  for (cl_uint i = 0; making->sort == VOCL_BINARY_PROGRAM && i < making->device_count; i++)
    if (making->lengths[i] == 0 || making->strings[i] == NULL)
      return true;
  return false;
}

static cl_int empty_binaries(const struct vocl_making *making)
{
  for (cl_uint i = 0; making->statuses != NULL && i < making->device_count; i++)
    making->statuses[i] =
        making->lengths[i] == 0 || making->strings[i] == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
  return CL_INVALID_VALUE;
}

/* Makes the program at all locations that are not lost, so that errors are reported now. */
static cl_int program_make_everywhere(struct vocl_replicated_program *program, cl_int *statuses)
{
  const uint32_t locations = locations_of_program(program);
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; statuses != NULL && i < program->device_count; i++)
    statuses[i] = CL_DEVICE_NOT_AVAILABLE;
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX; location++) {
    if ((locations >> location & 1) == 0)
      continue;
    const cl_int made =
        program_make_at(program, location, statuses, &program->replicated.replicas[location]);
    code = code != CL_SUCCESS ? code : made;
  }
  return code;
}

cl_int vocl_replicated_program_make(const struct vocl_making *making, void **object)
{
  if (has_empty_binary(making))
    return empty_binaries(making);
  struct vocl_replicated_program *program =
      program_new(making->parent, making->sort, making->device_count, making->devices);
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  bool is_kept = true;
  if (making->sort == VOCL_BINARY_PROGRAM)
    is_kept = binaries_keep(program, making);
  else
    is_kept =
        (program->source = making->sort == VOCL_SOURCE_PROGRAM ? source_join(making)
                                                               : strdup(making->name)) != NULL;
  *object = program;
  return vocl_replicas_make(is_kept ? program_make_everywhere(program, making->statuses)
                                    : CL_OUT_OF_HOST_MEMORY,
                            0, object);
}

/* --- building --- */

/* The arguments of a build at one location, with the replicas of that location. Freed with one
 * free(). */
struct building_there {
  struct vocl_building building;
  void *objects[];
};

static struct building_there *building_at(const struct vocl_replicated_context *context,
                                          const struct vocl_building *given, uint32_t location,
                                          cl_int *code)
{
  struct building_there *there =
      malloc(sizeof *there + (given->device_count + given->program_count + 1) * sizeof(void *));
  *code = CL_OUT_OF_HOST_MEMORY;
  if (there == NULL)
    return NULL;
  void **inputs = there->objects + given->device_count;
  there->building = *given;
  there->building.device_count =
      vocl_location_devices(context, given->devices, given->device_count, location, there->objects);
  there->building.devices = there->building.device_count > 0 ? there->objects : NULL;
  there->building.programs = given->program_count > 0 ? inputs : NULL;
  *code = vocl_replicas_get(given->programs, given->program_count, location, inputs);
  if (*code == CL_SUCCESS)
    return there;
  free(there);
  return NULL;
}

static cl_int build_at(struct vocl_replicated_program *program, const struct vocl_building *given,
                       const struct vocl_build_record *record, uint32_t location)
{
  cl_int code = CL_SUCCESS;
  struct building_there *there = building_at(program->replicated.context, given, location, &code);
  if (there == NULL)
    return code;
  struct vocl_building *b = &there->building;
  if (record->includes != NULL) {
    b->options_there = record->includes->options;
    b->archive = record->includes->archive;
  }
  if (b->step == VOCL_LINK) {
    b->program = vocl_replica_get(program->replicated.context, location, &code);
    b->linked = &program->replicated.replicas[location];
  } else {
    b->program = vocl_replica_get(program, location, &code);
  }
  if (code == CL_SUCCESS)
    code = vocl_replica_build(b);
  free(there);
  return code;
}

/* Returns true if the build was rejected, so that it has changed nothing. */
static bool was_rejected(cl_int code)
{
  return code != CL_SUCCESS && code != CL_BUILD_PROGRAM_FAILURE &&
         code != CL_COMPILE_PROGRAM_FAILURE && code != CL_LINK_PROGRAM_FAILURE;
}

/* Builds at all locations, so that each has a log. Returns the first error. */
static cl_int build_everywhere(struct vocl_replicated_program *program,
                               const struct vocl_building *given)
{
  const uint32_t locations = given->device_count > 0
                                 ? vocl_locations_of_devices(program->replicated.context,
                                                             given->devices, given->device_count)
                                 : locations_of_program(program);
  struct vocl_build_record *record = record_new(program, given);
  cl_int code = record != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX && !was_rejected(code); location++) {
    if ((locations >> location & 1) == 0)
      continue;
    const cl_int built = build_at(program, given, record, location);
    if (!was_rejected(built))
      builds_set(program, given, record, location, built == CL_SUCCESS);
    code = code != CL_SUCCESS ? code : built;
  }
  record_unref(record);
  return code;
}

static bool is_anywhere(const struct vocl_replicated *replicated)
{
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX; location++)
    if (replicated->replicas[location] != NULL)
      return true;
  return false;
}

/* Links at all locations. A program whose link failed exists, too, because it has a log. */
static cl_int link_everywhere(const struct vocl_building *given)
{
  struct vocl_replicated_program *program =
      program_new(given->program, VOCL_SOURCE_PROGRAM, given->device_count, given->devices);
  if (program == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const cl_int code = build_everywhere(program, given);
  if (is_anywhere(&program->replicated))
    *given->linked = program;
  else
    vocl_replicated_unref(program);
  return code;
}

cl_int vocl_replicated_build(const struct vocl_building *building)
{
  struct vocl_replicated_program *program = building->program;
  if (building->step == VOCL_LINK)
    return link_everywhere(building);
  /* With one location, its executor knows all kernels and checks this itself. */
  if (program->replicated.context->location_count > 1 &&
      __atomic_load_n(&program->kernel_count, __ATOMIC_ACQUIRE) > 0)
    return CL_INVALID_OPERATION;
  return build_everywhere(program, building);
}

/* --- rebuilding --- */

/* Repeats a build for all devices at the location. */
static cl_int build_as_recorded(struct vocl_replicated_program *program,
                                const struct vocl_build_record *record, uint32_t location)
{
  const struct vocl_building again = {.step = record->step,
                                      .program = program,
                                      .options = record->options,
                                      .program_count = record->count,
                                      .programs = (void *const *)record->programs,
                                      .names = (const char **)record->names};
  return build_at(program, &again, record, location);
}

/* Rebuilds the inputs of a build at the location. For a link, returns CL_INVALID_OPERATION if an
 * input has been built again since. Headers need only their source. */
static cl_int inputs_rebuild(const struct vocl_build_record *record, const void *given,
                             uint32_t location)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < record->count && code == CL_SUCCESS; i++) {
    struct vocl_replicated_program *input = record->programs[i];
    const struct vocl_build *build = vocl_program_build_for(input, given);
    if (record->step != VOCL_LINK)
      vocl_replica_get(input, location, &code);
    else if (build == NULL ||
             (build->record != NULL && build->record->generation > record->generation))
      code = CL_INVALID_OPERATION;
    else
      code = vocl_program_rebuild(input, given, location);
  }
  return code;
}

cl_int vocl_program_rebuild(struct vocl_replicated_program *program, const void *given,
                            uint32_t location)
{
  const struct vocl_build_record *record = vocl_program_build_for(program, given)->record;
  cl_int code = CL_SUCCESS;
  if (vocl_replica_existing(program, location) != NULL)
    return CL_SUCCESS;
  if (record != NULL)
    code = inputs_rebuild(record, given, location);
  if (code == CL_SUCCESS && (program->source != NULL || program->binaries != NULL))
    vocl_replica_get(program, location, &code);
  if (code == CL_SUCCESS && record != NULL)
    code = build_as_recorded(program, record, location);
  return code;
}
