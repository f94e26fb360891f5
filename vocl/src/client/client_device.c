/* Devices and sub-devices. */
#include "client/client_device.h"

#include "client/client_entries.h"
#include "client/client_platform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 4096 };

static struct vocl_cl_device *all[MOST_DEVICES];
static size_t all_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void device_end(struct vocl_handle *handle)
{
  struct vocl_cl_device *device = (struct vocl_cl_device *)handle;
  vocl_facts_free(device->facts);
  if (device->parent != NULL)
    vocl_handle_unref(&device->parent->handle);
}

static struct cwi_objects device_objects = CWI_OBJECTS(struct vocl_cl_device);
const struct vocl_kind vocl_kind_device = {&device_objects, VOCL_DEVICE, CL_INVALID_DEVICE, NULL,
                                           device_end};

static struct vocl_cl_device *device_new(void *object, unsigned vendor,
                                         struct vocl_cl_device *parent)
{
  struct vocl_facts *facts = vocl_executor_describe(object);
  struct vocl_cl_device *device = facts != NULL ? vocl_handle_new(&vocl_kind_device, object) : NULL;
  if (device == NULL) {
    if (facts != NULL)
      vocl_facts_free(facts);
    return NULL;
  }
  device->facts = facts;
  device->vendor = vendor;
  device->parent = parent;
  device->platform = vocl_platform();
  if (parent != NULL)
    vocl_handle_ref(&parent->handle);
  return device;
}

static void devices_add(const struct vocl_found_device *found, size_t count)
{
  for (size_t i = 0; i < count && all_count < MOST_DEVICES; i++) {
    all[all_count] = device_new(found[i].object, found[i].vendor, NULL);
    all_count += all[all_count] != NULL;
  }
}

/* Finds all devices; those that this process accesses itself come first. */
static void devices_find(void)
{
  const struct vocl_found_device *found = NULL;
  const size_t local = vocl_local_devices(&found);
  all_count = 0; /* in a child of a fork during the first call, the search starts again */
  devices_add(found, local);
  const size_t remote = vocl_remote_devices(&found);
  devices_add(found, remote);
}

size_t vocl_devices(struct vocl_cl_device *const **devices)
{
  pthread_once(&once, devices_find);
  *devices = all;
  return all_count;
}

static cl_device_type device_type(const struct vocl_cl_device *device)
{
  const struct vocl_fact *fact = vocl_fact_find(device->facts, CL_DEVICE_TYPE);
  return fact != NULL ? *(const cl_device_type *)fact->value : 0;
}

bool vocl_device_matches(const struct vocl_cl_device *device, cl_device_type type)
{
  const cl_device_type own = device_type(device) & ~(cl_device_type)CL_DEVICE_TYPE_DEFAULT;
  if (type == CL_DEVICE_TYPE_ALL)
    return (own & CL_DEVICE_TYPE_CUSTOM) == 0;
  return (own & type) != 0 || ((type & CL_DEVICE_TYPE_DEFAULT) != 0 && device == all[0]);
}

bool vocl_device_shares_vendor(const struct vocl_cl_device *device,
                               const struct vocl_cl_device *other)
{
  const struct vocl_fact *mine = vocl_fact_find(device->facts, CL_DEVICE_VENDOR);
  const struct vocl_fact *theirs = vocl_fact_find(other->facts, CL_DEVICE_VENDOR);
  return device->vendor == other->vendor ||
         (mine != NULL && theirs != NULL && mine->size == theirs->size &&
          memcmp(mine->value, theirs->value, mine->size) == 0);
}

cl_int vocl_device_check_type(cl_device_type type)
{
  const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  if (type == CL_DEVICE_TYPE_ALL || ((type & known) != 0 && (type & ~known) == 0))
    return CL_SUCCESS;
  return CL_INVALID_DEVICE_TYPE;
}

