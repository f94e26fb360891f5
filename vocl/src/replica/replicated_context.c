/* Contexts and their locations, and the objects that have no memory: queues and samplers. */
#include "replica/replicated.h"

#include <stdlib.h>
#include <string.h>

/* --- devices --- */

const struct vocl_device_binding *
vocl_device_binding_of(const struct vocl_replicated_context *context, const void *given)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].given == given)
      return &context->devices[i];
  return NULL;
}

static uint32_t places_of(const struct vocl_replicated_context *context, void *const *devices,
                          cl_uint count)
{
  uint32_t locations = 0;
  for (cl_uint i = 0; i < context->device_count; i++)
    if (count == 0)
      locations |= 1u << context->devices[i].location;
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_device_binding *device = vocl_device_binding_of(context, devices[i]);
    if (device != NULL)
      locations |= 1u << device->location;
  }
  return locations;
}

uint32_t vocl_locations_of_devices(const struct vocl_replicated_context *context,
                                   void *const *devices, cl_uint count)
{
  const uint32_t locations = places_of(context, devices, count);
  const uint32_t alive = vocl_locations_alive(context, locations);
  return alive != 0 ? alive : locations;
}

cl_uint vocl_location_devices(const struct vocl_replicated_context *context, void *const *devices,
                              cl_uint count, uint32_t location, void **there)
{
  cl_uint known = 0;
  for (cl_uint i = 0; i < count; i++) {
    const struct vocl_device_binding *device = vocl_device_binding_of(context, devices[i]);
    if (device != NULL && device->location == location)
      there[known++] = device->device;
  }
  return known;
}

/* --- contexts --- */

/* Ends the queues for transfers, which do not reference the context while it lives. Releasing
 * them needs a reference on the context, so one is acquired, although the context is already
 * ending. */
static void transfer_queues_end(struct vocl_replicated_context *context)
{
  vocl_replicated_ref(context);
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX; location++)
    vocl_transfer_queue_end(context->transfer_queues[location]);
}

/* Removes the context from the list before transfer_queues_end acquires a reference: a thread
 * that goes through the list must not acquire another one then. */
static void context_leave(struct vocl_replicated *replicated)
{
  vocl_context_unregister((struct vocl_replicated_context *)replicated);
}

static void context_end(struct vocl_replicated *replicated)
{
  struct vocl_replicated_context *context = (struct vocl_replicated_context *)replicated;
  vocl_context_worker_stop(context);
  transfer_queues_end(context);
  pthread_mutex_destroy(&context->lock);
  pthread_mutex_destroy(&context->members_lock);
  pthread_mutex_destroy(&context->worker.pass_lock);
  vocl_freeze_destroy(&context->freeze);
  free(context->devices);
  free(context->properties);
}

static cl_int context_replica(struct vocl_replicated *replicated, uint32_t location, void **replica)
{
  const struct vocl_replicated_context *context =
      (const struct vocl_replicated_context *)replicated;
  void **there = malloc(context->device_count * sizeof *there);
  if (there == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  struct vocl_making making = {.sort = VOCL_CONTEXT,
                               .devices = there,
                               .properties = context->properties,
                               .notice = context->notice,
                               .notice_data = context->notice_data};
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].location == location)
      there[making.device_count++] = context->devices[i].device;
  const cl_int code = vocl_replica_make(&making, replica);
  free(there);
  return code;
}

static const struct vocl_replicated_kind replicated_contexts = {
    .sort = VOCL_CONTEXT,
    .bytes = sizeof(struct vocl_replicated_context),
    .replica = context_replica,
    .leave = context_leave,
    .end = context_end};

static cl_context_properties *properties_copy(const cl_context_properties *properties)
{
  size_t words = 0;
  while (properties != NULL && properties[words] != 0)
    words += 2;
  cl_context_properties *replica = calloc(words + 1, sizeof *replica);
  if (replica != NULL && words > 0)
    memcpy(replica, properties, words * sizeof *replica);
  return replica;
}

/* --- queues --- */

