/* Makes and drops objects for the program. An object is described by one message, or by one
 * message and the data that follows it. */
#include "handler/handler.h"

#include "wire/device_list.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_QUEUES = 1024, MOST_PROPERTIES = 16, MOST_STRINGS = 1 << 20 };

/* An object whose data has not arrived completely. Until then `native` of the object points to
 * this. */
struct vocl_service_creation {
  size_t message_bytes;
  uint64_t received;
  char *data;
  struct vocl_msg_make message; /* includes the parts that follow it in memory */
};

static size_t object_bytes(enum vocl_sort sort)
{
  switch (sort) {
  case VOCL_QUEUE:
    return sizeof(struct vocl_service_queue);
  case VOCL_BUFFER:
  case VOCL_SUB_BUFFER:
  case VOCL_IMAGE:
    return sizeof(struct vocl_service_memory);
  default:
    return sizeof(struct vocl_service_object);
  }
}

static enum vocl_sort parent_of(enum vocl_sort sort)
{
  return sort == VOCL_SUB_BUFFER ? VOCL_BUFFER
         : sort == VOCL_KERNEL   ? VOCL_SOURCE_PROGRAM
                                 : VOCL_CONTEXT;
}

/* Parts of a make message after decoding; they point into the message. */
struct decoded {
  const struct vocl_msg_make *msg;
  const uint32_t *devices;
  const uint64_t *properties, *lengths;
  const char *strings; /* in the message, or in the separate data */
  uint64_t bytes;      /* total length of all strings */
};

/* Decodes `msg`. `data` holds the data that was sent separately, or is NULL if there is none.
 * Returns false if the lengths are inconsistent. */
static bool make_parts(const struct vocl_msg_make *msg, size_t bytes, const char *data,
                       struct decoded *decoded)
{
  struct vocl_service_parts parts = {(const char *)(msg + 1), bytes - sizeof *msg, true};
  *decoded = (struct decoded){.msg = msg};
  decoded->devices = vocl_service_part(&parts, msg->device_count, sizeof *decoded->devices);
  decoded->properties = vocl_service_part(&parts, msg->property_words, sizeof *decoded->properties);
  decoded->lengths = vocl_service_part(&parts, msg->string_count, sizeof *decoded->lengths);
  if (!parts.are_good)
    return false;
  for (uint32_t i = 0; i < msg->string_count; i++)
    if (__builtin_add_overflow(decoded->bytes, decoded->lengths[i], &decoded->bytes))
      return false;
  decoded->strings = data != NULL ? data : parts.at;
  return msg->string_count == 0 ||
         (msg->data > 0 ? decoded->bytes == msg->data : decoded->bytes <= parts.left);
}

/* Returns the strings, each terminated by a null byte, or NULL. The caller frees them with one
 * free(). */
static char **make_strings(const struct decoded *decoded)
{
  const uint32_t count = decoded->msg->string_count;
  char **strings = malloc((count + (size_t)1) * sizeof *strings + decoded->bytes + count);
  if (strings == NULL)
    return NULL;
  char *to = (char *)(strings + count + 1);
  const char *from = decoded->strings;
  for (uint32_t i = 0; i < count; i++) {
    strings[i] = to;
    memcpy(to, from, decoded->lengths[i]);
    to += decoded->lengths[i];
    from += decoded->lengths[i];
    *to++ = '\0';
  }
  return strings;
}

/* --- memory --- */

static cl_image_desc image_described(const struct vocl_msg_make *msg)
{
  const uint64_t *image = msg->image;
  return (cl_image_desc){.image_type = msg->image_type,
                         .image_width = image[0],
                         .image_height = image[1],
                         .image_depth = image[2],
                         .image_array_size = image[3],
                         .image_row_pitch = image[4],
                         .image_slice_pitch = image[5]};
}

