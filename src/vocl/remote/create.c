/* Makes objects: says what they are to be, and keeps that at home. Lets go of them: the proxy hears
 * of many at once. */
#include "remote/session.h"

#include "wire/census.h"

#include <stdlib.h>
#include <string.h>

/* --- contexts, queues, samplers --- */

static struct cwi_far_device **devices_copy(void *const *devices, cl_uint count)
{
  struct cwi_far_device **copy = malloc((count + 1) * sizeof *copy);
  if (copy != NULL && count > 0)
    memcpy(copy, devices, count * sizeof *copy);
  return copy;
}

/* What a context tells its program. */
struct notice {
  cwi_context_notice function;
  void *data;
  size_t text_bytes, private_bytes;
  char text[];
};

static void notice_tell(void *what)
{
  struct notice *notice = what;
  notice->function(notice->text, notice->text + notice->text_bytes + 1, notice->private_bytes,
                   notice->data);
  free(notice);
}

static void context_notice(struct cwi_far *far, const char *text, size_t text_bytes,
                           size_t private_bytes)
{
  const struct cwi_far_context *context = (const struct cwi_far_context *)far;
  struct notice *notice =
      context->notice != NULL ? malloc(sizeof *notice + text_bytes + private_bytes + 1) : NULL;
  if (notice == NULL)
    return;
  *notice = (struct notice){context->notice, context->notice_data, text_bytes, private_bytes};
  memcpy(notice->text, text, text_bytes);
  notice->text[text_bytes] = '\0';
  memcpy(notice->text + text_bytes + 1, text + text_bytes, private_bytes);
  if (!cwi_call_later(far->session, notice_tell, notice))
    free(notice);
}

static void context_free(struct cwi_far *far)
{
  free(((struct cwi_far_context *)far)->devices);
}

static const struct cwi_far_kind contexts = {
    .sort = CWI_CONTEXT, .free = context_free, .notice = context_notice};

