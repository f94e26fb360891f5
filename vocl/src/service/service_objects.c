/* The table of a session's objects by number, and the lifetime of objects. */
#include "service/service_session.h"

#include <stdlib.h>
#include <string.h>

/* Error code of a call whose argument is not an object of this sort. */
static const cl_int invalid[VOCL_SORT_COUNT] = {
    [VOCL_CONTEXT] = CL_INVALID_CONTEXT,
    [VOCL_QUEUE] = CL_INVALID_COMMAND_QUEUE,
    [VOCL_BUFFER] = CL_INVALID_MEM_OBJECT,
    [VOCL_SUB_BUFFER] = CL_INVALID_MEM_OBJECT,
    [VOCL_IMAGE] = CL_INVALID_MEM_OBJECT,
    [VOCL_SAMPLER] = CL_INVALID_SAMPLER,
    [VOCL_SOURCE_PROGRAM] = CL_INVALID_PROGRAM,
    [VOCL_BINARY_PROGRAM] = CL_INVALID_PROGRAM,
    [VOCL_BUILT_IN_PROGRAM] = CL_INVALID_PROGRAM,
    [VOCL_KERNEL] = CL_INVALID_KERNEL,
    [VOCL_USER_EVENT] = CL_INVALID_EVENT,
    [VOCL_EVENT] = CL_INVALID_EVENT,
    [VOCL_DEVICE] = CL_INVALID_DEVICE,
};

struct vocl_service_object *vocl_service_object_find(const struct vocl_service *session,
                                                     uint32_t number)
{
  return vocl_number_find(&session->objects, number);
}

void *vocl_service_object_enter(struct vocl_service *session, enum vocl_sort sort, uint32_t number,
                                size_t bytes)
{
  if (number == 0 || number >= VOCL_OBJECT_NUMBERS ||
      vocl_service_object_find(session, number) != NULL)
    return NULL;
  void **place = vocl_number_place_make(&session->objects, number);
  struct vocl_service_object *object = place != NULL ? calloc(1, bytes) : NULL;
  if (object == NULL)
    return NULL;
  *object = (struct vocl_service_object){.sort = sort,
                                         .number = number,
                                         .refs = 1,
                                         .code = invalid[sort],
                                         .generation = ++session->generation};
  *place = object;
  vocl_service_count(&session->counts->objects, 1);
  return object;
}

/* Maps the sorts of memory to VOCL_BUFFER and the sorts of programs to VOCL_SOURCE_PROGRAM:
 * calls accept any sort of a family. */
static enum vocl_sort family(enum vocl_sort sort)
{
  if (sort == VOCL_SUB_BUFFER || sort == VOCL_IMAGE)
    return VOCL_BUFFER;
  return sort == VOCL_BINARY_PROGRAM || sort == VOCL_BUILT_IN_PROGRAM ? VOCL_SOURCE_PROGRAM : sort;
}

struct vocl_service_object *vocl_service_object_resolve(struct vocl_service *session,
                                                        uint32_t number, enum vocl_sort sort,
                                                        cl_int *code)
{
  struct vocl_service_object *object = vocl_service_object_find(session, number);
  if (object == NULL || family(object->sort) != sort) {
    *code = invalid[sort];
    return NULL;
  }
  if (object->native == NULL || object->code != CL_SUCCESS) {
    *code = object->code;
    return NULL;
  }
  return object;
}

void vocl_service_object_ref(struct vocl_service_object *object)
{
  object->refs++;
}

void vocl_service_object_free(struct vocl_service *session, struct vocl_service_object *object)
{
  if (object->native != NULL && !object->is_coming)
    vocl_native_drop(object->sort, object->native);
  if (object->reports_end)
    vocl_service_deleted_notice(NULL, vocl_service_notice_data(session, object->number));
  if (family(object->sort) == VOCL_BUFFER)
    vocl_service_count(&session->counts->device_bytes,
                       -(uint64_t)((struct vocl_service_memory *)object)->counted);
  vocl_service_count(&session->counts->objects, (uint64_t)-1);
  free(object);
}

void vocl_service_object_unref(struct vocl_service *session, struct vocl_service_object *object)
{
  if (--object->refs > 0)
    return;
  if (object->end != NULL)
    object->end(session, object);
  else
    vocl_service_object_free(session, object);
}

void vocl_service_object_forget(struct vocl_service *session, struct vocl_service_object *object)
{
  void **place = vocl_number_place(&session->objects, object->number);
  if (place == NULL || *place != object)
    return;
  *place = NULL;
  vocl_service_object_unref(session, object);
}

void vocl_service_object_replace(struct vocl_service *session, struct vocl_service_object *object,
                                 struct vocl_service_object *by)
{
  *vocl_number_place(&session->objects, object->number) = by;
  vocl_service_object_unref(session, object);
}

void *vocl_service_device(struct vocl_service *session, uint32_t number)
{
  const struct vocl_found_device *devices = NULL;
  const size_t count = vocl_vendor_devices(&devices);
  cl_int code = CL_SUCCESS;
  if (number < VOCL_FIRST_OBJECT_NUMBER)
    return number < count ? devices[number].object : NULL;
  const struct vocl_service_object *object =
      vocl_service_object_resolve(session, number, VOCL_DEVICE, &code);
  return object != NULL ? object->native : NULL;
}

uint32_t vocl_service_device_number(struct vocl_service *session, const void *native)
{
  const struct vocl_found_device *devices = NULL;
  const size_t count = vocl_vendor_devices(&devices);
  for (size_t i = 0; i < count; i++)
    if (devices[i].object == native)
      return (uint32_t)i;
  uint32_t next = VOCL_FIRST_OBJECT_NUMBER;
  for (const struct vocl_service_object *object = NULL;
       (object = vocl_number_next(&session->objects, &next)) != NULL;)
    if (object->sort == VOCL_DEVICE && object->native == native)
      return object->number;
  return UINT32_MAX;
}

void **vocl_service_devices(struct vocl_service *session, const uint32_t *numbers, uint32_t count,
                            cl_int *code)
{
  void **devices = malloc((count + (size_t)1) * sizeof *devices);
  if (devices == NULL) {
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) {
    devices[i] = vocl_service_device(session, numbers[i]);
    if (devices[i] != NULL)
      continue;
    *code = CL_INVALID_DEVICE;
    free(devices);
    return NULL;
  }
  return devices;
}

void vocl_service_drop_all(struct vocl_service *session)
{
  uint32_t next = 0;
  for (struct vocl_service_object *object = NULL;
       (object = vocl_number_next(&session->objects, &next)) != NULL;)
    vocl_service_object_forget(session, object);
  vocl_numbers_clear(&session->objects);
}