static void memory_learn(struct vocl_service *session, struct vocl_service_memory *memory,
                         const struct vocl_msg_make *msg)
{
  struct vocl_query query = {
      .about = VOCL_ABOUT_MEMORY, .object = memory->object.native, .what = CL_MEM_SIZE};
  vocl_native_query(&query, sizeof memory->size, &memory->size, NULL);
  if (memory->object.sort != VOCL_SUB_BUFFER)
    memory->counted = memory->size;
  vocl_service_count(&session->counts->device_bytes, memory->counted);
  if (memory->object.sort != VOCL_IMAGE)
    return;
  query.about = VOCL_ABOUT_IMAGE;
  query.what = CL_IMAGE_ELEMENT_SIZE;
  vocl_native_query(&query, sizeof memory->element, &memory->element, NULL);
  const cl_image_desc image = image_described(msg);
  memory->extent[0] = image.image_width;
  memory->extent[1] = vocl_image_rows(&image);
  memory->extent[2] = vocl_image_slices(&image);
}

/* Computes the number of bytes of an image's host data. Returns false if it overflows. */
static bool image_host_bytes(const cl_image_desc *image, size_t element, size_t *bytes)
{
  return !__builtin_mul_overflow(image->image_width, element, bytes) &&
         !__builtin_mul_overflow(*bytes, vocl_image_rows(image), bytes) &&
         !__builtin_mul_overflow(*bytes, vocl_image_slices(image), bytes);
}

/* Returns a copy of an image's host data, padded to the length that a vendor may read. On
 * failure returns NULL and sets *code. It makes an image without host data first: that yields
 * the size of a pixel, and the vendor's error if the description is invalid. */
static void *image_host(const struct vocl_making *making, const struct vocl_msg_make *msg,
                        const char *data, cl_int *code)
{
  const cl_mem_flags of_host = CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR;
  struct vocl_making probe = *making;
  probe.flags &= ~of_host;
  void *object = NULL;
  size_t element = 0, bytes = 0;
  *code = vocl_native_make(&probe, &object);
  if (*code != CL_SUCCESS)
    return NULL;
  *code = vocl_native_query(&(struct vocl_query){.about = VOCL_ABOUT_IMAGE,
                                                 .object = object,
                                                 .what = CL_IMAGE_ELEMENT_SIZE},
                            sizeof element, &element, NULL);
  vocl_native_drop(VOCL_IMAGE, object);
  if (*code == CL_SUCCESS && !image_host_bytes(making->image, element, &bytes))
    *code = CL_INVALID_IMAGE_DESCRIPTOR;
  bytes = bytes > msg->data ? bytes : msg->data;
  char *host = *code == CL_SUCCESS ? calloc(1, bytes) : NULL;
  if (host != NULL)
    memcpy(host, data, msg->data);
  else if (*code == CL_SUCCESS)
    *code = CL_OUT_OF_HOST_MEMORY;
  return host;
}

static cl_int make_image(struct vocl_service *session, const struct decoded *decoded,
                         const char *data, struct vocl_making *making, void **native)
{
  const struct vocl_msg_make *msg = decoded->msg;
  const cl_image_format format = {msg->image_format[0], msg->image_format[1]};
  cl_image_desc description = image_described(msg);
  cl_int code = CL_SUCCESS;
  if (msg->image_memory == 0 &&
      (description.image_row_pitch != 0 || description.image_slice_pitch != 0))
    return CL_INVALID_IMAGE_DESCRIPTOR; /* host data is sent packed; PoCL accepts any pitch */
  if (msg->image_memory != 0) {
    const struct vocl_service_object *below =
        vocl_service_object_resolve(session, msg->image_memory, VOCL_BUFFER, &code);
    if (below == NULL)
      return CL_INVALID_IMAGE_DESCRIPTOR;
    description.mem_object = below->native;
  }
  struct vocl_making of_image = *making;
  of_image.format = &format;
  of_image.image = &description;
  char *host = data != NULL ? image_host(&of_image, msg, data, &code) : NULL;
  of_image.host = host;
  if (code == CL_SUCCESS)
    code = vocl_native_make(&of_image, native);
  free(host);
  return code;
}

