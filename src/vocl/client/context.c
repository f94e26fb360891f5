/* Contexts: made of any devices. */
#include "client/device.h"
#include "client/entries.h"
#include "client/platform.h"

#include <stdlib.h>

struct cwi_context_end {
  struct cwi_context_end *next;
  void(CL_CALLBACK *function)(cl_context, void *);
  void *data;
};

static void context_end(struct cwi_handle *handle)
{
  struct cwi_cl_context *context = (struct cwi_cl_context *)handle;
  while (context->notices != NULL) {
    struct cwi_context_end *notice = context->notices;
    context->notices = notice->next;
    notice->function((cl_context)(void *)context, notice->data);
    free(notice);
  }
  const cl_device_id *devices = context->devices.bytes;
  for (cl_uint i = 0; i < context->device_count; i++)
    cwi_handle_let_go((struct cwi_handle *)(void *)devices[i]);
  free(context->devices.bytes);
  free(context->properties.bytes);
}

static struct cwi_objects context_objects = CWI_OBJECTS(struct cwi_cl_context);
const struct cwi_kind cwi_kind_context = {&context_objects, CWI_CONTEXT, CL_INVALID_CONTEXT, NULL,
                                          context_end};

/* Without the platform, which is ours: the executor adds the vendor's. room: as long as the list.
 */
static void context_without_platform(const cl_context_properties *properties,
                                     cl_context_properties *room)
{
  for (; properties != NULL && *properties != 0; properties += 2) {
    if (*properties == CL_CONTEXT_PLATFORM)
      continue;
    *room++ = properties[0];
    *room++ = properties[1];
  }
  *room = 0;
}

/* Keep what the program may ask for. False: no memory. */
static bool context_remember(struct cwi_cl_context *context, const cl_device_id *devices,
                             cl_uint count, const cl_context_properties *properties, size_t words)
{
  if (!cwi_blob_copy(&context->devices, devices, count * sizeof *devices) ||
      !cwi_blob_copy(&context->properties, properties, words * sizeof *properties))
    return false;
  context->device_count = count;
  for (cl_uint i = 0; i < count; i++) {
    struct cwi_cl_device *device = (struct cwi_cl_device *)(void *)devices[i];
    cwi_handle_hold(&device->handle);
    context->vendor =
        i == 0 || device->vendor == context->vendor ? device->vendor : CWI_VENDORS_MIXED;
  }
  return true;
}

/* Whose the devices are. NULL: no memory. */
static unsigned *context_vendors(struct cwi_cl_device *const *devices, cl_uint count)
{
  unsigned *vendors = malloc(count * sizeof *vendors);
  for (cl_uint i = 0; vendors != NULL && i < count; i++)
    vendors[i] = devices[i]->vendor;
  return vendors;
}

static cl_int context_check_devices(const cl_device_id *devices, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_cl_device *device = cwi_device_find(devices[i]);
    if (device == NULL)
      return CL_INVALID_DEVICE;
  }
  return CL_SUCCESS;
}

static cl_int context_make(const cl_context_properties *properties, const cl_device_id *devices,
                           cl_uint count, struct cwi_making *making,
                           struct cwi_cl_context **context)
{
  enum { MOST_WORDS = 8 };
  cl_context_properties others[MOST_WORDS];
  size_t words = 0;
  cl_int code = cwi_platform_check(properties, &words);
  if (code != CL_SUCCESS)
    return code;
  code = context_check_devices(devices, count);
  if (code != CL_SUCCESS)
    return code;
  struct cwi_list list;
  unsigned *vendors = context_vendors((struct cwi_cl_device *const *)(const void *)devices, count);
  code = vendors != NULL ? cwi_list_begin(&list, &cwi_kind_device, count, devices)
                         : CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS) {
    free(vendors);
    return code;
  }
  context_without_platform(properties, others);
  making->sort = CWI_CONTEXT;
  making->properties = others;
  making->device_count = count;
  making->devices = list.objects;
  making->vendors = vendors;
  *context = cwi_handle_make(&cwi_kind_context, making, &code);
  cwi_list_end(&list);
  free(vendors);
  if (*context != NULL && !context_remember(*context, devices, count, properties, words)) {
    cwi_handle_let_go(&(*context)->handle);
    code = CL_OUT_OF_HOST_MEMORY;
  }
  return code;
}