cl_int vocl_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint most,
                           cl_device_id *devices, cl_uint *count)
{
  if (platform != vocl_platform())
    return CL_INVALID_PLATFORM;
  if (vocl_device_check_type(type) != CL_SUCCESS)
    return CL_INVALID_DEVICE_TYPE;
  if ((most == 0 && devices != NULL) || (devices == NULL && count == NULL))
    return CL_INVALID_VALUE;
  struct vocl_cl_device *const *each = NULL;
  const size_t total = vocl_devices(&each);
  cl_uint matching = 0;
  for (size_t i = 0; i < total; i++) {
    if (!vocl_device_matches(each[i], type))
      continue;
    if (devices != NULL && matching < most)
      devices[matching] = (cl_device_id)(void *)each[i];
    matching++;
  }
  if (count != NULL)
    *count = matching;
  return matching > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_int vocl_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                            size_t *size_ret)
{
  static const struct vocl_query_row rows[] = {
      VOCL_ANSWER_FIELD(CL_DEVICE_PLATFORM, vocl_cl_device, platform),
      VOCL_ANSWER_FIELD(CL_DEVICE_PARENT_DEVICE, vocl_cl_device, parent),
      VOCL_ANSWER_COUNT(CL_DEVICE_REFERENCE_COUNT),
  };
  static const struct vocl_query_table answers = {&vocl_kind_device, 0, sizeof rows / sizeof *rows,
                                                  rows};
  const struct vocl_query_result result = {size, value, size_ret};
  const struct vocl_cl_device *device = vocl_device_find(id);
  const struct vocl_fact *fact = device != NULL ? vocl_fact_find(device->facts, what) : NULL;
  return fact != NULL ? vocl_query_result_set(&result, fact->value, fact->size)
                      : vocl_query_answer(&answers, id, what, &result);
}

cl_int vocl_clRetainDevice(cl_device_id id)
{
  const struct vocl_cl_device *device = vocl_device_find(id);
  return device != NULL && device->parent == NULL ? CL_SUCCESS
                                                  : vocl_handle_retain(&vocl_kind_device, id);
}

cl_int vocl_clReleaseDevice(cl_device_id id)
{
  const struct vocl_cl_device *device = vocl_device_find(id);
  return device != NULL && device->parent == NULL ? CL_SUCCESS
                                                  : vocl_handle_release(&vocl_kind_device, id);
}

/* Makes handles for `count` sub-devices. If there is no memory, drops the objects that have no
 * handle yet. */
static cl_int device_wrap(struct vocl_cl_device *parent, void **objects, cl_uint count,
                          cl_device_id *devices)
{
  for (cl_uint i = 0; i < count; i++) {
    struct vocl_cl_device *device = device_new(objects[i], parent->vendor, parent);
    if (device == NULL) {
      while (i < count)
        vocl_executor_drop(VOCL_DEVICE, objects[i++]);
      return CL_OUT_OF_HOST_MEMORY;
    }
    devices[i] = (cl_device_id)(void *)device;
  }
  return CL_SUCCESS;
}

cl_int vocl_clCreateSubDevices(cl_device_id id, const cl_device_partition_property *properties,
                               cl_uint most, cl_device_id *devices, cl_uint *count)
{
  struct vocl_cl_device *parent = vocl_device_find(id);
  if (parent == NULL)
    return CL_INVALID_DEVICE;
  if (properties == NULL || (devices == NULL && count == NULL))
    return CL_INVALID_VALUE;
  cl_uint total = 0;
  cl_int code = vocl_executor_make_sub_devices(parent->handle.object, properties, 0, NULL, &total);
  if (count != NULL)
    *count = total;
  if (code != CL_SUCCESS || devices == NULL)
    return code;
  if (most < total)
    return CL_INVALID_VALUE;
  void **objects = calloc(total, sizeof *objects);
  if (objects == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  code = vocl_executor_make_sub_devices(parent->handle.object, properties, total, objects, NULL);
  if (code == CL_SUCCESS)
    code = device_wrap(parent, objects, total, devices);
  free(objects);
  return code;
}
