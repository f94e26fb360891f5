/* Makes and drops objects. The description of an object is sent to the proxy and kept on the client
 * side. The numbers of many dropped objects are sent in one message. */
#include "stub/stub_calls.h"

#include "wire/device_list.h"

#include <stdlib.h>
#include <string.h>

/* --- contexts, queues, samplers --- */

static struct vocl_stub_device **devices_copy(void *const *devices, cl_uint count)
{
  struct vocl_stub_device **copy = malloc((count + 1) * sizeof *copy);
  if (copy != NULL && count > 0)
    memcpy(copy, devices, count * sizeof *copy);
  return copy;
}

/* A notice of a context, queued for the listener. */
struct notice {
  vocl_context_function function;
  void *data;
  size_t text_bytes, private_bytes;
  char text[];
};

static void notice_deliver(void *what)
{
  struct notice *notice = what;
  notice->function(notice->text, notice->text + notice->text_bytes + 1, notice->private_bytes,
                   notice->data);
  free(notice);
}

static void context_notice(struct vocl_stub *stub, const char *text, size_t text_bytes,
                           size_t private_bytes)
{
  const struct vocl_stub_context *context = (const struct vocl_stub_context *)stub;
  struct notice *notice =
      context->notice != NULL ? malloc(sizeof *notice + text_bytes + private_bytes + 1) : NULL;
  if (notice == NULL)
    return;
  *notice = (struct notice){context->notice, context->notice_data, text_bytes, private_bytes};
  memcpy(notice->text, text, text_bytes);
  notice->text[text_bytes] = '\0';
  memcpy(notice->text + text_bytes + 1, text + text_bytes, private_bytes);
  if (!vocl_session_call_later(stub->session, notice_deliver, notice))
    free(notice);
}

static void context_free(struct vocl_stub *stub)
{
  free(((struct vocl_stub_context *)stub)->devices);
}

static const struct vocl_stub_kind contexts = {
    .sort = VOCL_CONTEXT, .free = context_free, .notice = context_notice};

