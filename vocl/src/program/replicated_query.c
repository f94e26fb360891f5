/* Answers queries: from client-side data if possible, otherwise from a replica. */
#include "program/replicated_program.h"

#include <stdlib.h>
#include <string.h>

/* Returns the location whose replica answers. If the query has a device, that is the device's
 * location. Otherwise it is vocl_program_location for a program, and for other objects the first
 * location that has a replica. */
static uint32_t location_to_query(const struct vocl_replicated *replicated, const void *device)
{
  const struct vocl_device_binding *there =
      device != NULL ? vocl_device_binding_of(replicated->context, device) : NULL;
  uint32_t location = there != NULL ? there->location : 0;
  if (there == NULL && replicated->kind == &vocl_replicated_program_kind)
    return vocl_program_location((const struct vocl_replicated_program *)replicated);
  while (there == NULL && location + 1 < VOCL_LOCATIONS_MAX &&
         replicated->replicas[location] == NULL)
    location++;
  return location;
}

static cl_int query_replica(const struct vocl_query *query, size_t size, void *value,
                            size_t *size_needed)
{
  struct vocl_replicated *replicated = query->object;
  const struct vocl_device_binding *device =
      query->device != NULL ? vocl_device_binding_of(replicated->context, query->device) : NULL;
  struct vocl_query there = *query;
  cl_int code = CL_SUCCESS;
  there.object = vocl_replica_get(replicated, location_to_query(replicated, query->device), &code);
  if (device != NULL)
    there.device = device->device;
  return code == CL_SUCCESS ? vocl_replica_query(&there, size, value, size_needed) : code;
}

/* Answers a query about an event. Without a replica only its status is known. */
static cl_int query_event(const struct vocl_query *query, size_t size, void *value,
                          size_t *size_needed)
{
  const struct vocl_replicated_event *event = query->object;
  struct vocl_query there = *query;
  const cl_int status = __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
  there.object = vocl_replica_existing(event, event->location);
  if (there.object != NULL)
    return vocl_replica_query(&there, size, value, size_needed);
  if (query->about == VOCL_ABOUT_PROFILE)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return vocl_query_return(&status, sizeof status, size, value, size_needed);
}

static bool memory_knows(const struct vocl_replicated_memory *memory, cl_uint what,
                         const void **answer, size_t *bytes)
{
  switch (what) {
  case CL_MEM_FLAGS:
    return VOCL_KNOWN(memory->flags);
  case CL_MEM_HOST_PTR:
    return VOCL_KNOWN(memory->host);
  case CL_MEM_MAP_COUNT:
    return VOCL_KNOWN(memory->map_count);
  default:
    return false;
  }
}

/* --- programs: results of all locations --- */

static bool program_knows(const struct vocl_replicated_program *program, cl_uint what,
                          const void **answer, size_t *bytes)
{
  if (what == CL_PROGRAM_NUM_DEVICES)
    return VOCL_KNOWN(program->device_count);
  *answer = program->devices;
  *bytes = program->device_count * sizeof *program->devices;
  return what == CL_PROGRAM_DEVICES;
}

/* Returns the index of the program's device whose work `there` does at the location. If there is
 * none, because a move has taken it elsewhere, returns the number of devices. */
static cl_uint program_device_at(const struct vocl_replicated_program *program, uint32_t location,
                                 const void *there)
{
  for (cl_uint i = 0; i < program->device_count; i++) {
    const struct vocl_device_binding *device =
        vocl_device_binding_of(program->replicated.context, program->devices[i]);
    if (device->location == location && device->device == there)
      return i;
  }
  return program->device_count;
}

/* Copies the items of a location's devices from the program's array to the location's, or back
 * if `to_program`. */
static void items_carry(const struct vocl_replicated_program *program, uint32_t location,
                        void *const *devices, size_t count, size_t item, char *there, char *items,
                        bool to_program)
{
  for (size_t i = 0; i < count; i++) {
    const cl_uint place = program_device_at(program, location, devices[i]);
    if (place == program->device_count)
      continue;
    if (to_program)
      memcpy(items + place * item, there + i * item, item);
    else
      memcpy(there + i * item, items + place * item, item);
  }
}

/* Collects the items (binaries or their sizes) of the devices that the location's replica has. The
 * program's items are copied first, because binaries are stored at addresses that the program gave.
 * Devices that have moved away get NULL addresses. */
