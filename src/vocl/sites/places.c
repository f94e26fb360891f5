/* Contexts and their sites, and what a site has without memory: queues, samplers. */
#include "sites/site.h"

#include <stdlib.h>
#include <string.h>

/* --- devices --- */

const struct cwi_site_device *cwi_site_device_of(const struct cwi_sited_context *context,
                                                 const void *given)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].given == given)
      return &context->devices[i];
  return NULL;
}

static uint32_t places_of(const struct cwi_sited_context *context, void *const *devices,
                          cl_uint count)
{
  uint32_t sites = 0;
  for (cl_uint i = 0; i < context->device_count; i++)
    if (count == 0)
      sites |= 1u << context->devices[i].site;
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_site_device *device = cwi_site_device_of(context, devices[i]);
    if (device != NULL)
      sites |= 1u << device->site;
  }
  return sites;
}

uint32_t cwi_sites_to_ask(const struct cwi_sited_context *context, void *const *devices,
                          cl_uint count)
{
  const uint32_t sites = places_of(context, devices, count);
  const uint32_t alive = cwi_sites_alive(context, sites);
  return alive != 0 ? alive : sites;
}

cl_uint cwi_site_devices(const struct cwi_sited_context *context, void *const *devices,
                         cl_uint count, uint32_t site, void **there)
{
  cl_uint known = 0;
  for (cl_uint i = 0; i < count; i++) {
    const struct cwi_site_device *device = cwi_site_device_of(context, devices[i]);
    if (device != NULL && device->site == site)
      there[known++] = device->device;
  }
  return known;
}

/* --- contexts --- */

/* Its own queues do not hold it while it lives. Now they find it held, and by others, too: it is
 * ending already. */
static void couriers_end(struct cwi_sited_context *context)
{
  cwi_sited_hold(context);
  for (uint32_t site = 0; site < CWI_SITES_MOST; site++)
    cwi_courier_end(context->couriers[site]);
}

/* Before its couriers hold it again: who looks through all contexts must not take it then. */
static void context_leave(struct cwi_sited *sited)
{
  cwi_context_delist((struct cwi_sited_context *)sited);
}

static void context_end(struct cwi_sited *sited)
{
  struct cwi_sited_context *context = (struct cwi_sited_context *)sited;
  cwi_clerk_stop(context);
  couriers_end(context);
  pthread_mutex_destroy(&context->lock);
  pthread_mutex_destroy(&context->members_lock);
  pthread_mutex_destroy(&context->clerk.turns);
  cwi_gate_end(&context->gate);
  free(context->devices);
  free(context->properties);
}

static cl_int context_copy(struct cwi_sited *sited, uint32_t site, void **copy)
{
  const struct cwi_sited_context *context = (const struct cwi_sited_context *)sited;
  void **there = malloc(context->device_count * sizeof *there);
  if (there == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  struct cwi_making making = {.sort = CWI_CONTEXT,
                              .devices = there,
                              .properties = context->properties,
                              .notice = context->notice,
                              .notice_data = context->notice_data};
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].site == site)
      there[making.device_count++] = context->devices[i].device;
  const cl_int code = cwi_copy_make(&making, copy);
  free(there);
  return code;
}

static const struct cwi_sited_kind sited_contexts = {.sort = CWI_CONTEXT,
                                                     .bytes = sizeof(struct cwi_sited_context),
                                                     .copy = context_copy,
                                                     .leave = context_leave,
                                                     .end = context_end};

static cl_context_properties *properties_copy(const cl_context_properties *properties)
{
  size_t words = 0;
  while (properties != NULL && properties[words] != 0)
    words += 2;
  cl_context_properties *copy = calloc(words + 1, sizeof *copy);
  if (copy != NULL && words > 0)
    memcpy(copy, properties, words * sizeof *copy);
  return copy;
}

/* --- queues --- */