static cl_int queue_replica(struct vocl_replicated *replicated, uint32_t location, void **replica)
{
  const struct vocl_replicated_queue *queue = (const struct vocl_replicated_queue *)replicated;
  const struct vocl_device_binding *device =
      vocl_device_binding_of(replicated->context, queue->device);
  void *const devices[] = {device->device};
  cl_int code = CL_SUCCESS;
  const struct vocl_making making = {.sort = VOCL_QUEUE,
                                     .parent =
                                         vocl_replica_get(replicated->context, location, &code),
                                     .devices = devices,
                                     .flags = queue->flags};
  return code == CL_SUCCESS ? vocl_replica_make(&making, replica) : code;
}

static void queue_end(struct vocl_replicated *replicated)
{
  struct vocl_replicated_context *context = replicated->context;
  vocl_context_lock(context);
  struct vocl_replicated_queue **each = &context->queues;
  while (*each != (struct vocl_replicated_queue *)replicated)
    each = &(*each)->next;
  *each = (*each)->next;
  vocl_context_unlock(context);
}

const struct vocl_replicated_kind vocl_replicated_queue_kind = {
    .sort = VOCL_QUEUE,
    .bytes = sizeof(struct vocl_replicated_queue),
    .replica = queue_replica,
    .end = queue_end};

static cl_int places_queue_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_context *context = making->parent;
  struct vocl_replicated_queue *queue = vocl_replicated_new(&vocl_replicated_queue_kind, context);
  if (queue == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  queue->device = making->devices[0];
  queue->location = vocl_device_binding_of(context, queue->device)->location;
  queue->flags = making->flags;
  vocl_context_lock(context);
  queue->next = context->queues;
  context->queues = queue;
  vocl_context_unlock(context);
  *object = queue;
  return vocl_replicas_make(CL_SUCCESS, 1u << queue->location, object);
}

/* --- making contexts --- */

struct vocl_replicated_queue *vocl_transfer_queue_make(struct vocl_replicated_context *context,
                                                       const struct vocl_device_binding *device,
                                                       cl_int *code)
{
  void *transfer_queue = NULL;
  struct vocl_making making = {.sort = VOCL_QUEUE,
                               .parent = context,
                               .devices = &device->given,
                               .flags = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
  *code = places_queue_make(&making, &transfer_queue);
  if (*code != CL_SUCCESS) {
    making.flags = 0;
    *code = places_queue_make(&making, &transfer_queue);
  }
  if (transfer_queue != NULL)
    __atomic_fetch_sub(&context->replicated.refs, 1, __ATOMIC_RELAXED);
  return transfer_queue;
}

void vocl_transfer_queue_end(struct vocl_replicated_queue *transfer_queue)
{
  if (transfer_queue == NULL)
    return;
  vocl_replicated_ref(transfer_queue->replicated.context);
  vocl_replicated_unref(transfer_queue);
}

static cl_int transfer_queues_make(struct vocl_replicated_context *context)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < context->device_count && code == CL_SUCCESS; i++) {
    const struct vocl_device_binding *device = &context->devices[i];
    if (context->transfer_queues[device->location] == NULL)
      context->transfer_queues[device->location] = vocl_transfer_queue_make(context, device, &code);
  }
  return code;
}

static cl_ulong device_most(const struct vocl_device_binding *device)
{
  cl_ulong most = 0;
  struct vocl_facts *facts = vocl_executor_describe(device->device);
  const struct vocl_fact *fact =
      facts != NULL ? vocl_fact_find(facts, CL_DEVICE_MAX_MEM_ALLOC_SIZE) : NULL;
  if (fact != NULL && fact->size == sizeof most)
    memcpy(&most, fact->value, sizeof most);
  if (facts != NULL)
    vocl_facts_free(facts);
  return most;
}

void vocl_context_set_limits(struct vocl_replicated_context *context)
{
  context->most_allocated = UINT64_MAX;
  for (cl_uint i = 0; i < context->device_count; i++) {
    const cl_ulong most = device_most(&context->devices[i]);
    context->most_allocated = most < context->most_allocated ? most : context->most_allocated;
  }
}

/* Returns true if `device` already does the work of a device of the program at this location. */
static bool location_has(const struct vocl_replicated_context *context, uint32_t location,
                         const void *device)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].device == device && context->devices[i].location == location)
      return true;
  return false;
}

