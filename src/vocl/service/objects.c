/* What the program's numbers mean: a table of pages, and how objects begin and end. */
#include "service/session.h"

#include <stdlib.h>
#include <string.h>

/* What a call says that is given no such thing. */
static const cl_int invalid[CWI_SORTS] = {
    [CWI_CONTEXT] = CL_INVALID_CONTEXT,
    [CWI_QUEUE] = CL_INVALID_COMMAND_QUEUE,
    [CWI_BUFFER] = CL_INVALID_MEM_OBJECT,
    [CWI_SUB_BUFFER] = CL_INVALID_MEM_OBJECT,
    [CWI_IMAGE] = CL_INVALID_MEM_OBJECT,
    [CWI_SAMPLER] = CL_INVALID_SAMPLER,
    [CWI_SOURCE_PROGRAM] = CL_INVALID_PROGRAM,
    [CWI_BINARY_PROGRAM] = CL_INVALID_PROGRAM,
    [CWI_BUILT_IN_PROGRAM] = CL_INVALID_PROGRAM,
    [CWI_KERNEL] = CL_INVALID_KERNEL,
    [CWI_USER_EVENT] = CL_INVALID_EVENT,
    [CWI_EVENT] = CL_INVALID_EVENT,
    [CWI_DEVICE] = CL_INVALID_DEVICE,
};

static struct cwi_service_object **place_of(struct cwi_service *session, uint32_t number)
{
  struct cwi_service_object **page =
      number < CWI_NUMBERS ? session->pages[number / CWI_SERVICE_PAGE] : NULL;
  return page != NULL ? &page[number % CWI_SERVICE_PAGE] : NULL;
}

struct cwi_service_object *cwi_service_find(struct cwi_service *session, uint32_t number)
{
  struct cwi_service_object **place = place_of(session, number);
  return place != NULL ? *place : NULL;
}

void *cwi_service_enter(struct cwi_service *session, enum cwi_sort sort, uint32_t number,
                        size_t bytes)
{
  if (number == 0 || number >= CWI_NUMBERS || cwi_service_find(session, number) != NULL)
    return NULL;
  struct cwi_service_object ***page = &session->pages[number / CWI_SERVICE_PAGE];
  if (*page == NULL)
    *page = calloc(CWI_SERVICE_PAGE, sizeof **page);
  struct cwi_service_object *object = *page != NULL ? calloc(1, bytes) : NULL;
  if (object == NULL)
    return NULL;
  *object = (struct cwi_service_object){
      .sort = sort, .number = number, .held = 1, .code = invalid[sort], .birth = ++session->birth};
  (*page)[number % CWI_SERVICE_PAGE] = object;
  cwi_service_count(&session->counts->objects, 1);
  return object;
}

/* Sorts that are one to those who ask. */
static enum cwi_sort family(enum cwi_sort sort)
{
  if (sort == CWI_SUB_BUFFER || sort == CWI_IMAGE)
    return CWI_BUFFER;
  return sort == CWI_BINARY_PROGRAM || sort == CWI_BUILT_IN_PROGRAM ? CWI_SOURCE_PROGRAM : sort;
}

struct cwi_service_object *cwi_service_resolve(struct cwi_service *session, uint32_t number,
                                               enum cwi_sort sort, cl_int *code)
{
  struct cwi_service_object *object = cwi_service_find(session, number);
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

void cwi_service_hold(struct cwi_service_object *object)
{
  object->held++;
}

void cwi_service_object_free(struct cwi_service *session, struct cwi_service_object *object)
{
  if (object->native != NULL && !object->is_coming)
    cwi_native_drop(object->sort, object->native);
  if (object->tells_end)
    cwi_service_deleted_notice(NULL, cwi_service_notice_data(session, object->number));
  if (family(object->sort) == CWI_BUFFER)
    cwi_service_count(&session->counts->device_bytes,
                      -(uint64_t)((struct cwi_service_memory *)object)->counted);
  cwi_service_count(&session->counts->objects, (uint64_t)-1);
  free(object);
}

void cwi_service_let_go(struct cwi_service *session, struct cwi_service_object *object)
{
  if (--object->held > 0)
    return;
  if (object->end != NULL)
    object->end(session, object);
  else
    cwi_service_object_free(session, object);
}

void cwi_service_forget(struct cwi_service *session, struct cwi_service_object *object)
{
  struct cwi_service_object **place = place_of(session, object->number);
  if (place == NULL || *place != object)
    return;
  *place = NULL;
  cwi_service_let_go(session, object);
}

void cwi_service_replace(struct cwi_service *session, struct cwi_service_object *object,
                         struct cwi_service_object *by)
{
  *place_of(session, object->number) = by;
  cwi_service_let_go(session, object);
}

void *cwi_service_device(struct cwi_service *session, uint32_t number)
{
  const struct cwi_found_device *devices = NULL;
  const size_t count = cwi_vendor_devices(&devices);
  cl_int code = CL_SUCCESS;
  if (number < CWI_FIRST_NUMBER)
    return number < count ? devices[number].object : NULL;
  const struct cwi_service_object *object = cwi_service_resolve(session, number, CWI_DEVICE, &code);
  return object != NULL ? object->native : NULL;
}

uint32_t cwi_service_device_number(struct cwi_service *session, const void *native)
{
  const struct cwi_found_device *devices = NULL;
  const size_t count = cwi_vendor_devices(&devices);
  for (size_t i = 0; i < count; i++)
    if (devices[i].object == native)
      return (uint32_t)i;
  for (uint32_t number = CWI_FIRST_NUMBER; number < CWI_NUMBERS; number++) {
    if (session->pages[number / CWI_SERVICE_PAGE] == NULL) {
      number |= CWI_SERVICE_PAGE - 1;
      continue;
    }
    const struct cwi_service_object *object = cwi_service_find(session, number);
    if (object != NULL && object->sort == CWI_DEVICE && object->native == native)
      return number;
  }
  return UINT32_MAX;
}

void **cwi_service_devices(struct cwi_service *session, const uint32_t *numbers, uint32_t count,
                           cl_int *code)
{
  void **devices = malloc((count + (size_t)1) * sizeof *devices);
  if (devices == NULL) {
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  for (uint32_t i = 0; i < count; i++) {
    devices[i] = cwi_service_device(session, numbers[i]);
    if (devices[i] != NULL)
      continue;
    *code = CL_INVALID_DEVICE;
    free(devices);
    return NULL;
  }
  return devices;
}

void cwi_service_drop_all(struct cwi_service *session)
{
  for (size_t i = 0; i < sizeof session->pages / sizeof *session->pages; i++) {
    for (size_t j = 0; session->pages[i] != NULL && j < CWI_SERVICE_PAGE; j++)
      if (session->pages[i][j] != NULL)
        cwi_service_forget(session, session->pages[i][j]);
    free(session->pages[i]);
    session->pages[i] = NULL;
  }
}