/* --- other objects --- */

/* Makes a context. Accepts only properties whose values are not addresses in the program. */
static cl_int make_context(struct vocl_service *session, const struct decoded *decoded,
                           const struct vocl_making *making, void **native)
{
  cl_context_properties properties[2 * MOST_PROPERTIES + 1];
  const uint32_t words = decoded->msg->property_words;
  size_t n = 0;
  for (uint32_t i = 0; i < words && decoded->properties[i] != 0; i += 2) {
    if (i + 1 == words || n == 2 * MOST_PROPERTIES ||
        decoded->properties[i] != CL_CONTEXT_INTEROP_USER_SYNC)
      return CL_INVALID_PROPERTY;
    properties[n++] = (cl_context_properties)decoded->properties[i];
    properties[n++] = (cl_context_properties)decoded->properties[i + 1];
  }
  properties[n] = 0;
  struct vocl_making of_context = *making;
  of_context.properties = properties;
  if (decoded->msg->has_notice) {
    of_context.notice = vocl_service_context_notice;
    of_context.notice_data = vocl_service_notice_data(session, decoded->msg->number);
  }
  return making->device_count > 0 ? vocl_native_make(&of_context, native) : CL_INVALID_VALUE;
}

/* Returns true if the source is not empty. Vendors see all strings concatenated, up to the first
 * null byte. */
static bool has_text(char *const *strings, const struct decoded *decoded)
{
  const uint32_t count = decoded->msg->string_count;
  for (uint32_t i = 0; i < count; i++)
    if (strings[i][0] != '\0' || decoded->lengths[i] > 0)
      return strings[i][0] != '\0';
  return false;
}