static cl_int context_make(struct cwi_session *session, const struct cwi_making *making,
                           void **object)
{
  struct cwi_far_context *context = cwi_far_new(session, &contexts, sizeof *context, true);
  if (context == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  context->device_count = making->device_count;
  context->devices = devices_copy(making->devices, making->device_count);
  context->notice = making->notice;
  context->notice_data = making->notice_data;
  context->most_allocated = UINT64_MAX;
  for (cl_uint i = 0; context->devices != NULL && i < making->device_count; i++) {
    const struct cwi_far_device *device = context->devices[i];
    if (device->most_allocated < context->most_allocated)
      context->most_allocated = device->most_allocated;
    if (device->base_bytes > context->base_bytes)
      context->base_bytes = device->base_bytes;
  }
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  if (context->devices != NULL) {
    const struct cwi_say_make fields = {.sort = CWI_CONTEXT, .has_notice = making->notice != NULL};
    const struct cwi_make_parts parts = {.device_count = making->device_count,
                                         .devices = context->devices,
                                         .properties = making->properties};
    code = cwi_make_say(&context->far, &fields, &parts, false);
  }
  if (code == CL_SUCCESS)
    *object = context;
  else
    cwi_far_free(&context->far);
  return code;
}

static void queue_free(struct cwi_far *far)
{
  struct cwi_far_queue *queue = (struct cwi_far_queue *)far;
  struct cwi_far_queue **each = &queue->far.session->queues;
  while (*each != NULL && *each != queue)
    each = &(*each)->next;
  if (*each != NULL)
    *each = queue->next;
  cwi_far_let_go(queue->context);
}

static const struct cwi_far_kind queues = {.sort = CWI_QUEUE, .free = queue_free};

/* Blocking writes return early where no other queue can overtake them: before there is one they
 * are awaited. */
static void await_copied(const struct cwi_far_context *context)
{
  struct cwi_session *session = context->far.session;
  struct cwi_far_queue *each = session->queues;
  while (each != NULL && !session->is_over) {
    if (each->context != context || cwi_queue_is_done(each, each->copied)) {
      each = each->next;
      continue;
    }
    cwi_far_hold(each);
    cwi_queue_await(each, each->copied);
    cwi_far_let_go(each);
    each = session->queues; /* others may have come and gone meanwhile */
  }
}

static cl_int queue_make(const struct cwi_making *making, void **object)
{
  struct cwi_far_context *context = making->parent;
  struct cwi_far_device *device = making->devices[0];
  struct cwi_session *session = context->far.session;
  await_copied(context);
  struct cwi_far_queue *queue = cwi_far_new(session, &queues, sizeof *queue, true);
  if (queue == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  queue->context = context;
  cwi_far_hold(context);
  queue->device = device;
  queue->flags = making->flags;
  queue->next = session->queues;
  session->queues = queue;
  const cl_bitfield known = CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  const bool is_certain = (making->flags & ~(known & device->queue_flags)) == 0;
  const struct cwi_say_make fields = {
      .sort = CWI_QUEUE, .parent = context->far.number, .flags = making->flags};
  const struct cwi_make_parts parts = {.device_count = 1, .devices = &queue->device};
  const cl_int code = cwi_make_say(&queue->far, &fields, &parts, is_certain);
  if (code == CL_SUCCESS)
    *object = queue;
  else
    cwi_far_free(&queue->far);
  return code;
}

static bool is_certain_sampler(const struct cwi_making *making)
{
  const cl_addressing_mode last =
      making->normalized ? CL_ADDRESS_MIRRORED_REPEAT : CL_ADDRESS_CLAMP;
  return making->normalized <= 1 && making->addressing >= CL_ADDRESS_NONE &&
         making->addressing <= last &&
         (making->filter == CL_FILTER_NEAREST || making->filter == CL_FILTER_LINEAR);
}

static void sampler_free(struct cwi_far *far)
{
  cwi_far_let_go(((struct cwi_far_sampler *)far)->context);
}

static const struct cwi_far_kind samplers = {.sort = CWI_SAMPLER, .free = sampler_free};

static cl_int sampler_make(const struct cwi_making *making, void **object)
{
  struct cwi_far_context *context = making->parent;
  struct cwi_far_sampler *sampler =
      cwi_far_new(context->far.session, &samplers, sizeof *sampler, true);
  if (sampler == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  sampler->context = context;
  cwi_far_hold(context);
  const struct cwi_say_make fields = {.sort = CWI_SAMPLER,
                                      .parent = context->far.number,
                                      .normalized = making->normalized,
                                      .addressing = making->addressing,
                                      .filter = making->filter};
  const cl_int code =
      cwi_make_say(&sampler->far, &fields, &(struct cwi_make_parts){0}, is_certain_sampler(making));
  if (code == CL_SUCCESS)
    *object = sampler;
  else
    cwi_far_free(&sampler->far);
  return code;
}

static cl_int make_by_sort(struct cwi_session *session, const struct cwi_making *making,
                           void **object)
{
  switch (making->sort) {
  case CWI_CONTEXT:
    return context_make(session, making, object);
  case CWI_QUEUE:
    return queue_make(making, object);
  case CWI_BUFFER:
  case CWI_SUB_BUFFER:
  case CWI_IMAGE:
    return cwi_storage_make(making, object);
  case CWI_SAMPLER:
    return sampler_make(making, object);
  case CWI_SOURCE_PROGRAM:
  case CWI_BINARY_PROGRAM:
  case CWI_BUILT_IN_PROGRAM:
    return cwi_program_make(making, object);
  case CWI_KERNEL:
    return cwi_kernel_make(making, object);
  default:
    return CL_INVALID_OPERATION;
  }
}

/* The session of a device: that of the proxy now, or of the part. */
static struct cwi_session *device_session(const struct cwi_far_device *device)
{
  return device->far.session != NULL ? device->far.session : cwi_session_with(device->proxy);
}

cl_int cwi_remote_make(const struct cwi_making *making, void **object)
{
  struct cwi_session *session = making->sort == CWI_CONTEXT
                                    ? device_session(making->devices[0])
                                    : ((struct cwi_far *)making->parent)->session;
  *object = NULL;
  if (session == NULL)
    return CL_DEVICE_NOT_AVAILABLE;
  cwi_session_lock(session);
  const cl_int code =
      session->is_over ? CL_DEVICE_NOT_AVAILABLE : make_by_sort(session, making, object);
  cwi_session_unlock(session);
  return code;
}

/* --- letting go --- */

void cwi_remote_drop(enum cwi_sort sort, void *object)
{
  struct cwi_session *session = ((struct cwi_far *)object)->session;
  if (session == NULL)
    return; /* a device that nobody made */
  cwi_session_lock(session);
  if (sort == CWI_BUFFER)
    cwi_memory_let_go(object); /* all sorts of memory */
  else
    cwi_far_let_go(object);
  if (sort != CWI_EVENT && !session->is_over) {
    cwi_say_drops_now(session);
    cwi_say_commonly(session);
  }
  if (session->is_deaf)
    cwi_make_calls(session);
  cwi_session_unlock(session);
}

/* --- parts of devices --- */

/* Facts of the parts, from the answer. All of them, or none. */
static cl_int parts_wrap(const struct cwi_far_device *whole, const char *census, size_t bytes,
                         struct cwi_far_device **parts, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++) {
    struct cwi_census_entry counted;
    if (!cwi_census_read(census, bytes, i, &counted))
      return CL_OUT_OF_HOST_MEMORY;
    cwi_far_device_learn(parts[i], whole->proxy, counted.facts);
    parts[i]->whole = whole->far.number < CWI_FIRST_NUMBER ? whole->far.number : whole->whole;
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

/* Ask; first: the number of the first part, or 0: how many there would be. */
static cl_int parts_ask(struct cwi_session *session, const struct cwi_far_device *whole,
                        const cl_device_partition_property *properties, cl_uint most,
                        uint32_t first, struct cwi_far_question *question)
{
  const size_t words = partition_words(properties);
  struct cwi_say_sub_devices *message =
      cwi_say_begin(session, CWI_SAYS_MAKE_SUB_DEVICES, sizeof *message + words * sizeof(int64_t),
                    question->ticket);
  if (message != NULL) {
    message->device = whole->far.number;
    message->most = most;
    message->property_words = (uint32_t)words;
    message->first = first;
    memcpy(message->properties, properties, words * sizeof *properties);
    cwi_say_end(session);
  }
  return cwi_far_question_wait(session, question);
}

static void device_free(struct cwi_far *far)
{
  struct cwi_facts *facts = ((struct cwi_far_device *)far)->facts;
  if (facts != NULL) /* it was made */
    cwi_facts_free(facts);
}

static const struct cwi_far_kind parts_of_devices = {.sort = CWI_DEVICE, .free = device_free};

/* New parts with numbers one behind the other. False: no memory. */
static bool parts_begin(struct cwi_session *session, struct cwi_far_device **parts, cl_uint count)
{
  const uint32_t idle = session->idle_count;
  session->idle_count = 0; /* fresh numbers are one behind the other */
  cl_uint made = 0;
  while (made < count &&
         (parts[made] = cwi_far_new(session, &parts_of_devices, sizeof **parts, true)) != NULL)
    made++;
  session->idle_count = idle;
  if (made == count)
    return true;
  while (made > 0)
    cwi_far_free(&parts[--made]->far);
  return false;
}

static cl_int parts_make(struct cwi_session *session, const struct cwi_far_device *whole,
                         const cl_device_partition_property *properties, cl_uint count,
                         void **devices)
{
  enum { BYTES_EACH = 64 << 10 };
  struct cwi_far_device *parts[MOST_PARTS] = {NULL};
  struct cwi_far_question question;
  const size_t most = (count + (size_t)1) * BYTES_EACH;
  char *census = count <= MOST_PARTS ? malloc(most) : NULL;
  if (census == NULL || !parts_begin(session, parts, count)) {
    free(census);
    return CL_OUT_OF_HOST_MEMORY;
  }
  cwi_far_question_begin(session, &question, census, most);
  cl_int code = parts_ask(session, whole, properties, count, parts[0]->far.number, &question);
  const bool is_made = code == CL_SUCCESS;
  if (is_made)
    code = question.bytes <= most ? parts_wrap(whole, census, question.bytes, parts, count)
                                  : CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < count; i++) {
    if (code == CL_SUCCESS)
      devices[i] = parts[i];
    else if (is_made)
      cwi_far_let_go(parts[i]);
    else
      cwi_far_free(&parts[i]->far);
  }
  free(census);
  return code;
}

cl_int cwi_remote_make_sub_devices(void *object, const cl_device_partition_property *properties,
                                   cl_uint most, void **devices, cl_uint *count)
{
  const struct cwi_far_device *whole = object;
  struct cwi_session *session = device_session(whole);
  if (session == NULL)
    return CL_DEVICE_NOT_AVAILABLE;
  cwi_session_lock(session);
  cl_int code = CL_SUCCESS;
  if (devices != NULL) {
    code = parts_make(session, whole, properties, most, devices);
  } else {
    struct cwi_far_question question;
    cwi_far_question_begin(session, &question, NULL, 0);
    code = parts_ask(session, whole, properties, 0, 0, &question);
    *count = question.count;
  }
  cwi_session_unlock(session);
  return code;
}