cl_context cwi_clCreateContext(const cl_context_properties *properties, cl_uint count,
                               const cl_device_id *devices, cwi_context_notice notice, void *data,
                               cl_int *errcode_ret)
{
  struct cwi_making making = {.notice = notice, .notice_data = data};
  struct cwi_cl_context *context = NULL;
  cl_int code = CL_INVALID_VALUE;
  if (devices != NULL && count > 0 && (notice != NULL || data == NULL))
    code = context_make(properties, devices, count, &making, &context);
  return cwi_created(context, code, errcode_ret);
}

/* OpenCL lets us choose among the devices that match. A vendor's platform has his own ones: so has
 * this context, wherever they are, at as many sites as it can have. Those of a site follow each
 * other. */
static cl_uint context_choose(cl_device_type type, cl_device_id *chosen, size_t most)
{
  struct cwi_cl_device *const *devices = NULL;
  const size_t total = cwi_devices(&devices);
  cl_uint count = 0, sites = 0;
  const struct cwi_cl_device *first = NULL, *last = NULL;
  for (size_t i = 0; i < total && count < most; i++) {
    if (!cwi_device_matches(devices[i], type) ||
        (first != NULL && !cwi_device_shares_vendor(devices[i], first)))
      continue;
    sites += last == NULL || devices[i]->vendor != last->vendor;
    if (sites > CWI_CONTEXT_SITES)
      break;
    first = first != NULL ? first : devices[i];
    last = devices[i];
    chosen[count++] = (cl_device_id)(void *)devices[i];
  }
  return count;
}

/* How many of them are at the first one's site. */
static cl_uint context_first_site(const cl_device_id *chosen, cl_uint count)
{
  struct cwi_cl_device *const *devices = (struct cwi_cl_device *const *)(const void *)chosen;
  cl_uint its = 0;
  while (its < count && devices[its]->vendor == devices[0]->vendor)
    its++;
  return its;
}

/* A site may be lost, or have no room for a session: then the first one's devices must do. */
static cl_int context_make_of_type(const cl_context_properties *properties, cl_device_type type,
                                   struct cwi_making *making, struct cwi_cl_context **context)
{
  enum { MOST_CHOSEN = 64 };
  cl_device_id chosen[MOST_CHOSEN];
  const cl_uint count = context_choose(type, chosen, MOST_CHOSEN);
  if (count == 0)
    return CL_DEVICE_NOT_FOUND;
  const cl_uint first = context_first_site(chosen, count);
  const cl_int code = context_make(properties, chosen, count, making, context);
  return code == CL_SUCCESS || first == count
             ? code
             : context_make(properties, chosen, first, making, context);
}

cl_context cwi_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                       cwi_context_notice notice, void *data, cl_int *errcode_ret)
{
  struct cwi_making making = {.notice = notice, .notice_data = data};
  struct cwi_cl_context *context = NULL;
  size_t words = 0;
  cl_int code = cwi_platform_check(properties, &words);
  if (code == CL_SUCCESS)
    code = notice == NULL && data != NULL ? CL_INVALID_VALUE : cwi_device_check_type(type);
  if (code == CL_SUCCESS)
    code = context_make_of_type(properties, type, &making, &context);
  return cwi_created(context, code, errcode_ret);
}

cl_int cwi_clGetContextInfo(cl_context context, cl_context_info what, size_t size, void *value,
                            size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_COUNT(CL_CONTEXT_REFERENCE_COUNT),
      CWI_ANSWER_FIELD(CL_CONTEXT_NUM_DEVICES, cwi_cl_context, device_count),
      CWI_ANSWER_BLOB(CL_CONTEXT_DEVICES, cwi_cl_context, devices),
      CWI_ANSWER_BLOB(CL_CONTEXT_PROPERTIES, cwi_cl_context, properties),
  };
  static const struct cwi_query_table answers = {&cwi_kind_context, 0, sizeof rows / sizeof *rows,
                                                 rows};
  return cwi_query_answer(&answers, context, what, &(struct cwi_asker){size, value, size_ret});
}

cl_int cwi_clSetContextDestructorCallback(cl_context handle,
                                          void(CL_CALLBACK *function)(cl_context, void *),
                                          void *data)
{
  struct cwi_cl_context *context = cwi_context_find(handle);
  if (context == NULL)
    return CL_INVALID_CONTEXT;
  if (function == NULL)
    return CL_INVALID_VALUE;
  struct cwi_context_end *notice = malloc(sizeof *notice);
  if (notice == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  *notice = (struct cwi_context_end){context->notices, function, data};
  while (!__atomic_compare_exchange_n(&context->notices, &notice->next, notice, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  return CL_SUCCESS;
}