/* Finds or adds a location for a device of this vendor. A vendor's context can have a device
 * only once: if a move has bound two devices to the same one, each gets a location of its own.
 * Returns false if there are too many locations. */
static bool location_find(struct vocl_replicated_context *context, unsigned vendor,
                          const void *device, uint32_t *location)
{
  for (*location = 0; *location < context->location_count; (*location)++)
    if (context->vendors[*location] == vendor && !location_has(context, *location, device))
      return true;
  if (*location == VOCL_LOCATION_SPARE)
    return false;
  context->vendors[context->location_count++] = vendor;
  return true;
}

static cl_int context_place(struct vocl_replicated_context *context,
                            const struct vocl_making *making)
{
  context->properties = properties_copy(making->properties);
  context->devices = calloc(making->device_count, sizeof *context->devices);
  if (context->properties == NULL || context->devices == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  context->notice = making->notice;
  context->notice_data = making->notice_data;
  for (cl_uint i = 0; i < making->device_count; i++) {
    struct vocl_device_binding *device = &context->devices[context->device_count];
    unsigned vendor = making->vendors[i];
    if (vocl_device_binding_of(context, making->devices[i]) != NULL)
      continue; /* named twice by the program */
    device->given = making->devices[i];
    device->device = vocl_bound_device(device->given, &vendor);
    if (!location_find(context, vendor, device->device, &device->location))
      return CL_OUT_OF_RESOURCES;
    context->device_count++;
  }
  cl_int code = CL_SUCCESS;
  for (uint32_t location = 0; location < context->location_count && code == CL_SUCCESS; location++)
    vocl_replica_get(context, location, &code);
  if (code != CL_SUCCESS || context->location_count == 1)
    return code;
  vocl_context_set_limits(context);
  return transfer_queues_make(context);
}

static cl_int places_context_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_context *context = vocl_replicated_new(&replicated_contexts, NULL);
  if (context == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  pthread_mutex_init(&context->lock, NULL);
  pthread_mutex_init(&context->members_lock, NULL);
  pthread_mutex_init(&context->worker.pass_lock, NULL);
  vocl_freeze_init(&context->freeze);
  const cl_int code = context_place(context, making);
  if (code != CL_SUCCESS) {
    vocl_replicated_unref(context);
    return code;
  }
  vocl_context_register(context);
  *object = context;
  return CL_SUCCESS;
}

/* --- samplers --- */

static cl_int sampler_replica(struct vocl_replicated *replicated, uint32_t location, void **replica)
{
  const struct vocl_replicated_sampler *sampler =
      (const struct vocl_replicated_sampler *)replicated;
  cl_int code = CL_SUCCESS;
  const struct vocl_making making = {.sort = VOCL_SAMPLER,
                                     .parent =
                                         vocl_replica_get(replicated->context, location, &code),
                                     .normalized = sampler->normalized,
                                     .addressing = sampler->addressing,
                                     .filter = sampler->filter};
  return code == CL_SUCCESS ? vocl_replica_make(&making, replica) : code;
}

const struct vocl_replicated_kind vocl_replicated_sampler_kind = {
    .sort = VOCL_SAMPLER,
    .bytes = sizeof(struct vocl_replicated_sampler),
    .replica = sampler_replica,
    .objects = &vocl_replicated_sampler_list};

static cl_int places_sampler_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_sampler *sampler =
      vocl_replicated_new(&vocl_replicated_sampler_kind, making->parent);
  if (sampler == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  sampler->normalized = making->normalized;
  sampler->addressing = making->addressing;
  sampler->filter = making->filter;
  *object = sampler;
  return CL_SUCCESS;
}

/* --- making --- */

cl_int vocl_replicated_context_make(const struct vocl_making *making, void **object)
{
  switch (making->sort) {
  case VOCL_CONTEXT:
    return places_context_make(making, object);
  case VOCL_QUEUE:
    return places_queue_make(making, object);
  default:
    return vocl_replicas_make(places_sampler_make(making, object),
                              vocl_locations_of_devices(making->parent, NULL, 0), object);
  }
}
