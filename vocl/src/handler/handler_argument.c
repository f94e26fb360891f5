/* Kernels and their arguments. A launch uses the argument values at the time of the call. While a
 * launch waits for its vendor, its kernel must therefore stay unchanged: setting an argument then
 * creates a copy of the kernel, and the copy takes over the kernel's number. */
#include "handler/handler.h"

#include <stdlib.h>
#include <string.h>

static cl_int kernel_query(void *native, cl_uint what, size_t size, void *value)
{
  return vocl_native_query(
      &(struct vocl_query){.about = VOCL_ABOUT_KERNEL, .object = native, .what = what}, size, value,
      NULL);
}

static void kernel_end(struct vocl_service *session, struct vocl_service_object *object)
{
  struct vocl_service_kernel *kernel = (struct vocl_service_kernel *)object;
  for (uint32_t i = 0; i < kernel->count; i++)
    free(kernel->arguments[i].value);
  vocl_service_object_free(session, object);
}

struct vocl_service_kernel *vocl_service_kernel_new(struct vocl_service *session, uint32_t number,
                                                    void *native, cl_int *code)
{
  cl_uint count = 0;
  if (native != NULL)
    *code = kernel_query(native, CL_KERNEL_NUM_ARGS, sizeof count, &count);
  const size_t bytes =
      sizeof(struct vocl_service_kernel) + count * sizeof(struct vocl_service_argument);
  struct vocl_service_kernel *kernel =
      vocl_service_object_enter(session, VOCL_KERNEL, number, bytes);
  if (kernel == NULL) {
    if (native != NULL)
      vocl_native_drop(VOCL_KERNEL, native);
    return NULL;
  }
  kernel->count = count;
  kernel->object.end = kernel_end;
  kernel->object.native = native;
  kernel->object.code = *code;
  return kernel;
}

/* Returns the parameter kind that the vendor reports. Bytes must never be passed for a parameter
 * that is memory, because the vendor would use them as an address. */
static int argument_kind(const struct vocl_service_kernel *kernel, uint32_t index)
{
  cl_kernel_arg_address_qualifier address = 0;
  char type[256] = "";
  struct vocl_query query = {.about = VOCL_ABOUT_ARGUMENT,
                             .object = kernel->object.native,
                             .index = index,
                             .what = CL_KERNEL_ARG_ADDRESS_QUALIFIER};
  const cl_int code = vocl_native_query(&query, sizeof address, &address, NULL);
  query.what = CL_KERNEL_ARG_TYPE_NAME;
  if (code != CL_SUCCESS || vocl_native_query(&query, sizeof type, type, NULL) != CL_SUCCESS)
    return VOCL_PARAMETER_UNKNOWN;
  if (vocl_type_is_image(type))
    return VOCL_PARAMETER_IMAGE;
  if (address == CL_KERNEL_ARG_ADDRESS_GLOBAL || address == CL_KERNEL_ARG_ADDRESS_CONSTANT)
    return VOCL_PARAMETER_BUFFER;
  return strcmp(type, "sampler_t") == 0 ? VOCL_PARAMETER_SAMPLER : VOCL_PARAMETER_VALUE;
}

static bool is_fitting(const struct vocl_service_argument *argument,
                       const struct vocl_msg_argument *msg,
                       const struct vocl_service_object *object)
{
  const bool is_image = object != NULL && object->sort == VOCL_IMAGE;
  const bool is_sampler = object != NULL && object->sort == VOCL_SAMPLER;
  switch (argument->kind) {
  case VOCL_PARAMETER_BUFFER:
    return msg->kind == VOCL_ARGUMENT_OBJECT && !is_image && !is_sampler;
  case VOCL_PARAMETER_IMAGE:
    return msg->kind == VOCL_ARGUMENT_OBJECT && is_image;
  case VOCL_PARAMETER_SAMPLER:
    return msg->kind == VOCL_ARGUMENT_OBJECT && is_sampler;
  case VOCL_PARAMETER_VALUE:
    return msg->kind != VOCL_ARGUMENT_OBJECT;
  default:
    return true;
  }
}

/* Returns the object with this number: a sampler if it is one, otherwise memory. On failure
 * returns NULL and sets *code. */
