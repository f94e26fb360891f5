/* Devices and their parts, for programs that look for them and ask them. */
#include "client/device.h"

#include "client/entries.h"
#include "client/platform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 4096 };

static struct cwi_cl_device *all[MOST_DEVICES];
static size_t all_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void device_end(struct cwi_handle *handle)
{
  struct cwi_cl_device *device = (struct cwi_cl_device *)handle;
  cwi_facts_free(device->facts);
  if (device->parent != NULL)
    cwi_handle_let_go(&device->parent->handle);
}

static struct cwi_objects device_objects = CWI_OBJECTS(struct cwi_cl_device);
const struct cwi_kind cwi_kind_device = {&device_objects, CWI_DEVICE, CL_INVALID_DEVICE, NULL,
                                         device_end};

static struct cwi_cl_device *device_new(void *object, unsigned vendor, struct cwi_cl_device *parent)
{
  struct cwi_facts *facts = cwi_executor_describe(object);
  struct cwi_cl_device *device = facts != NULL ? cwi_handle_new(&cwi_kind_device, object) : NULL;
  if (device == NULL) {
    if (facts != NULL)
      cwi_facts_free(facts);
    return NULL;
  }
  device->facts = facts;
  device->vendor = vendor;
  device->parent = parent;
  device->platform = cwi_platform();
  if (parent != NULL)
    cwi_handle_hold(&parent->handle);
  return device;
}

static void devices_add(const struct cwi_found_device *found, size_t count)
{
  for (size_t i = 0; i < count && all_count < MOST_DEVICES; i++) {
    all[all_count] = device_new(found[i].object, found[i].vendor, NULL);
    all_count += all[all_count] != NULL;
  }
}

/* Those that this process reaches itself come first. */
static void devices_find(void)
{
  const struct cwi_found_device *found = NULL;
  const size_t local = cwi_executor_devices(&found);
  all_count = 0; /* in a child of fork that was born meanwhile, this begins anew */
  devices_add(found, local);
  const size_t remote = cwi_remote_devices(&found);
  devices_add(found, remote);
}

size_t cwi_devices(struct cwi_cl_device *const **devices)
{
  pthread_once(&once, devices_find);
  *devices = all;
  return all_count;
}

static cl_device_type device_type(const struct cwi_cl_device *device)
{
  const struct cwi_fact *fact = cwi_fact_find(device->facts, CL_DEVICE_TYPE);
  return fact != NULL ? *(const cl_device_type *)fact->value : 0;
}

bool cwi_device_matches(const struct cwi_cl_device *device, cl_device_type type)
{
  const cl_device_type own = device_type(device) & ~(cl_device_type)CL_DEVICE_TYPE_DEFAULT;
  if (type == CL_DEVICE_TYPE_ALL)
    return (own & CL_DEVICE_TYPE_CUSTOM) == 0;
  return (own & type) != 0 || ((type & CL_DEVICE_TYPE_DEFAULT) != 0 && device == all[0]);
}

bool cwi_device_shares_vendor(const struct cwi_cl_device *device, const struct cwi_cl_device *other)
{
  const struct cwi_fact *mine = cwi_fact_find(device->facts, CL_DEVICE_VENDOR);
  const struct cwi_fact *theirs = cwi_fact_find(other->facts, CL_DEVICE_VENDOR);
  return device->vendor == other->vendor ||
         (mine != NULL && theirs != NULL && mine->size == theirs->size &&
          memcmp(mine->value, theirs->value, mine->size) == 0);
}

cl_int cwi_device_check_type(cl_device_type type)
{
  const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  if (type == CL_DEVICE_TYPE_ALL || ((type & known) != 0 && (type & ~known) == 0))
    return CL_SUCCESS;
  return CL_INVALID_DEVICE_TYPE;
}

