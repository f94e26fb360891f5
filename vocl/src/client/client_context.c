/* Contexts. They may have any devices. */
#include "client/client_device.h"
#include "client/client_entries.h"
#include "client/client_platform.h"

#include <stdlib.h>

struct vocl_context_callback {
  struct vocl_context_callback *next;
  void(CL_CALLBACK *function)(cl_context, void *);
  void *data;
};

static void context_end(struct vocl_handle *handle)
{
  struct vocl_cl_context *context = (struct vocl_cl_context *)handle;
  while (context->notices != NULL) {
    struct vocl_context_callback *notice = context->notices;
    context->notices = notice->next;
    notice->function((cl_context)(void *)context, notice->data);
    free(notice);
  }
  const cl_device_id *devices = context->devices.bytes;
  for (cl_uint i = 0; i < context->device_count; i++)
    vocl_handle_unref((struct vocl_handle *)(void *)devices[i]);
  free(context->devices.bytes);
  free(context->properties.bytes);
}

static struct cwi_objects context_objects = CWI_OBJECTS(struct vocl_cl_context);
const struct vocl_kind vocl_kind_context = {&context_objects, VOCL_CONTEXT, CL_INVALID_CONTEXT,
                                            NULL, context_end};

/* Copies the properties except the platform, because the executor adds the vendor's platform.
 * `space` is at least as long as the list. */
static void context_without_platform(const cl_context_properties *properties,
                                     cl_context_properties *space)
{
  for (; properties != NULL && *properties != 0; properties += 2) {
    if (*properties == CL_CONTEXT_PLATFORM)
      continue;
    *space++ = properties[0];
    *space++ = properties[1];
  }
  *space = 0;
}

/* Stores the devices and the properties, which the program may query. Returns false if there is no
 * memory. */
static bool context_remember(struct vocl_cl_context *context, const cl_device_id *devices,
                             cl_uint count, const cl_context_properties *properties, size_t words)
{
  if (!vocl_blob_copy(&context->devices, devices, count * sizeof *devices) ||
      !vocl_blob_copy(&context->properties, properties, words * sizeof *properties))
    return false;
  context->device_count = count;
  for (cl_uint i = 0; i < count; i++) {
    struct vocl_cl_device *device = (struct vocl_cl_device *)(void *)devices[i];
    vocl_handle_ref(&device->handle);
    context->vendor =
        i == 0 || device->vendor == context->vendor ? device->vendor : VOCL_VENDORS_MIXED;
  }
  return true;
}

/* Returns the vendors of the devices, or NULL if there is no memory. The caller frees the array. */
static unsigned *context_vendors(struct vocl_cl_device *const *devices, cl_uint count)
{
  unsigned *vendors = malloc(count * sizeof *vendors);
  for (cl_uint i = 0; vendors != NULL && i < count; i++)
    vendors[i] = devices[i]->vendor;
  return vendors;
}

static cl_int context_check_devices(const cl_device_id *devices, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_cl_device *device = vocl_device_find(devices[i]);
    if (device == NULL)
      return CL_INVALID_DEVICE;
  }
  return CL_SUCCESS;
}

static cl_int context_make(const cl_context_properties *properties, const cl_device_id *devices,
                           cl_uint count, struct vocl_making *making,
                           struct vocl_cl_context **context)
{
  enum { MOST_WORDS = 8 };
  cl_context_properties others[MOST_WORDS];
  size_t words = 0;
  cl_int code = vocl_platform_check(properties, &words);
  if (code != CL_SUCCESS)
    return code;
  code = context_check_devices(devices, count);
  if (code != CL_SUCCESS)
    return code;
  struct vocl_handle_list list;
  unsigned *vendors = context_vendors((struct vocl_cl_device *const *)(const void *)devices, count);
  code = vendors != NULL ? vocl_handle_list_begin(&list, &vocl_kind_device, count, devices)
                         : CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS) {
    free(vendors);
    return code;
  }
  context_without_platform(properties, others);
  making->sort = VOCL_CONTEXT;
  making->properties = others;
  making->device_count = count;
  making->devices = list.objects;
  making->vendors = vendors;
  *context = vocl_handle_make(&vocl_kind_context, making, &code);
  vocl_handle_list_end(&list);
  free(vendors);
  if (*context != NULL && !context_remember(*context, devices, count, properties, words)) {
    vocl_handle_unref(&(*context)->handle);
    code = CL_OUT_OF_HOST_MEMORY;
  }
  return code;
}