static cl_int program_gather_at(const struct vocl_replicated_program *program, uint32_t location,
                                cl_uint what, size_t item, char *items)
{
  size_t bytes = 0;
  struct vocl_query query = {.about = VOCL_ABOUT_PROGRAM,
                             .object = program->replicated.replicas[location],
                             .what = CL_PROGRAM_DEVICES};
  if (query.object == NULL)
    return CL_SUCCESS;
  cl_int code = vocl_replica_query(&query, 0, NULL, &bytes);
  if (code != CL_SUCCESS)
    return code;
  const size_t count = bytes / sizeof(void *);
  void **devices = calloc(count + 1, sizeof *devices + item);
  if (devices == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  char *there = (char *)(devices + count);
  code = vocl_replica_query(&query, bytes, devices, NULL);
  if (code == CL_SUCCESS) {
    items_carry(program, location, devices, count, item, there, items, false);
    query.what = what;
    code = vocl_replica_query(&query, count * item, there, NULL);
  }
  if (code == CL_SUCCESS)
    items_carry(program, location, devices, count, item, there, items, true);
  free(devices);
  return code;
}

/* Collects an answer with one item per device from all locations. */
static cl_int program_gather(const struct vocl_replicated_program *program, cl_uint what,
                             size_t item, char *items)
{
  cl_int code = CL_SUCCESS;
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX && code == CL_SUCCESS; location++)
    code = program_gather_at(program, location, what, item, items);
  return code;
}

static cl_int query_program(const struct vocl_replicated_program *program,
                            const struct vocl_query *query, size_t size, void *value,
                            size_t *size_needed)
{
  const size_t item = query->what == CL_PROGRAM_BINARIES ? sizeof(unsigned char *) : sizeof(size_t);
  const size_t bytes = program->device_count * item;
  if (query->what != CL_PROGRAM_BINARIES && query->what != CL_PROGRAM_BINARY_SIZES)
    return query_replica(query, size, value, size_needed);
  if (value != NULL && size < bytes)
    return CL_INVALID_VALUE;
  if (size_needed != NULL)
    *size_needed = bytes;
  return value != NULL ? program_gather(program, query->what, item, value) : CL_SUCCESS;
}

/* Returns true if the program was built, but not at the location of this device. Then the
 * location has no build, and vendors report an error instead of CL_BUILD_NONE. If the program
 * was built for another device of the location, the vendor answers: some report the same for all
 * sub-devices of a device. */
static bool build_is_elsewhere(const struct vocl_replicated_program *program, const void *given)
{
  const struct vocl_replicated_context *context = program->replicated.context;
  bool is_built = false, is_built_there = false;
  for (cl_uint i = 0; i < program->device_count; i++) {
    const bool is_one = program->builds[i].record != NULL;
    is_built = is_built || is_one;
    is_built_there = is_built_there ||
                     (is_one && vocl_device_binding_of(context, program->devices[i])->location ==
                                    vocl_device_binding_of(context, given)->location);
  }
  return is_built && vocl_program_build_for(program, given) != NULL && !is_built_there;
}

static bool no_build_knows(cl_uint what, const void **answer, size_t *bytes)
{
  static const cl_build_status status = CL_BUILD_NONE;
  static const cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  static const char text[] = "";
  switch (what) {
  case CL_PROGRAM_BUILD_STATUS:
    return VOCL_KNOWN(status);
  case CL_PROGRAM_BINARY_TYPE:
    return VOCL_KNOWN(type);
  case CL_PROGRAM_BUILD_OPTIONS:
  case CL_PROGRAM_BUILD_LOG:
    return VOCL_KNOWN(text);
  default:
    return false;
  }
}