static struct vocl_service_object *argument_object(struct vocl_service *session, uint32_t number,
                                                   cl_int *code)
{
  const struct vocl_service_object *found = vocl_service_object_find(session, number);
  const bool is_sampler = found != NULL && found->sort == VOCL_SAMPLER;
  return vocl_service_object_resolve(session, number, is_sampler ? VOCL_SAMPLER : VOCL_BUFFER,
                                     code);
}

/* Returns the object that `argument` referred to when it was set, or NULL if there was none or
 * it has been dropped since. */
static struct vocl_service_object *named_object(struct vocl_service *session,
                                                const struct vocl_service_argument *argument)
{
  struct vocl_service_object *object =
      argument->object != 0 ? vocl_service_object_find(session, argument->object) : NULL;
  return object != NULL && object->generation == argument->generation ? object : NULL;
}

/* Sets the saved argument in the vendor's kernel `native`. */
static cl_int argument_set(struct vocl_service *session, void *native, uint32_t index,
                           const struct vocl_service_argument *argument)
{
  if (argument->object == 0)
    return vocl_native_set_argument(native, index, argument->size, argument->value);
  const struct vocl_service_object *object = named_object(session, argument);
  if (object == NULL)
    return CL_SUCCESS; /* the object is gone: vocl_service_check_arguments rejects a launch until
                          the program sets another one */
  return vocl_native_set_argument(native, index, sizeof object->native, &object->native);
}

static void argument_copy(struct vocl_service_argument *to,
                          const struct vocl_service_argument *from)
{
  *to = *from;
  to->value = from->value != NULL ? malloc(from->size) : NULL;
  if (to->value != NULL)
    memcpy(to->value, from->value, from->size);
}

/* Creates a kernel with the same arguments that takes over the number of `kernel`. On failure
 * returns NULL; *code is then the vendor's error, or CL_SUCCESS if there was no memory. */
static struct vocl_service_kernel *kernel_copy(struct vocl_service *session,
                                               struct vocl_service_kernel *kernel, cl_int *code)
{
  char name[1024] = "";
  void *program = NULL, *native = NULL;
  *code = kernel_query(kernel->object.native, CL_KERNEL_FUNCTION_NAME, sizeof name, name);
  if (*code == CL_SUCCESS)
    *code = kernel_query(kernel->object.native, CL_KERNEL_PROGRAM, sizeof program, &program);
  if (*code == CL_SUCCESS)
    *code = vocl_native_make(
        &(struct vocl_making){.sort = VOCL_KERNEL, .parent = program, .name = name}, &native);
  const size_t bytes = sizeof *kernel + kernel->count * sizeof *kernel->arguments;
  struct vocl_service_kernel *copy = *code == CL_SUCCESS ? calloc(1, bytes) : NULL;
  if (copy == NULL) {
    if (native != NULL)
      vocl_native_drop(VOCL_KERNEL, native);
    return NULL;
  }
  copy->object = kernel->object;
  copy->object.refs = 1;
  copy->object.native = native;
  copy->count = kernel->count;
  for (uint32_t i = 0; i < kernel->count; i++) {
    argument_copy(&copy->arguments[i], &kernel->arguments[i]);
    if (kernel->arguments[i].is_set)
      argument_set(session, native, i, &kernel->arguments[i]);
  }
  vocl_service_count(&session->counts->objects, 1);
  vocl_service_object_replace(session, &kernel->object, &copy->object);
  return copy;
}

static void argument_keep(struct vocl_service_argument *argument,
                          const struct vocl_msg_argument *msg,
                          const struct vocl_service_object *object)
{
  free(argument->value);
  argument->is_set = true;
  argument->code = CL_SUCCESS;
  argument->object = object != NULL ? object->number : 0;
  argument->generation = object != NULL ? object->generation : 0;
  argument->size = msg->size;
  argument->value = NULL;
  if (msg->kind == VOCL_ARGUMENT_VALUE) {
    argument->value = malloc(msg->size);
    if (argument->value != NULL)
      memcpy(argument->value, msg->value, msg->size);
  } else if (msg->kind == VOCL_ARGUMENT_OBJECT && object == NULL) {
    static const size_t address = sizeof(void *);
    argument->size = address;
    argument->value = calloc(1, address); /* a null pointer as value */
  }
}