static cl_int make_of_strings(const struct decoded *decoded, struct vocl_making *making,
                              cl_int *statuses, void **native)
{
  const enum vocl_sort sort = making->sort;
  const uint32_t count = decoded->msg->string_count;
  if (count == 0 || (sort == VOCL_BINARY_PROGRAM && count != making->device_count) ||
      (sort != VOCL_SOURCE_PROGRAM && making->device_count == 0 && sort != VOCL_KERNEL))
    return CL_INVALID_VALUE;
  char **strings = make_strings(decoded);
  if (strings == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  making->count = count;
  making->strings = (const void *const *)strings;
  making->lengths = (const size_t *)decoded->lengths;
  making->name = strings[0];
  making->statuses = statuses;
  if (sort == VOCL_SOURCE_PROGRAM &&
      !has_text(strings, decoded)) { /* PoCL crashes when it builds empty source */
    static const char *const blank[] = {" "};
    making->count = 1;
    making->strings = (const void *const *)blank;
    making->lengths = NULL;
  }
  const cl_int code = vocl_native_make(making, native);
  free(strings);
  return code;
}

static cl_int make_native(struct vocl_service *session, const struct decoded *decoded,
                          const char *data, cl_int *statuses, void **native)
{
  const struct vocl_msg_make *msg = decoded->msg;
  struct vocl_making making = {.sort = (enum vocl_sort)msg->sort,
                               .device_count = msg->device_count,
                               .flags = msg->flags,
                               .size = msg->size,
                               .offset = msg->offset,
                               .normalized = msg->normalized,
                               .addressing = msg->addressing,
                               .filter = msg->filter};
  cl_int code = CL_SUCCESS;
  if (making.sort != VOCL_CONTEXT) {
    const struct vocl_service_object *parent =
        vocl_service_object_resolve(session, msg->parent, parent_of(making.sort), &code);
    if (parent == NULL)
      return code;
    if (making.sort == VOCL_KERNEL && parent->builds > 0)
      return CL_INVALID_PROGRAM_EXECUTABLE; /* vendors change the program during a build */
    if (making.sort == VOCL_SUB_BUFFER && parent->sort == VOCL_IMAGE)
      return CL_INVALID_MEM_OBJECT;
    making.parent = parent->native;
  }
  void **devices = vocl_service_devices(session, decoded->devices, msg->device_count, &code);
  if (devices == NULL)
    return code;
  making.devices = devices;
  /* The program's memory is not accessible here, so the data is copied instead of used in place. */
  if (data != NULL && (making.flags & CL_MEM_USE_HOST_PTR) != 0 &&
      (making.flags & CL_MEM_COPY_HOST_PTR) == 0)
    making.flags ^= CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  switch (making.sort) {
  case VOCL_CONTEXT:
    code = make_context(session, decoded, &making, native);
    break;
  case VOCL_IMAGE:
    code = make_image(session, decoded, data, &making, native);
    break;
  case VOCL_SOURCE_PROGRAM:
  case VOCL_BINARY_PROGRAM:
  case VOCL_BUILT_IN_PROGRAM:
  case VOCL_KERNEL:
    code = make_of_strings(decoded, &making, statuses, native);
    break;
  case VOCL_QUEUE:
    code = making.device_count != 1              ? CL_INVALID_DEVICE
           : session->queue_count >= MOST_QUEUES ? CL_OUT_OF_RESOURCES
                                                 : vocl_native_make(&making, native);
    break;
  default:
    making.host = (void *)(uintptr_t)data;
    code = vocl_native_make(&making, native);
  }
  free(devices);
  return code;
}

static void queue_begin(struct vocl_service *session, struct vocl_service_queue *queue,
                        const struct decoded *decoded)
{
  const struct vocl_msg_make *msg = decoded->msg;
  const uint32_t device = decoded->devices[0];
  queue->load = device < VOCL_SERVICE_DEVICES ? &session->counts->loads[device] : &session->parts;
  vocl_service_count(&queue->load->queues, 1);
  queue->session = session;
  queue->object.end = vocl_service_queue_retire;
  queue->is_profiled = (msg->flags & CL_QUEUE_PROFILING_ENABLE) != 0;
  queue->keeps_order = (msg->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  pthread_cond_init(&queue->work, NULL);
  queue->next = session->queues;
  session->queues = queue;
  session->queue_count++;
}

/* Makes an object whose data is complete, and replies. `object` is already in the table. Kernels
 * are made by make_kernel. */
static bool make_now(struct vocl_service *session, const struct decoded *decoded,
                     struct vocl_service_object *object, const char *data)
{
  const struct vocl_msg_make *msg = decoded->msg;
  cl_int *statuses = calloc(msg->device_count + (size_t)1, sizeof *statuses);
  void *native = NULL;
  cl_int code = statuses != NULL ? make_native(session, decoded, data, statuses, &native)
                                 : CL_OUT_OF_HOST_MEMORY;
  object->code = code;
  object->native = native;
  if (code == CL_SUCCESS && object->sort == VOCL_QUEUE)
    queue_begin(session, (struct vocl_service_queue *)object, decoded);
  if (code == CL_SUCCESS && object_bytes(object->sort) == sizeof(struct vocl_service_memory)) {
    struct vocl_service_memory *memory = (struct vocl_service_memory *)object;
    memory_learn(session, memory, msg);
    if (object->sort == VOCL_IMAGE && msg->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
      const struct vocl_service_object *buffer =
          vocl_service_object_find(session, msg->image_memory);
      memory->below = buffer != NULL ? buffer->native : NULL;
    }
  }
  if (msg->header.ticket != 0) {
    vocl_service_reply_bytes(
        session,
        &(struct vocl_msg_reply){.header.ticket = msg->header.ticket,
                                 .code = code,
                                 .bytes = object->sort == VOCL_BINARY_PROGRAM && statuses != NULL
                                              ? msg->device_count * sizeof *statuses
                                              : 0},
        statuses);
    if (code != CL_SUCCESS)
      vocl_service_object_forget(session, object);
  }
  free(statuses);
  return true;
}

/* Makes a kernel. The vendor makes it first, because the size of our object depends on the
 * number of arguments. */
static bool make_kernel(struct vocl_service *session, const struct decoded *decoded)
{
  const struct vocl_msg_make *msg = decoded->msg;
  void *native = NULL;
  cl_int code = make_native(session, decoded, NULL, NULL, &native);
  struct vocl_service_kernel *kernel = vocl_service_kernel_new(session, msg->number, native, &code);
  if (kernel == NULL)
    return vocl_service_protocol_error(session, "a kernel's number");
  vocl_service_reply(session, msg->header.ticket, code);
  if (code != CL_SUCCESS && msg->header.ticket != 0)
    vocl_service_object_forget(session, &kernel->object);
  return true;
}

/* Frees an object that is dropped before all of its data has arrived. */
static void making_end(struct vocl_service *session, struct vocl_service_object *object)
{
  struct vocl_service_creation *making = object->native;
  free(making->data);
  free(making);
  vocl_service_object_free(session, object);
}

/* Keeps the message until all of its data has arrived. */
static bool make_later(struct vocl_service *session, struct vocl_service_object *object,
                       const struct vocl_msg_make *msg, size_t bytes)
{
  struct vocl_service_creation *making = malloc(sizeof *making + bytes - sizeof *msg);
  if (making == NULL)
    return vocl_service_protocol_error(session, "no memory for an object");
  *making = (struct vocl_service_creation){.message_bytes = bytes};
  memcpy(&making->message, msg, bytes);
  making->data = malloc(msg->data);
  object->native = making;
  object->is_coming = true;
  object->end = making_end;
  return true;
}

bool vocl_on_make(struct vocl_service *session, const void *message, size_t bytes)
{
  const struct vocl_msg_make *msg = message;
  struct decoded decoded;
  const enum vocl_sort sort = (enum vocl_sort)msg->sort;
  if (sort > VOCL_KERNEL || !make_parts(msg, bytes, NULL, &decoded))
    return vocl_service_protocol_error(session, "lengths of an object to be made");
  if (sort == VOCL_KERNEL)
    return msg->data == 0 ? make_kernel(session, &decoded)
                          : vocl_service_protocol_error(session, "data of a kernel");
  if (msg->data > 0 && sort == VOCL_BUFFER && msg->data != msg->size)
    return vocl_service_protocol_error(session, "the size of a buffer and of its data");
  if (msg->data > 0 && sort != VOCL_BUFFER && sort != VOCL_IMAGE && sort != VOCL_SOURCE_PROGRAM &&
      sort != VOCL_BINARY_PROGRAM)
    return vocl_service_protocol_error(session, "data for an object that takes none");
  struct vocl_service_object *object =
      vocl_service_object_enter(session, sort, msg->number, object_bytes(sort));
  if (object == NULL)
    return vocl_service_protocol_error(session, "the number of an object to be made");
  return msg->data > 0 ? make_later(session, object, msg, bytes)
                       : make_now(session, &decoded, object, NULL);
}

bool vocl_service_make_continue(struct vocl_service *session, struct vocl_service_object *object,
                                const struct vocl_msg_data *data, const char *bytes)
{
  struct vocl_service_creation *making = object->native;
  const struct vocl_msg_make *msg = &making->message;
  struct decoded decoded;
  if (data->offset != making->received || data->bytes > msg->data - making->received)
    return vocl_service_protocol_error(session, "data of an object");
  if (making->data != NULL)
    memcpy(making->data + making->received, bytes, data->bytes);
  making->received += data->bytes;
  if (making->received < msg->data)
    return true;
  object->native = NULL;
  object->is_coming = false;
  object->end = NULL;
  object->code = CL_OUT_OF_HOST_MEMORY;
  bool is_good = true;
  if (making->data == NULL) {
    vocl_service_reply(session, msg->header.ticket, CL_OUT_OF_HOST_MEMORY);
    if (msg->header.ticket != 0)
      vocl_service_object_forget(session, object);
  } else {
    is_good = make_parts(msg, making->message_bytes, making->data, &decoded) &&
              make_now(session, &decoded, object, making->data);
  }
  free(making->data);
  free(making);
  return is_good;
}

/* --- several objects at once; dropping objects --- */

static const uint32_t *numbers_of(const void *message, size_t bytes, uint32_t *count)
{
  const struct vocl_msg_numbers *msg = message;
  *count = msg->count;
  return msg->count <= (bytes - sizeof *msg) / sizeof *msg->numbers ? msg->numbers : NULL;
}

/* Makes all kernels of a program and assigns the numbers in the message to them. Makes none if the
 * message has fewer numbers than the program has kernels. */
bool vocl_on_make_kernels(struct vocl_service *session, const void *message, size_t bytes)
{
  const uint64_t ticket = ((const struct vocl_msg_header *)message)->ticket;
  uint32_t count = 0;
  const uint32_t *numbers = numbers_of(message, bytes, &count);
  if (numbers == NULL || count == 0)
    return vocl_service_protocol_error(session, "numbers of kernels");
  cl_int code = CL_SUCCESS;
  cl_uint total = 0;
  void **natives = NULL;
  const struct vocl_service_object *program =
      vocl_service_object_resolve(session, numbers[0], VOCL_SOURCE_PROGRAM, &code);
  if (program != NULL)
    code = program->builds > 0 ? CL_INVALID_PROGRAM_EXECUTABLE
                               : vocl_native_make_kernels(program->native, 0, NULL, &total);
  if (code == CL_SUCCESS && count > 1 && count - 1 < total)
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS && count > 1) {
    natives = calloc(total + (size_t)1, sizeof *natives);
    code = natives != NULL ? vocl_native_make_kernels(program->native, total, natives, NULL)
                           : CL_OUT_OF_HOST_MEMORY;
  }
  bool is_good = true;
  for (cl_uint i = 0; code == CL_SUCCESS && natives != NULL && i < total; i++) {
    cl_int one = CL_SUCCESS;
    is_good &= vocl_service_kernel_new(session, numbers[1 + i], natives[i], &one) != NULL;
  }
  free(natives);
  vocl_service_reply_bytes(
      session,
      &(struct vocl_msg_reply){
          .header.ticket = ticket, .code = code, .count = total, .needed = total},
      NULL);
  return is_good || vocl_service_protocol_error(session, "a kernel's number");
}

/* Assigns numbers to the `total` sub-devices that the vendor has made. If that fails for one of
 * them, releases it and all later ones, and returns false. */
static bool sub_devices_enter(struct vocl_service *session, const struct vocl_msg_sub_devices *msg,
                              void **natives, cl_uint total)
{
  bool is_good = msg->first >= VOCL_FIRST_OBJECT_NUMBER;
  for (cl_uint i = 0; i < total; i++) {
    struct vocl_service_object *object =
        is_good ? vocl_service_object_enter(session, VOCL_DEVICE, msg->first + i, sizeof *object)
                : NULL;
    if (object == NULL) {
      vocl_native_drop(VOCL_DEVICE, natives[i]);
      is_good = false;
      continue;
    }
    object->native = natives[i];
    object->code = CL_SUCCESS;
  }
  return is_good;
}

static cl_int sub_devices_make(struct vocl_service *session, const struct vocl_msg_sub_devices *msg,
                               const cl_device_partition_property *properties, cl_uint *total,
                               bool *is_good, void **device_list, size_t *device_list_bytes)
{
  void *device = vocl_service_device(session, msg->device);
  if (device == NULL)
    return CL_INVALID_DEVICE;
  cl_int code = vocl_native_make_sub_devices(device, properties, 0, NULL, total);
  if (code != CL_SUCCESS || msg->most == 0)
    return code;
  if (msg->most < *total)
    return CL_INVALID_VALUE;
  void **natives = calloc(*total + (size_t)1, sizeof *natives);
  struct vocl_found_device *found = calloc(*total + (size_t)1, sizeof *found);
  code = natives != NULL && found != NULL
             ? vocl_native_make_sub_devices(device, properties, *total, natives, NULL)
             : CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS) {
    for (cl_uint i = 0; i < *total; i++)
      found[i].object = natives[i];
    *device_list = vocl_device_list_make_of(0, found, *total, device_list_bytes);
    *is_good = sub_devices_enter(session, msg, natives, *total);
  }
  free(natives);
  free(found);
  return code;
}