static cl_int queue_copy(struct cwi_sited *sited, uint32_t site, void **copy)
{
  const struct cwi_sited_queue *queue = (const struct cwi_sited_queue *)sited;
  const struct cwi_site_device *device = cwi_site_device_of(sited->context, queue->device);
  void *const devices[] = {device->device};
  cl_int code = CL_SUCCESS;
  const struct cwi_making making = {.sort = CWI_QUEUE,
                                    .parent = cwi_site_copy(sited->context, site, &code),
                                    .devices = devices,
                                    .flags = queue->flags};
  return code == CL_SUCCESS ? cwi_copy_make(&making, copy) : code;
}

static void queue_end(struct cwi_sited *sited)
{
  struct cwi_sited_context *context = sited->context;
  cwi_context_lock(context);
  struct cwi_sited_queue **each = &context->queues;
  while (*each != (struct cwi_sited_queue *)sited)
    each = &(*each)->next;
  *each = (*each)->next;
  cwi_context_unlock(context);
}

const struct cwi_sited_kind cwi_sited_queues = {.sort = CWI_QUEUE,
                                                .bytes = sizeof(struct cwi_sited_queue),
                                                .copy = queue_copy,
                                                .end = queue_end};

static cl_int places_queue_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_context *context = making->parent;
  struct cwi_sited_queue *queue = cwi_sited_new(&cwi_sited_queues, context);
  if (queue == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  queue->device = making->devices[0];
  queue->site = cwi_site_device_of(context, queue->device)->site;
  queue->flags = making->flags;
  cwi_context_lock(context);
  queue->next = context->queues;
  context->queues = queue;
  cwi_context_unlock(context);
  *object = queue;
  return cwi_site_make_at(CL_SUCCESS, 1u << queue->site, object);
}

/* --- contexts are made --- */

struct cwi_sited_queue *cwi_courier_make(struct cwi_sited_context *context,
                                         const struct cwi_site_device *device, cl_int *code)
{
  void *courier = NULL;
  struct cwi_making making = {.sort = CWI_QUEUE,
                              .parent = context,
                              .devices = &device->given,
                              .flags = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
  *code = places_queue_make(&making, &courier);
  if (*code != CL_SUCCESS) {
    making.flags = 0;
    *code = places_queue_make(&making, &courier);
  }
  if (courier != NULL)
    __atomic_fetch_sub(&context->sited.held, 1, __ATOMIC_RELAXED);
  return courier;
}

void cwi_courier_end(struct cwi_sited_queue *courier)
{
  if (courier == NULL)
    return;
  cwi_sited_hold(courier->sited.context);
  cwi_sited_let_go(courier);
}

static cl_int couriers_make(struct cwi_sited_context *context)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < context->device_count && code == CL_SUCCESS; i++) {
    const struct cwi_site_device *device = &context->devices[i];
    if (context->couriers[device->site] == NULL)
      context->couriers[device->site] = cwi_courier_make(context, device, &code);
  }
  return code;
}

static cl_ulong device_most(const struct cwi_site_device *device)
{
  cl_ulong most = 0;
  struct cwi_facts *facts = cwi_executor_describe(device->device);
  const struct cwi_fact *fact =
      facts != NULL ? cwi_fact_find(facts, CL_DEVICE_MAX_MEM_ALLOC_SIZE) : NULL;
  if (fact != NULL && fact->size == sizeof most)
    memcpy(&most, fact->value, sizeof most);
  if (facts != NULL)
    cwi_facts_free(facts);
  return most;
}

void cwi_context_measure(struct cwi_sited_context *context)
{
  context->most_allocated = UINT64_MAX;
  for (cl_uint i = 0; i < context->device_count; i++) {
    const cl_ulong most = device_most(&context->devices[i]);
    context->most_allocated = most < context->most_allocated ? most : context->most_allocated;
  }
}

/* Does one of the program's devices do its work there by this one? */
static bool site_has(const struct cwi_sited_context *context, uint32_t site, const void *device)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].device == device && context->devices[i].site == site)
      return true;
  return false;
}

