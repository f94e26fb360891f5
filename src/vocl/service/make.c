/* Makes and drops objects as the program says: of one message, or of one and data that follows. */
#include "service/session.h"

#include "wire/census.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_QUEUES = 1024, MOST_PROPERTIES = 16, MOST_STRINGS = 1 << 20 };

/* What is to be made: `native` of such an object. */
struct cwi_service_making {
  size_t message_bytes;
  uint64_t come;
  char *data;
  struct cwi_say_make message; /* what follows it, too */
};

static size_t object_bytes(enum cwi_sort sort)
{
  switch (sort) {
  case CWI_QUEUE:
    return sizeof(struct cwi_service_queue);
  case CWI_BUFFER:
  case CWI_SUB_BUFFER:
  case CWI_IMAGE:
    return sizeof(struct cwi_service_memory);
  default:
    return sizeof(struct cwi_service_object);
  }
}

static enum cwi_sort parent_of(enum cwi_sort sort)
{
  return sort == CWI_SUB_BUFFER ? CWI_BUFFER
         : sort == CWI_KERNEL   ? CWI_SOURCE_PROGRAM
                                : CWI_CONTEXT;
}

/* A message as it was checked: where its parts are. */
struct parted {
  const struct cwi_say_make *said;
  const uint32_t *devices;
  const uint64_t *properties, *lengths;
  const char *strings; /* of the message, or the data */
  uint64_t bytes;      /* of all strings */
};

/* data: what came apart from the message; NULL: nothing did. */
static bool make_parts(const struct cwi_say_make *said, size_t bytes, const char *data,
                       struct parted *parted)
{
  struct cwi_service_parts parts = {(const char *)(said + 1), bytes - sizeof *said, true};
  *parted = (struct parted){.said = said};
  parted->devices = cwi_service_part(&parts, said->device_count, sizeof *parted->devices);
  parted->properties = cwi_service_part(&parts, said->property_words, sizeof *parted->properties);
  parted->lengths = cwi_service_part(&parts, said->string_count, sizeof *parted->lengths);
  if (!parts.are_good)
    return false;
  for (uint32_t i = 0; i < said->string_count; i++)
    if (__builtin_add_overflow(parted->bytes, parted->lengths[i], &parted->bytes))
      return false;
  parted->strings = data != NULL ? data : parts.at;
  return said->string_count == 0 ||
         (said->data > 0 ? parted->bytes == said->data : parted->bytes <= parts.left);
}

/* The strings, each with an end behind it. To be freed. */
static char **make_strings(const struct parted *parted)
{
  const uint32_t count = parted->said->string_count;
  char **strings = malloc((count + (size_t)1) * sizeof *strings + parted->bytes + count);
  if (strings == NULL)
    return NULL;
  char *to = (char *)(strings + count + 1);
  const char *from = parted->strings;
  for (uint32_t i = 0; i < count; i++) {
    strings[i] = to;
    memcpy(to, from, parted->lengths[i]);
    to += parted->lengths[i];
    from += parted->lengths[i];
    *to++ = '\0';
  }
  return strings;
}

/* --- memory --- */