static cl_int context_make(struct vocl_session *session, const struct vocl_making *making,
                           void **object)
{
  struct vocl_stub_context *context = vocl_stub_new(session, &contexts, sizeof *context, true);
  if (context == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  context->device_count = making->device_count;
  context->devices = devices_copy(making->devices, making->device_count);
  context->notice = making->notice;
  context->notice_data = making->notice_data;
  context->most_allocated = UINT64_MAX;
  for (cl_uint i = 0; context->devices != NULL && i < making->device_count; i++) {
    const struct vocl_stub_device *device = context->devices[i];
    if (device->most_allocated < context->most_allocated)
      context->most_allocated = device->most_allocated;
    if (device->base_bytes > context->base_bytes)
      context->base_bytes = device->base_bytes;
  }
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  if (context->devices != NULL) {
    const struct vocl_msg_make fields = {.sort = VOCL_CONTEXT,
                                         .has_notice = making->notice != NULL};
    const struct vocl_create_parts parts = {.device_count = making->device_count,
                                            .devices = context->devices,
                                            .properties = making->properties};
    code = vocl_send_create(&context->stub, &fields, &parts, false);
  }
  if (code == CL_SUCCESS)
    *object = context;
  else
    vocl_stub_free(&context->stub);
  return code;
}

static void queue_free(struct vocl_stub *stub)
{
  struct vocl_stub_queue *queue = (struct vocl_stub_queue *)stub;
  struct vocl_stub_queue **each = &queue->stub.session->queues;
  while (*each != NULL && *each != queue)
    each = &(*each)->next;
  if (*each != NULL)
    *each = queue->next;
  vocl_stub_unref(queue->context);
}

static const struct vocl_stub_kind queues = {.sort = VOCL_QUEUE, .free = queue_free};

/* Waits for the blocking writes of this context that have returned early. A write may return early
 * only while no other queue can overtake it, so this is called before another queue is made. */
static void wait_for_copied(const struct vocl_stub_context *context)
{
  struct vocl_session *session = context->stub.session;
  struct vocl_stub_queue *each = session->queues;
  while (each != NULL && !session->is_over) {
    if (each->context != context || vocl_stub_queue_is_done(each, each->copied)) {
      each = each->next;
      continue;
    }
    vocl_stub_ref(each);
    vocl_stub_queue_wait(each, each->copied);
    vocl_stub_unref(each);
    each = session->queues; /* the list may have changed during the wait */
  }
}

static cl_int queue_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_context *context = making->parent;
  struct vocl_stub_device *device = making->devices[0];
  struct vocl_session *session = context->stub.session;
  wait_for_copied(context);
  struct vocl_stub_queue *queue = vocl_stub_new(session, &queues, sizeof *queue, true);
  if (queue == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  queue->context = context;
  vocl_stub_ref(context);
  queue->device = device;
  queue->flags = making->flags;
  queue->next = session->queues;
  session->queues = queue;
  const cl_bitfield known = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  const bool is_certain = (making->flags & ~(known & device->queue_flags)) == 0;
  const struct vocl_msg_make fields = {
      .sort = VOCL_QUEUE, .parent = context->stub.number, .flags = making->flags};
  const struct vocl_create_parts parts = {.device_count = 1, .devices = &queue->device};
  const cl_int code = vocl_send_create(&queue->stub, &fields, &parts, is_certain);
  if (code == CL_SUCCESS)
    *object = queue;
  else
    vocl_stub_free(&queue->stub);
  return code;
}

static bool is_certain_sampler(const struct vocl_making *making)
{
  const cl_addressing_mode last =
      making->normalized ? CL_ADDRESS_MIRRORED_REPEAT : CL_ADDRESS_CLAMP;
  return making->normalized <= 1 && making->addressing >= CL_ADDRESS_NONE &&
         making->addressing <= last &&
         (making->filter == CL_FILTER_NEAREST || making->filter == CL_FILTER_LINEAR);
}

static void sampler_free(struct vocl_stub *stub)
{
  vocl_stub_unref(((struct vocl_stub_sampler *)stub)->context);
}

static const struct vocl_stub_kind samplers = {.sort = VOCL_SAMPLER, .free = sampler_free};

static cl_int sampler_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_context *context = making->parent;
  struct vocl_stub_sampler *sampler =
      vocl_stub_new(context->stub.session, &samplers, sizeof *sampler, true);
  if (sampler == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  sampler->context = context;
  vocl_stub_ref(context);
  const struct vocl_msg_make fields = {.sort = VOCL_SAMPLER,
                                       .parent = context->stub.number,
                                       .normalized = making->normalized,
                                       .addressing = making->addressing,
                                       .filter = making->filter};
  const cl_int code = vocl_send_create(&sampler->stub, &fields, &(struct vocl_create_parts){0},
                                       is_certain_sampler(making));
  if (code == CL_SUCCESS)
    *object = sampler;
  else
    vocl_stub_free(&sampler->stub);
  return code;
}

static cl_int make_by_sort(struct vocl_session *session, const struct vocl_making *making,
                           void **object)
{
  switch (making->sort) {
  case VOCL_CONTEXT:
    return context_make(session, making, object);
  case VOCL_QUEUE:
    return queue_make(making, object);
  case VOCL_BUFFER:
  case VOCL_SUB_BUFFER:
  case VOCL_IMAGE:
    return vocl_stub_memory_make(making, object);
  case VOCL_SAMPLER:
    return sampler_make(making, object);
  case VOCL_SOURCE_PROGRAM:
  case VOCL_BINARY_PROGRAM:
  case VOCL_BUILT_IN_PROGRAM:
    return vocl_stub_program_make(making, object);
  case VOCL_KERNEL:
    return vocl_stub_kernel_make(making, object);
  default:
    return CL_INVALID_OPERATION;
  }
}

/* Returns the session of a device: its own if it is a sub-device, otherwise the current one with
 * its proxy. */
static struct vocl_session *device_session(const struct vocl_stub_device *device)
{
  return device->stub.session != NULL ? device->stub.session
                                      : vocl_session_with_proxy(device->proxy);
}

cl_int vocl_remote_make(const struct vocl_making *making, void **object)
{
  struct vocl_session *session = making->sort == VOCL_CONTEXT
                                     ? device_session(making->devices[0])
                                     : ((struct vocl_stub *)making->parent)->session;
  *object = NULL;
  if (session == NULL)
    return CL_DEVICE_NOT_AVAILABLE;
  vocl_session_lock(session);
  const cl_int code =
      session->is_over ? CL_DEVICE_NOT_AVAILABLE : make_by_sort(session, making, object);
  vocl_session_unlock(session);
  return code;
}

/* --- dropping objects --- */

void vocl_remote_drop(enum vocl_sort sort, void *object)
{
  struct vocl_session *session = ((struct vocl_stub *)object)->session;
  if (session == NULL)
    return; /* a device of the device list, which is never freed */
  vocl_session_lock(session);
  if (sort == VOCL_BUFFER)
    vocl_stub_memory_release(object); /* VOCL_BUFFER stands for all sorts of memory */
  else
    vocl_stub_unref(object);
  if (sort != VOCL_EVENT && !session->is_over) {
    vocl_session_try_send_drops(session);
    vocl_session_publish_if_due(session);
  }
  if (session->has_no_listener)
    vocl_session_run_calls(session);
  vocl_session_unlock(session);
}

/* --- sub-devices --- */

/* Sets the facts of all sub-devices from the reply. On an error, the caller drops all of them. */
static cl_int parts_wrap(const struct vocl_stub_device *whole, const char *device_list,
                         size_t bytes, struct vocl_stub_device **parts, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++) {
    struct vocl_device_list_entry counted;
    if (!vocl_device_list_read(device_list, bytes, i, &counted))
      return CL_OUT_OF_HOST_MEMORY;
    vocl_stub_device_set_facts(parts[i], whole->proxy, counted.facts);
    parts[i]->whole =
        whole->stub.number < VOCL_FIRST_OBJECT_NUMBER ? whole->stub.number : whole->whole;
  }
  return CL_SUCCESS;
}