bool vocl_on_make_sub_devices(struct vocl_service *session, const void *message, size_t bytes)
{
  enum { MOST_WORDS = 1024 };
  const struct vocl_msg_sub_devices *msg = message;
  cl_device_partition_property properties[MOST_WORDS + 2] = {0};
  if (msg->property_words > MOST_WORDS ||
      msg->property_words > (bytes - sizeof *msg) / sizeof *msg->properties)
    return vocl_service_protocol_error(session, "properties of sub-devices");
  for (uint32_t i = 0; i < msg->property_words; i++)
    properties[i] = (cl_device_partition_property)msg->properties[i];
  cl_uint total = 0;
  bool is_good = true;
  void *device_list = NULL;
  size_t device_list_bytes = 0;
  const cl_int code = sub_devices_make(session, msg, properties, &total, &is_good, &device_list,
                                       &device_list_bytes);
  vocl_service_reply_bytes(
      session,
      &(struct vocl_msg_reply){.header.ticket = msg->header.ticket,
                               .code = code,
                               .count = total,
                               .needed = total,
                               .bytes = device_list != NULL ? device_list_bytes : 0},
      device_list);
  free(device_list);
  return is_good || vocl_service_protocol_error(session, "the number of a sub-device");
}

/* Drops objects. Numbers without an object are ignored, and an object may be dropped while its
 * data is still arriving. */