/* Queries options and logs, and replaces the names of the proxy's folder for included files. */
static cl_int query_build(const struct vocl_query *query, size_t size, void *value,
                          size_t *size_needed)
{
  const struct vocl_build *build = vocl_program_build_for(query->object, query->device);
  const struct vocl_build_record *record = build != NULL ? build->record : NULL;
  const bool is_text =
      query->what == CL_PROGRAM_BUILD_LOG || query->what == CL_PROGRAM_BUILD_OPTIONS;
  size_t bytes = 0;
  if (record == NULL || record->includes == NULL || !is_text)
    return query_replica(query, size, value, size_needed);
  cl_int code = query_replica(query, 0, NULL, &bytes);
  char *text = code == CL_SUCCESS ? calloc(1, bytes + 1) : NULL;
  if (text != NULL)
    code = query_replica(query, bytes, text, NULL);
  char *given = text == NULL ? NULL
                : query->what == CL_PROGRAM_BUILD_OPTIONS && record->options != NULL &&
                        strcmp(text, record->includes->options) == 0
                    ? strdup(record->options)
                    : vocl_includes_as_given(record->includes, text);
  if (code == CL_SUCCESS)
    code = given != NULL ? vocl_query_return(given, strlen(given) + 1, size, value, size_needed)
                         : CL_OUT_OF_HOST_MEMORY;
  free(text);
  free(given);
  return code;
}

cl_int vocl_replicated_query(const struct vocl_query *query, size_t size, void *value,
                             size_t *size_needed)
{
  const void *answer = NULL;
  size_t bytes = 0;
  switch (query->about) {
  case VOCL_ABOUT_MEMORY:
    return memory_knows(query->object, query->what, &answer, &bytes)
               ? vocl_query_return(answer, bytes, size, value, size_needed)
               : query_replica(query, size, value, size_needed);
  case VOCL_ABOUT_PROGRAM:
    return program_knows(query->object, query->what, &answer, &bytes)
               ? vocl_query_return(answer, bytes, size, value, size_needed)
               : query_program(query->object, query, size, value, size_needed);
  case VOCL_ABOUT_BUILD:
    return build_is_elsewhere(query->object, query->device) &&
                   no_build_knows(query->what, &answer, &bytes)
               ? vocl_query_return(answer, bytes, size, value, size_needed)
               : query_build(query, size, value, size_needed);
  case VOCL_ABOUT_EVENT:
  case VOCL_ABOUT_PROFILE:
    return query_event(query, size, value, size_needed);
  default:
    return query_replica(query, size, value, size_needed);
  }
}

/* --- image formats: the union of all locations --- */

struct formats {
  cl_image_format *each;
  cl_uint count;
};

static bool formats_have(const struct formats *formats, const cl_image_format *format)
{
  for (cl_uint i = 0; i < formats->count; i++)
    if (memcmp(&formats->each[i], format, sizeof *format) == 0)
      return true;
  return false;
}

static cl_int formats_add(struct formats *formats, void *replica, cl_mem_flags flags,
                          cl_mem_object_type type)
{
  cl_uint more = 0;
  cl_int code = vocl_replica_query_formats(replica, flags, type, 0, NULL, &more);
  if (code != CL_SUCCESS || more == 0)
    return code;
  cl_image_format *each =
      realloc(formats->each, (formats->count + (size_t)more) * sizeof *formats->each);
  if (each == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  formats->each = each;
  cl_image_format *its = each + formats->count;
  code = vocl_replica_query_formats(replica, flags, type, more, its, NULL);
  for (cl_uint i = 0; code == CL_SUCCESS && i < more; i++)
    if (!formats_have(formats, &its[i]))
      each[formats->count++] = its[i];
  return code;
}

static cl_int formats_find(struct formats *formats, void *context, cl_mem_flags flags,
                           cl_mem_object_type type)
{
  uint32_t locations = vocl_locations_alive(context, vocl_context_locations(context));
  cl_int code = locations != 0 ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE;
  for (; locations != 0 && code == CL_SUCCESS; locations &= locations - 1) {
    void *replica = vocl_replica_get(context, (uint32_t)__builtin_ctz(locations), &code);
    if (code == CL_SUCCESS)
      code = formats_add(formats, replica, flags, type);
  }
  return code;
}

cl_int vocl_replicated_query_formats(void *object, cl_mem_flags flags, cl_mem_object_type type,
                                     cl_uint most, cl_image_format *formats, cl_uint *count)
{
  struct formats found = {NULL, 0};
  if (formats != NULL && most == 0)
    return CL_INVALID_VALUE;
  const cl_int code = formats_find(&found, object, flags, type);
  if (code == CL_SUCCESS && formats != NULL && found.count > 0)
    memcpy(formats, found.each, (most < found.count ? most : found.count) * sizeof *formats);
  if (code == CL_SUCCESS && count != NULL)
    *count = found.count;
  free(found.each);
  return code;
}