/* A site of devices of this vendor, for one more. A vendor's context has a device once: of two that
 * work by the same one, since one was moved, each has a site. False: there are too many. */
static bool site_find(struct cwi_sited_context *context, unsigned vendor, const void *device,
                      uint32_t *site)
{
  for (*site = 0; *site < context->site_count; (*site)++)
    if (context->vendors[*site] == vendor && !site_has(context, *site, device))
      return true;
  if (*site == CWI_SITE_AWAY)
    return false;
  context->vendors[context->site_count++] = vendor;
  return true;
}

static cl_int context_place(struct cwi_sited_context *context, const struct cwi_making *making)
{
  context->properties = properties_copy(making->properties);
  context->devices = calloc(making->device_count, sizeof *context->devices);
  if (context->properties == NULL || context->devices == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  context->notice = making->notice;
  context->notice_data = making->notice_data;
  for (cl_uint i = 0; i < making->device_count; i++) {
    struct cwi_site_device *device = &context->devices[context->device_count];
    unsigned vendor = making->vendors[i];
    if (cwi_site_device_of(context, making->devices[i]) != NULL)
      continue; /* named twice */
    device->given = making->devices[i];
    device->device = cwi_moved_device(device->given, &vendor);
    if (!site_find(context, vendor, device->device, &device->site))
      return CL_OUT_OF_RESOURCES;
    context->device_count++;
  }
  cl_int code = CL_SUCCESS;
  for (uint32_t site = 0; site < context->site_count && code == CL_SUCCESS; site++)
    cwi_site_copy(context, site, &code);
  if (code != CL_SUCCESS || context->site_count == 1)
    return code;
  cwi_context_measure(context);
  return couriers_make(context);
}

static cl_int places_context_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_context *context = cwi_sited_new(&sited_contexts, NULL);
  if (context == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  pthread_mutex_init(&context->lock, NULL);
  pthread_mutex_init(&context->members_lock, NULL);
  pthread_mutex_init(&context->clerk.turns, NULL);
  cwi_gate_begin(&context->gate);
  const cl_int code = context_place(context, making);
  if (code != CL_SUCCESS) {
    cwi_sited_let_go(context);
    return code;
  }
  cwi_context_enlist(context);
  *object = context;
  return CL_SUCCESS;
}

/* --- samplers --- */

static cl_int sampler_copy(struct cwi_sited *sited, uint32_t site, void **copy)
{
  const struct cwi_sited_sampler *sampler = (const struct cwi_sited_sampler *)sited;
  cl_int code = CL_SUCCESS;
  const struct cwi_making making = {.sort = CWI_SAMPLER,
                                    .parent = cwi_site_copy(sited->context, site, &code),
                                    .normalized = sampler->normalized,
                                    .addressing = sampler->addressing,
                                    .filter = sampler->filter};
  return code == CL_SUCCESS ? cwi_copy_make(&making, copy) : code;
}

const struct cwi_sited_kind cwi_sited_samplers = {.sort = CWI_SAMPLER,
                                                  .bytes = sizeof(struct cwi_sited_sampler),
                                                  .copy = sampler_copy,
                                                  .objects = &cwi_sited_sampler_list};

static cl_int places_sampler_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_sampler *sampler = cwi_sited_new(&cwi_sited_samplers, making->parent);
  if (sampler == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  sampler->normalized = making->normalized;
  sampler->addressing = making->addressing;
  sampler->filter = making->filter;
  *object = sampler;
  return CL_SUCCESS;
}

/* --- making --- */

cl_int cwi_places_make(const struct cwi_making *making, void **object)
{
  switch (making->sort) {
  case CWI_CONTEXT:
    return places_context_make(making, object);
  case CWI_QUEUE:
    return places_queue_make(making, object);
  default:
    return cwi_site_make_at(places_sampler_make(making, object),
                            cwi_sites_to_ask(making->parent, NULL, 0), object);
  }
}