bool vocl_on_drop(struct vocl_service *session, const void *message, size_t bytes)
{
  uint32_t count = 0;
  const uint32_t *numbers = numbers_of(message, bytes, &count);
  if (numbers == NULL)
    return vocl_service_protocol_error(session, "numbers of dropped objects");
  for (uint32_t i = 0; i < count; i++) {
    struct vocl_service_object *object = vocl_service_object_find(session, numbers[i]);
    if (object != NULL)
      vocl_service_object_forget(session, object);
  }
  vocl_service_queues_reap(session);
  return true;
}

/* Registers a callback of the vendor for the deletion of memory. If that fails and the request has
 * no reply, the program still waits for the notice; vocl_service_object_free then sends it. */
static cl_int memory_report_deleted(struct vocl_service *session, uint32_t number, bool is_queried)
{
  cl_int code = CL_SUCCESS;
  const struct vocl_service_object *memory =
      vocl_service_object_resolve(session, number, VOCL_BUFFER, &code);
  if (memory != NULL)
    code = vocl_native_on_deleted(memory->native, vocl_service_deleted_notice,
                                  vocl_service_notice_data(session, number));
  struct vocl_service_object *object = vocl_service_object_find(session, number);
  if (code != CL_SUCCESS && !is_queried && object != NULL &&
      object_bytes(object->sort) == sizeof(struct vocl_service_memory))
    object->reports_end = true;
  return code;
}

bool vocl_on_watch_deleted(struct vocl_service *session, const void *message, size_t bytes)
{
  const uint64_t ticket = ((const struct vocl_msg_header *)message)->ticket;
  uint32_t count = 0;
  const uint32_t *numbers = numbers_of(message, bytes, &count);
  if (numbers == NULL)
    return vocl_service_protocol_error(session, "numbers of memory");
  cl_int code = CL_SUCCESS;
  for (uint32_t i = 0; i < count; i++) {
    const cl_int each = memory_report_deleted(session, numbers[i], ticket != 0);
    code = each != CL_SUCCESS ? each : code;
  }
  vocl_service_reply(session, ticket, code);
  return true;
}