cl_int cwi_clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint most,
                          cl_device_id *devices, cl_uint *count)
{
  if (platform != cwi_platform())
    return CL_INVALID_PLATFORM;
  if (cwi_device_check_type(type) != CL_SUCCESS)
    return CL_INVALID_DEVICE_TYPE;
  if ((most == 0 && devices != NULL) || (devices == NULL && count == NULL))
    return CL_INVALID_VALUE;
  struct cwi_cl_device *const *each = NULL;
  const size_t total = cwi_devices(&each);
  cl_uint matching = 0;
  for (size_t i = 0; i < total; i++) {
    if (!cwi_device_matches(each[i], type))
      continue;
    if (devices != NULL && matching < most)
      devices[matching] = (cl_device_id)(void *)each[i];
    matching++;
  }
  if (count != NULL)
    *count = matching;
  return matching > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

cl_int cwi_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                           size_t *size_ret)
{
  static const struct cwi_query_row rows[] = {
      CWI_ANSWER_FIELD(CL_DEVICE_PLATFORM, cwi_cl_device, platform),
      CWI_ANSWER_FIELD(CL_DEVICE_PARENT_DEVICE, cwi_cl_device, parent),
      CWI_ANSWER_COUNT(CL_DEVICE_REFERENCE_COUNT),
  };
  static const struct cwi_query_table answers = {&cwi_kind_device, 0, sizeof rows / sizeof *rows,
                                                 rows};
  const struct cwi_asker asker = {size, value, size_ret};
  const struct cwi_cl_device *device = cwi_device_find(id);
  const struct cwi_fact *fact = device != NULL ? cwi_fact_find(device->facts, what) : NULL;
  return fact != NULL ? cwi_query_give(&asker, fact->value, fact->size)
                      : cwi_query_answer(&answers, id, what, &asker);
}

cl_int cwi_clRetainDevice(cl_device_id id)
{
  const struct cwi_cl_device *device = cwi_device_find(id);
  return device != NULL && device->parent == NULL ? CL_SUCCESS
                                                  : cwi_handle_retain(&cwi_kind_device, id);
}

cl_int cwi_clReleaseDevice(cl_device_id id)
{
  const struct cwi_cl_device *device = cwi_device_find(id);
  return device != NULL && device->parent == NULL ? CL_SUCCESS
                                                  : cwi_handle_release(&cwi_kind_device, id);
}

/* Handles for the first `count`; all of the objects are dropped if there is no memory for one. */
static cl_int device_wrap(struct cwi_cl_device *parent, void **objects, cl_uint count,
                          cl_device_id *devices)
{
  for (cl_uint i = 0; i < count; i++) {
    struct cwi_cl_device *device = device_new(objects[i], parent->vendor, parent);
    if (device == NULL) {
      while (i < count)
        cwi_executor_drop(CWI_DEVICE, objects[i++]);
      return CL_OUT_OF_HOST_MEMORY;
    }
    devices[i] = (cl_device_id)(void *)device;
  }
  return CL_SUCCESS;
}

cl_int cwi_clCreateSubDevices(cl_device_id id, const cl_device_partition_property *properties,
                              cl_uint most, cl_device_id *devices, cl_uint *count)
{
  struct cwi_cl_device *parent = cwi_device_find(id);
  if (parent == NULL)
    return CL_INVALID_DEVICE;
  if (properties == NULL || (devices == NULL && count == NULL))
    return CL_INVALID_VALUE;
  cl_uint total = 0;
  cl_int code = cwi_executor_make_sub_devices(parent->handle.object, properties, 0, NULL, &total);
  if (count != NULL)
    *count = total;
  if (code != CL_SUCCESS || devices == NULL)
    return code;
  if (most < total)
    return CL_INVALID_VALUE;
  void **objects = calloc(total, sizeof *objects);
  if (objects == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  code = cwi_executor_make_sub_devices(parent->handle.object, properties, total, objects, NULL);
  if (code == CL_SUCCESS)
    code = device_wrap(parent, objects, total, devices);
  free(objects);
  return code;
}