static void memory_learn(struct cwi_service *session, struct cwi_service_memory *memory)
{
  static const cl_image_info sides[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
  struct cwi_native_question question = {
      .about = CWI_ABOUT_MEMORY, .object = memory->object.native, .what = CL_MEM_SIZE};
  cwi_native_ask(&question, sizeof memory->size, &memory->size, NULL);
  if (memory->object.sort != CWI_SUB_BUFFER)
    memory->counted = memory->size;
  cwi_service_count(&session->counts->device_bytes, memory->counted);
  if (memory->object.sort != CWI_IMAGE)
    return;
  question.about = CWI_ABOUT_IMAGE;
  question.what = CL_IMAGE_ELEMENT_SIZE;
  cwi_native_ask(&question, sizeof memory->element, &memory->element, NULL);
  for (int i = 0; i < 3; i++) {
    question.what = sides[i];
    cwi_native_ask(&question, sizeof *memory->extent, &memory->extent[i], NULL);
  }
}

/* Of an array of images the last side is their number. */
static void memory_learn_array(struct cwi_service_memory *memory, const struct cwi_say_make *said)
{
  if (said->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    memory->extent[1] = said->image[3];
  else if (said->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
    memory->extent[2] = said->image[3];
  for (int i = 0; i < 3; i++)
    if (memory->extent[i] == 0)
      memory->extent[i] = 1;
}

/* What vendors read of host data: rows and slices at the pitches given. false: too much. */
static bool image_host_bytes(const struct cwi_say_make *said, size_t element, size_t *bytes)
{
  const uint64_t *image = said->image; /* width, height, depth, array size, pitches */
  const bool is_rows = said->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  size_t rows = is_rows ? 1 : image[1] > 0 ? image[1] : 1;
  size_t slices = said->image_type == CL_MEM_OBJECT_IMAGE3D ? image[2] : 1;
  if (is_rows || said->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
    slices = image[3];
  size_t row = 0, slice = 0;
  if (__builtin_mul_overflow(image[0], element, &row))
    return false;
  row = image[4] > row ? image[4] : row;
  if (__builtin_mul_overflow(row, rows, &slice))
    return false;
  slice = image[5] > slice ? image[5] : slice;
  return !__builtin_mul_overflow(slice, slices, bytes);
}

/* Host data of an image, as long as the vendor may read. NULL: *code says why; the vendor says it
 * of an image without any. */
static void *image_host(const struct cwi_making *making, const struct cwi_say_make *said,
                        const char *data, cl_int *code)
{
  const cl_mem_flags of_host = CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR;
  cl_image_desc description = *making->image;
  description.image_row_pitch = description.image_slice_pitch = 0;
  struct cwi_making probe = *making;
  probe.flags &= ~of_host;
  probe.image = &description;
  void *object = NULL;
  size_t element = 0, bytes = 0;
  *code = cwi_native_make(&probe, &object);
  if (*code != CL_SUCCESS)
    return NULL;
  *code = cwi_native_ask(&(struct cwi_native_question){.about = CWI_ABOUT_IMAGE,
                                                       .object = object,
                                                       .what = CL_IMAGE_ELEMENT_SIZE},
                         sizeof element, &element, NULL);
  cwi_native_drop(CWI_IMAGE, object);
  if (*code == CL_SUCCESS && !image_host_bytes(said, element, &bytes))
    *code = CL_INVALID_IMAGE_DESCRIPTOR;
  bytes = bytes > said->data ? bytes : said->data;
  char *host = *code == CL_SUCCESS ? calloc(1, bytes) : NULL;
  if (host != NULL)
    memcpy(host, data, said->data);
  else if (*code == CL_SUCCESS)
    *code = CL_OUT_OF_HOST_MEMORY;
  return host;
}

static cl_int make_image(struct cwi_service *session, const struct parted *parted, const char *data,
                         struct cwi_making *making, void **native)
{
  const struct cwi_say_make *said = parted->said;
  const uint64_t *image = said->image;
  const cl_image_format format = {said->image_format[0], said->image_format[1]};
  cl_image_desc description = {.image_type = said->image_type,
                               .image_width = image[0],
                               .image_height = image[1],
                               .image_depth = image[2],
                               .image_array_size = image[3],
                               .image_row_pitch = image[4],
                               .image_slice_pitch = image[5]};
  cl_int code = CL_SUCCESS;
  if (said->image_memory != 0) {
    const struct cwi_service_object *below =
        cwi_service_resolve(session, said->image_memory, CWI_BUFFER, &code);
    if (below == NULL)
      return CL_INVALID_IMAGE_DESCRIPTOR;
    description.mem_object = below->native;
  }
  struct cwi_making of_image = *making;
  of_image.format = &format;
  of_image.image = &description;
  char *host = data != NULL ? image_host(&of_image, said, data, &code) : NULL;
  of_image.host = host;
  if (code == CL_SUCCESS)
    code = cwi_native_make(&of_image, native);
  free(host);
  return code;
}

/* --- the others --- */

/* Of a context: none that is an address in the program. */
static cl_int make_context(struct cwi_service *session, const struct parted *parted,
                           struct cwi_making *making, void **native)
{
  cl_context_properties properties[2 * MOST_PROPERTIES + 1];
  const uint32_t words = parted->said->property_words;
  size_t n = 0;
  for (uint32_t i = 0; i < words && parted->properties[i] != 0; i += 2) {
    if (i + 1 == words || n == 2 * MOST_PROPERTIES ||
        parted->properties[i] != CL_CONTEXT_INTEROP_USER_SYNC)
      return CL_INVALID_PROPERTY;
    properties[n++] = (cl_context_properties)parted->properties[i];
    properties[n++] = (cl_context_properties)parted->properties[i + 1];
  }
  properties[n] = 0;
  making->properties = properties;
  if (parted->said->has_notice) {
    making->notice = cwi_service_context_notice;
    making->notice_data = cwi_service_notice_data(session, parted->said->number);
  }
  return making->device_count > 0 ? cwi_native_make(making, native) : CL_INVALID_VALUE;
}

/* The vendor's text is all strings one after the other, up to the first 0. */
static bool has_text(char *const *strings, const struct parted *parted)
{
  const uint32_t count = parted->said->string_count;
  for (uint32_t i = 0; i < count; i++)
    if (strings[i][0] != '\0' || parted->lengths[i] > 0)
      return strings[i][0] != '\0';
  return false;
}

static cl_int make_of_strings(const struct parted *parted, struct cwi_making *making,
                              cl_int *statuses, void **native)
{
  const enum cwi_sort sort = making->sort;
  const uint32_t count = parted->said->string_count;
  if (count == 0 || (sort == CWI_BINARY_PROGRAM && count != making->device_count) ||
      (sort != CWI_SOURCE_PROGRAM && making->device_count == 0 && sort != CWI_KERNEL))
    return CL_INVALID_VALUE;
  char **strings = make_strings(parted);
  if (strings == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  making->count = count;
  making->strings = (const void *const *)strings;
  making->lengths = (const size_t *)parted->lengths;
  making->name = strings[0];
  making->statuses = statuses;
  if (sort == CWI_SOURCE_PROGRAM && !has_text(strings, parted)) { /* to build it ends PoCL */
    static const char *const blank[] = {" "};
    making->count = 1;
    making->strings = (const void *const *)blank;
    making->lengths = NULL;
  }
  const cl_int code = cwi_native_make(making, native);
  free(strings);
  return code;
}

static cl_int make_native(struct cwi_service *session, const struct parted *parted,
                          const char *data, cl_int *statuses, void **native)
{
  const struct cwi_say_make *said = parted->said;
  struct cwi_making making = {.sort = (enum cwi_sort)said->sort,
                              .device_count = said->device_count,
                              .flags = said->flags,
                              .size = said->size,
                              .offset = said->offset,
                              .normalized = said->normalized,
                              .addressing = said->addressing,
                              .filter = said->filter};
  cl_int code = CL_SUCCESS;
  if (making.sort != CWI_CONTEXT) {
    const struct cwi_service_object *parent =
        cwi_service_resolve(session, said->parent, parent_of(making.sort), &code);
    if (parent == NULL)
      return code;
    if (making.sort == CWI_KERNEL && parent->builds > 0)
      return CL_INVALID_PROGRAM_EXECUTABLE; /* vendors change the program meanwhile */
    if (making.sort == CWI_SUB_BUFFER && parent->sort == CWI_IMAGE)
      return CL_INVALID_MEM_OBJECT;
    making.parent = parent->native;
  }
  void **devices = cwi_service_devices(session, parted->devices, said->device_count, &code);
  if (devices == NULL)
    return code;
  making.devices = devices;
  /* The program's memory is not here: what it has is copied. */
  if (data != NULL && (making.flags & CL_MEM_USE_HOST_PTR) != 0 &&
      (making.flags & CL_MEM_COPY_HOST_PTR) == 0)
    making.flags ^= CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  switch (making.sort) {
  case CWI_CONTEXT:
    code = make_context(session, parted, &making, native);
    break;
  case CWI_IMAGE:
    code = make_image(session, parted, data, &making, native);
    break;
  case CWI_SOURCE_PROGRAM:
  case CWI_BINARY_PROGRAM:
  case CWI_BUILT_IN_PROGRAM:
  case CWI_KERNEL:
    code = make_of_strings(parted, &making, statuses, native);
    break;
  case CWI_QUEUE:
    code = making.device_count != 1              ? CL_INVALID_DEVICE
           : session->queue_count >= MOST_QUEUES ? CL_OUT_OF_RESOURCES
                                                 : cwi_native_make(&making, native);
    break;
  default:
    making.host = (void *)(uintptr_t)data;
    code = cwi_native_make(&making, native);
  }
  free(devices);
  return code;
}

static void queue_begin(struct cwi_service *session, struct cwi_service_queue *queue,
                        const struct parted *parted)
{
  const struct cwi_say_make *said = parted->said;
  const uint32_t device = parted->devices[0];
  queue->load = device < CWI_SERVICE_DEVICES ? &session->counts->loads[device] : &session->parts;
  cwi_service_count(&queue->load->queues, 1);
  queue->session = session;
  queue->object.end = cwi_service_queue_leave;
  queue->is_profiled = (said->flags & CL_QUEUE_PROFILING_ENABLE) != 0;
  queue->keeps_order = (said->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  pthread_cond_init(&queue->work, NULL);
  queue->next = session->queues;
  session->queues = queue;
  session->queue_count++;
}

/* All that it takes is there. object: entered, but a kernel is not. Answers. */
static bool make_now(struct cwi_service *session, const struct parted *parted,
                     struct cwi_service_object *object, const char *data)
{
  const struct cwi_say_make *said = parted->said;
  cl_int *statuses = calloc(said->device_count + (size_t)1, sizeof *statuses);
  void *native = NULL;
  cl_int code = statuses != NULL ? make_native(session, parted, data, statuses, &native)
                                 : CL_OUT_OF_HOST_MEMORY;
  object->code = code;
  object->native = native;
  if (code == CL_SUCCESS && object->sort == CWI_QUEUE)
    queue_begin(session, (struct cwi_service_queue *)object, parted);
  if (code == CL_SUCCESS && object_bytes(object->sort) == sizeof(struct cwi_service_memory)) {
    struct cwi_service_memory *memory = (struct cwi_service_memory *)object;
    memory_learn(session, memory);
    if (object->sort == CWI_IMAGE)
      memory_learn_array(memory, said);
    if (object->sort == CWI_IMAGE && said->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
      const struct cwi_service_object *buffer = cwi_service_find(session, said->image_memory);
      memory->below = buffer != NULL ? buffer->native : NULL;
    }
  }
  if (said->said.ticket != 0) {
    cwi_service_answer_bytes(
        session,
        &(struct cwi_say_answer){.said.ticket = said->said.ticket,
                                 .code = code,
                                 .bytes = object->sort == CWI_BINARY_PROGRAM && statuses != NULL
                                              ? said->device_count * sizeof *statuses
                                              : 0},
        statuses);
    if (code != CL_SUCCESS)
      cwi_service_forget(session, object);
  }
  free(statuses);
  return true;
}

/* A kernel is as long as it has arguments: the vendor makes it first. */
static bool make_kernel(struct cwi_service *session, const struct parted *parted)
{
  const struct cwi_say_make *said = parted->said;
  void *native = NULL;
  cl_int code = make_native(session, parted, NULL, NULL, &native);
  struct cwi_service_kernel *kernel = cwi_service_kernel_new(session, said->number, native, &code);
  if (kernel == NULL)
    return cwi_service_wild(session, "a kernel's number");
  cwi_service_answer(session, said->said.ticket, code);
  if (code != CL_SUCCESS && said->said.ticket != 0)
    cwi_service_forget(session, &kernel->object);
  return true;
}

/* What was to be made, and will not. */
static void making_end(struct cwi_service *session, struct cwi_service_object *object)
{
  struct cwi_service_making *making = object->native;
  free(making->data);
  free(making);
  cwi_service_object_free(session, object);
}

/* Keeps the message until all of its data has come. */
static bool make_later(struct cwi_service *session, struct cwi_service_object *object,
                       const struct cwi_say_make *said, size_t bytes)
{
  struct cwi_service_making *making = malloc(sizeof *making + bytes - sizeof *said);
  if (making == NULL)
    return cwi_service_wild(session, "no memory for an object");
  *making = (struct cwi_service_making){.message_bytes = bytes};
  memcpy(&making->message, said, bytes);
  making->data = malloc(said->data);
  object->native = making;
  object->is_coming = true;
  object->end = making_end;
  return true;
}

bool cwi_service_make(struct cwi_service *session, const void *message, size_t bytes)
{
  const struct cwi_say_make *said = message;
  struct parted parted;
  const enum cwi_sort sort = (enum cwi_sort)said->sort;
  if (sort > CWI_KERNEL || !make_parts(said, bytes, NULL, &parted))
    return cwi_service_wild(session, "lengths of an object to be made");
  if (sort == CWI_KERNEL)
    return said->data == 0 ? make_kernel(session, &parted)
                           : cwi_service_wild(session, "data of a kernel");
  if (said->data > 0 && sort == CWI_BUFFER && said->data != said->size)
    return cwi_service_wild(session, "a buffer of less data than it has");
  if (said->data > 0 && sort != CWI_BUFFER && sort != CWI_IMAGE && sort != CWI_SOURCE_PROGRAM &&
      sort != CWI_BINARY_PROGRAM)
    return cwi_service_wild(session, "data of what has none");
  struct cwi_service_object *object =
      cwi_service_enter(session, sort, said->number, object_bytes(sort));
  if (object == NULL)
    return cwi_service_wild(session, "the number of an object to be made");
  return said->data > 0 ? make_later(session, object, said, bytes)
                        : make_now(session, &parted, object, NULL);
}

bool cwi_service_make_more(struct cwi_service *session, struct cwi_service_object *object,
                           const struct cwi_say_data *data, const char *bytes)
{
  struct cwi_service_making *making = object->native;
  const struct cwi_say_make *said = &making->message;
  struct parted parted;
  if (data->offset != making->come || data->bytes > said->data - making->come)
    return cwi_service_wild(session, "data of an object");
  if (making->data != NULL)
    memcpy(making->data + making->come, bytes, data->bytes);
  making->come += data->bytes;
  if (making->come < said->data)
    return true;
  object->native = NULL;
  object->is_coming = false;
  object->end = NULL;
  object->code = CL_OUT_OF_HOST_MEMORY;
  bool is_good = true;
  if (making->data == NULL) {
    cwi_service_answer(session, said->said.ticket, CL_OUT_OF_HOST_MEMORY);
    if (said->said.ticket != 0)
      cwi_service_forget(session, object);
  } else {
    is_good = make_parts(said, making->message_bytes, making->data, &parted) &&
              make_now(session, &parted, object, making->data);
  }
  free(making->data);
  free(making);
  return is_good;
}

/* --- several at once, and their end --- */

static const uint32_t *numbers_of(const void *message, size_t bytes, uint32_t *count)
{
  const struct cwi_say_numbers *said = message;
  *count = said->count;
  return said->count <= (bytes - sizeof *said) / sizeof *said->numbers ? said->numbers : NULL;
}

/* Those that are made, get their numbers; if there are not enough numbers, none is made. */
bool cwi_service_make_kernels(struct cwi_service *session, const void *message, size_t bytes)
{
  const uint64_t ticket = ((const struct cwi_said *)message)->ticket;
  uint32_t count = 0;
  const uint32_t *numbers = numbers_of(message, bytes, &count);
  if (numbers == NULL || count == 0)
    return cwi_service_wild(session, "numbers of kernels");
  cl_int code = CL_SUCCESS;
  cl_uint total = 0;
  void **natives = NULL;
  const struct cwi_service_object *program =
      cwi_service_resolve(session, numbers[0], CWI_SOURCE_PROGRAM, &code);
  if (program != NULL)
    code = program->builds > 0 ? CL_INVALID_PROGRAM_EXECUTABLE
                               : cwi_native_make_kernels(program->native, 0, NULL, &total);
  if (code == CL_SUCCESS && count > 1 && count - 1 < total)
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS && count > 1) {
    natives = calloc(total + (size_t)1, sizeof *natives);
    code = natives != NULL ? cwi_native_make_kernels(program->native, total, natives, NULL)
                           : CL_OUT_OF_HOST_MEMORY;
  }
  bool is_good = true;
  for (cl_uint i = 0; code == CL_SUCCESS && natives != NULL && i < total; i++) {
    cl_int one = CL_SUCCESS;
    is_good &= cwi_service_kernel_new(session, numbers[1 + i], natives[i], &one) != NULL;
  }
  free(natives);
  cwi_service_answer_bytes(
      session,
      &(struct cwi_say_answer){
          .said.ticket = ticket, .code = code, .count = total, .needed = total},
      NULL);
  return is_good || cwi_service_wild(session, "a kernel's number");
}

/* The vendor has made `total` of them: they get numbers, or are given back. */
static bool sub_devices_enter(struct cwi_service *session, const struct cwi_say_sub_devices *said,
                              void **natives, cl_uint total)
{
  bool is_good = said->first >= CWI_FIRST_NUMBER;
  for (cl_uint i = 0; i < total; i++) {
    struct cwi_service_object *object =
        is_good ? cwi_service_enter(session, CWI_DEVICE, said->first + i, sizeof *object) : NULL;
    if (object == NULL) {
      cwi_native_drop(CWI_DEVICE, natives[i]);
      is_good = false;
      continue;
    }
    object->native = natives[i];
    object->code = CL_SUCCESS;
  }
  return is_good;
}

static cl_int sub_devices_make(struct cwi_service *session, const struct cwi_say_sub_devices *said,
                               const cl_device_partition_property *properties, cl_uint *total,
                               bool *is_good, void **census, size_t *census_bytes)
{
  void *device = cwi_service_device(session, said->device);
  if (device == NULL)
    return CL_INVALID_DEVICE;
  cl_int code = cwi_native_make_sub_devices(device, properties, 0, NULL, total);
  if (code != CL_SUCCESS || said->most == 0)
    return code;
  if (said->most < *total)
    return CL_INVALID_VALUE;
  void **natives = calloc(*total + (size_t)1, sizeof *natives);
  struct cwi_found_device *found = calloc(*total + (size_t)1, sizeof *found);
  code = natives != NULL && found != NULL
             ? cwi_native_make_sub_devices(device, properties, *total, natives, NULL)
             : CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS) {
    for (cl_uint i = 0; i < *total; i++)
      found[i].object = natives[i];
    *census = cwi_census_of(0, found, *total, census_bytes);
    *is_good = sub_devices_enter(session, said, natives, *total);
  }
  free(natives);
  free(found);
  return code;
}

bool cwi_service_make_sub_devices(struct cwi_service *session, const void *message, size_t bytes)
{
  enum { MOST_WORDS = 1024 };
  const struct cwi_say_sub_devices *said = message;
  cl_device_partition_property properties[MOST_WORDS + 2] = {0};
  if (said->property_words > MOST_WORDS ||
      said->property_words > (bytes - sizeof *said) / sizeof *said->properties)
    return cwi_service_wild(session, "properties of sub-devices");
  for (uint32_t i = 0; i < said->property_words; i++)
    properties[i] = (cl_device_partition_property)said->properties[i];
  cl_uint total = 0;
  bool is_good = true;
  void *census = NULL;
  size_t census_bytes = 0;
  const cl_int code =
      sub_devices_make(session, said, properties, &total, &is_good, &census, &census_bytes);
  cwi_service_answer_bytes(session,
                           &(struct cwi_say_answer){.said.ticket = said->said.ticket,
                                                    .code = code,
                                                    .count = total,
                                                    .needed = total,
                                                    .bytes = census != NULL ? census_bytes : 0},
                           census);
  free(census);
  return is_good || cwi_service_wild(session, "the number of a sub-device");
}

/* What is none, or is not yet, can be dropped as well. */
bool cwi_service_drop(struct cwi_service *session, const void *message, size_t bytes)
{
  uint32_t count = 0;
  const uint32_t *numbers = numbers_of(message, bytes, &count);
  if (numbers == NULL)
    return cwi_service_wild(session, "numbers of what is dropped");
  for (uint32_t i = 0; i < count; i++) {
    struct cwi_service_object *object = cwi_service_find(session, numbers[i]);
    if (object != NULL)
      cwi_service_forget(session, object);
  }
  cwi_service_queues_reap(session);
  return true;
}

/* Memory that could not be made has an end, too. */
static cl_int memory_tell_deleted(struct cwi_service *session, uint32_t number, bool is_asked)
{
  cl_int code = CL_SUCCESS;
  const struct cwi_service_object *memory = cwi_service_resolve(session, number, CWI_BUFFER, &code);
  if (memory != NULL)
    code = cwi_native_tell_deleted(memory->native, cwi_service_deleted_notice,
                                   cwi_service_notice_data(session, number));
  struct cwi_service_object *object = cwi_service_find(session, number);
  if (code != CL_SUCCESS && !is_asked && object != NULL &&
      object_bytes(object->sort) == sizeof(struct cwi_service_memory))
    object->tells_end = true;
  return code;
}

bool cwi_service_tell_deleted(struct cwi_service *session, const void *message, size_t bytes)
{
  const uint64_t ticket = ((const struct cwi_said *)message)->ticket;
  uint32_t count = 0;
  const uint32_t *numbers = numbers_of(message, bytes, &count);
  if (numbers == NULL)
    return cwi_service_wild(session, "numbers of memory");
  cl_int code = CL_SUCCESS;
  for (uint32_t i = 0; i < count; i++) {
    const cl_int each = memory_tell_deleted(session, numbers[i], ticket != 0);
    code = each != CL_SUCCESS ? each : code;
  }
  cwi_service_answer(session, ticket, code);
  return true;
}