enum { MOST_PARTS = 256, MOST_WORDS = 512 };

static size_t partition_words(const cl_device_partition_property *properties)
{
  size_t words = 1;
  while (words < MOST_WORDS && properties[words - 1] != 0)
    words++;
  return words;
}

/* Sends the request and waits for the reply. `first` is the number of the first sub-device, or 0 to
 * query only the number of sub-devices. */
static cl_int parts_query(struct vocl_session *session, const struct vocl_stub_device *whole,
                          const cl_device_partition_property *properties, cl_uint most,
                          uint32_t first, struct vocl_request *query)
{
  const size_t words = partition_words(properties);
  struct vocl_msg_sub_devices *message = vocl_message_begin(
      session, VOCL_MSG_MAKE_SUB_DEVICES, sizeof *message + words * sizeof(int64_t), query->ticket);
  if (message != NULL) {
    message->device = whole->stub.number;
    message->most = most;
    message->property_words = (uint32_t)words;
    message->first = first;
    memcpy(message->properties, properties, words * sizeof *properties);
    vocl_message_end(session);
  }
  return vocl_request_wait(session, query);
}

static void device_free(struct vocl_stub *stub)
{
  struct vocl_facts *facts = ((struct vocl_stub_device *)stub)->facts;
  if (facts != NULL) /* NULL if vocl_stub_device_set_facts was not reached */
    vocl_facts_free(facts);
}

static const struct vocl_stub_kind parts_of_devices = {.sort = VOCL_DEVICE, .free = device_free};

/* Makes stubs with consecutive numbers for the sub-devices. Returns false if there is no memory. */
static bool parts_begin(struct vocl_session *session, struct vocl_stub_device **parts,
                        cl_uint count)
{
  const uint32_t idle = session->idle_count;
  session->idle_count = 0; /* take fresh numbers only, which are consecutive */
  cl_uint made = 0;
  while (made < count &&
         (parts[made] = vocl_stub_new(session, &parts_of_devices, sizeof **parts, true)) != NULL)
    made++;
  session->idle_count = idle;
  if (made == count)
    return true;
  while (made > 0)
    vocl_stub_free(&parts[--made]->stub);
  return false;
}

static cl_int parts_make(struct vocl_session *session, const struct vocl_stub_device *whole,
                         const cl_device_partition_property *properties, cl_uint count,
                         void **devices)
{
  enum { BYTES_EACH = 64 << 10 };
  struct vocl_stub_device *parts[MOST_PARTS] = {NULL};
  struct vocl_request query;
  const size_t most = (count + (size_t)1) * BYTES_EACH;
  char *device_list = count <= MOST_PARTS ? malloc(most) : NULL;
  if (device_list == NULL || !parts_begin(session, parts, count)) {
    free(device_list);
    return CL_OUT_OF_HOST_MEMORY;
  }
  vocl_request_begin(session, &query, device_list, most);
  cl_int code = parts_query(session, whole, properties, count, parts[0]->stub.number, &query);
  const bool is_made = code == CL_SUCCESS;
  if (is_made)
    code = query.bytes <= most ? parts_wrap(whole, device_list, query.bytes, parts, count)
                               : CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < count; i++) {
    if (code == CL_SUCCESS)
      devices[i] = parts[i];
    else if (is_made)
      vocl_stub_unref(parts[i]);
    else
      vocl_stub_free(&parts[i]->stub);
  }
  free(device_list);
  return code;
}

cl_int vocl_remote_make_sub_devices(void *object, const cl_device_partition_property *properties,
                                    cl_uint most, void **devices, cl_uint *count)
{
  const struct vocl_stub_device *whole = object;
  struct vocl_session *session = device_session(whole);
  if (session == NULL)
    return CL_DEVICE_NOT_AVAILABLE;
  vocl_session_lock(session);
  cl_int code = CL_SUCCESS;
  if (devices != NULL) {
    code = parts_make(session, whole, properties, most, devices);
  } else {
    struct vocl_request query;
    vocl_request_begin(session, &query, NULL, 0);
    code = parts_query(session, whole, properties, 0, 0, &query);
    *count = query.count;
  }
  vocl_session_unlock(session);
  return code;
}