cl_context vocl_clCreateContext(const cl_context_properties *properties, cl_uint count,
                                const cl_device_id *devices, vocl_context_function notice,
                                void *data, cl_int *errcode_ret)
{
  struct vocl_making making = {.notice = notice, .notice_data = data};
  struct vocl_cl_context *context = NULL;
  cl_int code = CL_INVALID_VALUE;
  if (devices != NULL && count > 0 && (notice != NULL || data == NULL))
    code = context_make(properties, devices, count, &making, &context);
  return vocl_return_created(context, code, errcode_ret);
}

/* Chooses the devices of a context that is made for a device type. OpenCL allows any choice of
 * matching devices. This function chooses devices of one vendor, as a vendor's platform would, but
 * from all machines. It stops at the maximum number of locations. The devices of one location are
 * consecutive. */
static cl_uint context_choose(cl_device_type type, cl_device_id *chosen, size_t most)
{
  struct vocl_cl_device *const *devices = NULL;
  const size_t total = vocl_devices(&devices);
  cl_uint count = 0, locations = 0;
  const struct vocl_cl_device *first = NULL, *last = NULL;
  for (size_t i = 0; i < total && count < most; i++) {
    if (!vocl_device_matches(devices[i], type) ||
        (first != NULL && !vocl_device_shares_vendor(devices[i], first)))
      continue;
    locations += last == NULL || devices[i]->vendor != last->vendor;
    if (locations > VOCL_CONTEXT_LOCATIONS)
      break;
    first = first != NULL ? first : devices[i];
    last = devices[i];
    chosen[count++] = (cl_device_id)(void *)devices[i];
  }
  return count;
}

/* Returns the number of devices at the location of the first one. */
static cl_uint context_first_location(const cl_device_id *chosen, cl_uint count)
{
  struct vocl_cl_device *const *devices = (struct vocl_cl_device *const *)(const void *)chosen;
  cl_uint its = 0;
  while (its < count && devices[its]->vendor == devices[0]->vendor)
    its++;
  return its;
}

/* Makes a context for a device type. If that fails, for example because a location is lost or has
 * no space for a session, makes it with the devices of the first location only. */
static cl_int context_make_of_type(const cl_context_properties *properties, cl_device_type type,
                                   struct vocl_making *making, struct vocl_cl_context **context)
{
  enum { MOST_CHOSEN = 64 };
  cl_device_id chosen[MOST_CHOSEN];
  const cl_uint count = context_choose(type, chosen, MOST_CHOSEN);
  if (count == 0)
    return CL_DEVICE_NOT_FOUND;
  const cl_uint first = context_first_location(chosen, count);
  const cl_int code = context_make(properties, chosen, count, making, context);
  return code == CL_SUCCESS || first == count
             ? code
             : context_make(properties, chosen, first, making, context);
}

cl_context vocl_clCreateContextFromType(const cl_context_properties *properties,
                                        cl_device_type type, vocl_context_function notice,
                                        void *data, cl_int *errcode_ret)
{
  struct vocl_making making = {.notice = notice, .notice_data = data};
  struct vocl_cl_context *context = NULL;
  size_t words = 0;
  cl_int code = vocl_platform_check(properties, &words);
  if (code == CL_SUCCESS)
    code = notice == NULL && data != NULL ? CL_INVALID_VALUE : vocl_device_check_type(type);
  if (code == CL_SUCCESS)
    code = context_make_of_type(properties, type, &making, &context);
  return vocl_return_created(context, code, errcode_ret);
}

cl_int vocl_clGetContextInfo(cl_context context, cl_context_info what, size_t size, void *value,
                             size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_COUNT(CL_CONTEXT_REFERENCE_COUNT),
      VOCL_ANSWER_FIELD(CL_CONTEXT_NUM_DEVICES, vocl_cl_context, device_count),
      VOCL_ANSWER_BLOB(CL_CONTEXT_DEVICES, vocl_cl_context, devices),
      VOCL_ANSWER_BLOB(CL_CONTEXT_PROPERTIES, vocl_cl_context, properties),
  };
  static const struct vocl_query_table answers = {&vocl_kind_context, 0, sizeof rows / sizeof *rows,
                                                  rows};
  return vocl_query_answer(&answers, context, what,
                           &(struct vocl_query_result){size, value, size_ret});
}

cl_int vocl_clSetContextDestructorCallback(cl_context handle,
                                           void(CL_CALLBACK *function)(cl_context, void *),
                                           void *data)
{
  struct vocl_cl_context *context = vocl_context_find(handle);
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  if (function == NULL)
    return CL_INVALID_VALUE;
  struct vocl_context_callback *notice = malloc(sizeof *notice);
  if (notice == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *notice = (struct vocl_context_callback){context->notices, function, data};
  while (!__atomic_compare_exchange_n(&context->notices, &notice->next, notice, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  return CL_SUCCESS;
}