static cl_int argument_receive(struct vocl_service *session, const struct vocl_msg_argument *msg)
{
  cl_int code = CL_SUCCESS;
  struct vocl_service_object *object = NULL;
  struct vocl_service_kernel *kernel =
      (struct vocl_service_kernel *)vocl_service_object_find(session, msg->kernel);
  if (kernel == NULL || kernel->object.sort != VOCL_KERNEL || kernel->object.native == NULL)
    return CL_INVALID_KERNEL;
  if (msg->index >= kernel->count)
    return CL_INVALID_ARG_INDEX;
  struct vocl_service_argument *argument = &kernel->arguments[msg->index];
  if (argument->kind == VOCL_PARAMETER_NOT_QUERIED)
    argument->kind = argument_kind(kernel, msg->index);
  if (msg->kind == VOCL_ARGUMENT_OBJECT && msg->object != 0) {
    object = argument_object(session, msg->object, &code);
    if (object == NULL)
      return code;
  }
  if (!is_fitting(argument, msg, object))
    return CL_INVALID_ARG_VALUE;
  if (kernel->waiting > 0)
    kernel = kernel_copy(session, kernel, &code);
  if (kernel == NULL)
    return code != CL_SUCCESS ? code : CL_OUT_OF_HOST_MEMORY;
  void *const none = NULL;
  const void *value = msg->kind == VOCL_ARGUMENT_VALUE   ? msg->value
                      : msg->kind == VOCL_ARGUMENT_LOCAL ? NULL
                      : object != NULL                   ? (const void *)&object->native
                                                         : (const void *)&none;
  const size_t size = msg->kind == VOCL_ARGUMENT_OBJECT ? sizeof(void *) : msg->size;
  code = vocl_native_set_argument(kernel->object.native, msg->index, size, value);
  if (code == CL_SUCCESS)
    argument_keep(&kernel->arguments[msg->index], msg, object);
  return code;
}

/* Records that an argument could not be set. The vendor's kernel still has the previous value,
 * which no launch may use. */
static void argument_miss(struct vocl_service *session, const struct vocl_msg_argument *msg,
                          cl_int code)
{
  struct vocl_service_kernel *kernel =
      (struct vocl_service_kernel *)vocl_service_object_find(session, msg->kernel);
  if (kernel != NULL && kernel->object.sort == VOCL_KERNEL && msg->index < kernel->count)
    kernel->arguments[msg->index].code = code;
}

/* Handles VOCL_MSG_ARGUMENT. Without a ticket no reply is sent; then the next launch reports the
 * error. */
bool vocl_service_argument(struct vocl_service *session, const void *message, size_t bytes)
{
  const struct vocl_msg_argument *msg = message;
  if (msg->kind > VOCL_ARGUMENT_OBJECT ||
      (msg->kind == VOCL_ARGUMENT_VALUE && msg->size > bytes - sizeof *msg))
    return vocl_service_protocol_error(session, "an argument");
  const cl_int code = argument_receive(session, msg);
  if (msg->header.ticket != 0)
    vocl_service_reply(session, msg->header.ticket, code);
  else if (code != CL_SUCCESS)
    argument_miss(session, msg, code);
  return true;
}

/* Rejects a launch whose kernel refers to an object that has been dropped: the vendor would read
 * freed memory. */
cl_int vocl_service_check_arguments(struct vocl_service *session,
                                    const struct vocl_service_command *command)
{
  const struct vocl_service_kernel *kernel = vocl_service_kernel_of(command);
  for (uint32_t i = 0; i < kernel->count; i++) {
    const struct vocl_service_argument *argument = &kernel->arguments[i];
    if (argument->code != CL_SUCCESS)
      return argument->code;
    if (argument->object != 0 && named_object(session, argument) == NULL)
      return CL_INVALID_KERNEL_ARGS;
  }
  return CL_SUCCESS;
}

bool vocl_service_snapshot_arguments(struct vocl_service *session,
                                     struct vocl_service_command *command)
{
  struct vocl_service_kernel *kernel = vocl_service_kernel_of(command);
  command->kept = calloc(kernel->count + (size_t)1, sizeof *command->kept);
  if (command->kept == NULL)
    return false;
  for (uint32_t i = 0; i < kernel->count; i++) {
    struct vocl_service_object *object = named_object(session, &kernel->arguments[i]);
    if (object == NULL)
      continue;
    vocl_service_object_ref(object);
    command->kept[command->kept_count++] = object;
  }
  kernel->waiting++;
  return true;
}
