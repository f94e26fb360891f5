/* Kernels and their arguments. A launch takes the arguments of its moment, so while one waits, its
 * kernel stays as it is, and what sets an argument makes another one of the same number. */
#include "service/session.h"

#include <stdlib.h>
#include <string.h>

static cl_int kernel_ask(void *native, cl_uint what, size_t size, void *value)
{
  return cwi_native_ask(
      &(struct cwi_native_question){.about = CWI_ABOUT_KERNEL, .object = native, .what = what},
      size, value, NULL);
}

static void kernel_end(struct cwi_service *session, struct cwi_service_object *object)
{
  struct cwi_service_kernel *kernel = (struct cwi_service_kernel *)object;
  for (uint32_t i = 0; i < kernel->count; i++)
    free(kernel->arguments[i].value);
  cwi_service_object_free(session, object);
}

struct cwi_service_kernel *cwi_service_kernel_new(struct cwi_service *session, uint32_t number,
                                                  void *native, cl_int *code)
{
  cl_uint count = 0;
  if (native != NULL)
    *code = kernel_ask(native, CL_KERNEL_NUM_ARGS, sizeof count, &count);
  const size_t bytes =
      sizeof(struct cwi_service_kernel) + count * sizeof(struct cwi_service_argument);
  struct cwi_service_kernel *kernel = cwi_service_enter(session, CWI_KERNEL, number, bytes);
  if (kernel == NULL) {
    if (native != NULL)
      cwi_native_drop(CWI_KERNEL, native);
    return NULL;
  }
  kernel->count = count;
  kernel->object.end = kernel_end;
  kernel->object.native = native;
  kernel->object.code = *code;
  return kernel;
}

/* What the vendor takes an argument for: given as bytes, an address of memory would be followed. */
static int argument_kind(const struct cwi_service_kernel *kernel, uint32_t index)
{
  cl_kernel_arg_address_qualifier address = 0;
  char type[256] = "";
  struct cwi_native_question question = {.about = CWI_ABOUT_ARGUMENT,
                                         .object = kernel->object.native,
                                         .index = index,
                                         .what = CL_KERNEL_ARG_ADDRESS_QUALIFIER};
  const cl_int code = cwi_native_ask(&question, sizeof address, &address, NULL);
  question.what = CL_KERNEL_ARG_TYPE_NAME;
  if (code != CL_SUCCESS || cwi_native_ask(&question, sizeof type, type, NULL) != CL_SUCCESS)
    return CWI_UNTOLD;
  if (cwi_type_is_image(type))
    return CWI_IMAGES;
  if (address == CL_KERNEL_ARG_ADDRESS_GLOBAL || address == CL_KERNEL_ARG_ADDRESS_CONSTANT)
    return CWI_BUFFERS;
  return strcmp(type, "sampler_t") == 0 ? CWI_SAMPLERS : CWI_PLAIN;
}

static bool is_fitting(const struct cwi_service_argument *argument,
                       const struct cwi_say_argument *said, const struct cwi_service_object *object)
{
  const bool is_image = object != NULL && object->sort == CWI_IMAGE;
  const bool is_sampler = object != NULL && object->sort == CWI_SAMPLER;
  switch (argument->kind) {
  case CWI_BUFFERS:
    return said->kind == CWI_ARGUMENT_OBJECT && !is_image && !is_sampler;
  case CWI_IMAGES:
    return said->kind == CWI_ARGUMENT_OBJECT && is_image;
  case CWI_SAMPLERS:
    return said->kind == CWI_ARGUMENT_OBJECT && is_sampler;
  case CWI_PLAIN:
    return said->kind != CWI_ARGUMENT_OBJECT;
  default:
    return true;
  }
}

/* Memory, or a sampler. */
static struct cwi_service_object *argument_object(struct cwi_service *session, uint32_t number,
                                                  cl_int *code)
{
  const struct cwi_service_object *found = cwi_service_find(session, number);
  const bool is_sampler = found != NULL && found->sort == CWI_SAMPLER;
  return cwi_service_resolve(session, number, is_sampler ? CWI_SAMPLER : CWI_BUFFER, code);
}

/* The object that an argument named when it was set; NULL: none, or it is gone. */
static struct cwi_service_object *named_object(struct cwi_service *session,
                                               const struct cwi_service_argument *argument)
{
  struct cwi_service_object *object =
      argument->object != 0 ? cwi_service_find(session, argument->object) : NULL;
  return object != NULL && object->birth == argument->birth ? object : NULL;
}

/* Give the vendor's kernel an argument as it was kept. */
static cl_int argument_set(struct cwi_service *session, void *native, uint32_t index,
                           const struct cwi_service_argument *argument)
{
  if (argument->object == 0)
    return cwi_native_set_argument(native, index, argument->size, argument->value);
  const struct cwi_service_object *object = named_object(session, argument);
  if (object == NULL)
    return CL_SUCCESS; /* it is gone: the program sets another one before it launches */
  return cwi_native_set_argument(native, index, sizeof object->native, &object->native);
}

static void argument_copy(struct cwi_service_argument *to, const struct cwi_service_argument *from)
{
  *to = *from;
  to->value = from->value != NULL ? malloc(from->size) : NULL;
  if (to->value != NULL)
    memcpy(to->value, from->value, from->size);
}

/* Another kernel with the same arguments takes the number. NULL: *code says why not. */
static struct cwi_service_kernel *kernel_copy(struct cwi_service *session,
                                              struct cwi_service_kernel *kernel, cl_int *code)
{
  char name[1024] = "";
  void *program = NULL, *native = NULL;
  *code = kernel_ask(kernel->object.native, CL_KERNEL_FUNCTION_NAME, sizeof name, name);
  if (*code == CL_SUCCESS)
    *code = kernel_ask(kernel->object.native, CL_KERNEL_PROGRAM, sizeof program, &program);
  if (*code == CL_SUCCESS)
    *code = cwi_native_make(
        &(struct cwi_making){.sort = CWI_KERNEL, .parent = program, .name = name}, &native);
  const size_t bytes = sizeof *kernel + kernel->count * sizeof *kernel->arguments;
  struct cwi_service_kernel *copy = *code == CL_SUCCESS ? calloc(1, bytes) : NULL;
  if (copy == NULL) {
    if (native != NULL)
      cwi_native_drop(CWI_KERNEL, native);
    return NULL;
  }
  copy->object = kernel->object;
  copy->object.held = 1;
  copy->object.native = native;
  copy->count = kernel->count;
  for (uint32_t i = 0; i < kernel->count; i++) {
    argument_copy(&copy->arguments[i], &kernel->arguments[i]);
    if (kernel->arguments[i].is_set)
      argument_set(session, native, i, &kernel->arguments[i]);
  }
  cwi_service_count(&session->counts->objects, 1);
  cwi_service_replace(session, &kernel->object, &copy->object);
  return copy;
}

static void argument_keep(struct cwi_service_argument *argument,
                          const struct cwi_say_argument *said,
                          const struct cwi_service_object *object)
{
  free(argument->value);
  argument->is_set = true;
  argument->code = CL_SUCCESS;
  argument->object = object != NULL ? object->number : 0;
  argument->birth = object != NULL ? object->birth : 0;
  argument->size = said->size;
  argument->value = NULL;
  if (said->kind == CWI_ARGUMENT_VALUE) {
    argument->value = malloc(said->size);
    if (argument->value != NULL)
      memcpy(argument->value, said->value, said->size);
  } else if (said->kind == CWI_ARGUMENT_OBJECT && object == NULL) {
    static const size_t address = sizeof(void *);
    argument->size = address;
    argument->value = calloc(1, address); /* NULL */
  }
}

static cl_int argument_hear(struct cwi_service *session, const struct cwi_say_argument *said)
{
  cl_int code = CL_SUCCESS;
  struct cwi_service_object *object = NULL;
  struct cwi_service_kernel *kernel =
      (struct cwi_service_kernel *)cwi_service_find(session, said->kernel);
  if (kernel == NULL || kernel->object.sort != CWI_KERNEL || kernel->object.native == NULL)
    return CL_INVALID_KERNEL;
  if (said->index >= kernel->count)
    return CL_INVALID_ARG_INDEX;
  struct cwi_service_argument *argument = &kernel->arguments[said->index];
  if (argument->kind == CWI_NOT_ASKED)
    argument->kind = argument_kind(kernel, said->index);
  if (said->kind == CWI_ARGUMENT_OBJECT && said->object != 0) {
    object = argument_object(session, said->object, &code);
    if (object == NULL)
      return code;
  }
  if (!is_fitting(argument, said, object))
    return CL_INVALID_ARG_VALUE;
  if (kernel->waiting > 0)
    kernel = kernel_copy(session, kernel, &code);
  if (kernel == NULL)
    return code != CL_SUCCESS ? code : CL_OUT_OF_HOST_MEMORY;
  void *const none = NULL;
  const void *value = said->kind == CWI_ARGUMENT_VALUE   ? said->value
                      : said->kind == CWI_ARGUMENT_LOCAL ? NULL
                      : object != NULL                   ? (const void *)&object->native
                                                         : (const void *)&none;
  const size_t size = said->kind == CWI_ARGUMENT_OBJECT ? sizeof(void *) : said->size;
  code = cwi_native_set_argument(kernel->object.native, said->index, size, value);
  if (code == CL_SUCCESS)
    argument_keep(&kernel->arguments[said->index], said, object);
  return code;
}

/* The vendor's kernel still has what was set before: no launch may use that. */
static void argument_miss(struct cwi_service *session, const struct cwi_say_argument *said,
                          cl_int code)
{
  struct cwi_service_kernel *kernel =
      (struct cwi_service_kernel *)cwi_service_find(session, said->kernel);
  if (kernel != NULL && kernel->object.sort == CWI_KERNEL && said->index < kernel->count)
    kernel->arguments[said->index].code = code;
}

/* An error that nobody waits for is found by the next launch. */
bool cwi_service_argument(struct cwi_service *session, const void *message, size_t bytes)
{
  const struct cwi_say_argument *said = message;
  if (said->kind > CWI_ARGUMENT_OBJECT ||
      (said->kind == CWI_ARGUMENT_VALUE && said->size > bytes - sizeof *said))
    return cwi_service_wild(session, "an argument");
  const cl_int code = argument_hear(session, said);
  if (said->said.ticket != 0)
    cwi_service_answer(session, said->said.ticket, code);
  else if (code != CL_SUCCESS)
    argument_miss(session, said, code);
  return true;
}

/* What the vendor's kernel still names, and is gone, it would read. */
cl_int cwi_service_check_arguments(struct cwi_service *session,
                                   const struct cwi_service_command *command)
{
  const struct cwi_service_kernel *kernel = cwi_service_kernel_of(command);
  for (uint32_t i = 0; i < kernel->count; i++) {
    const struct cwi_service_argument *argument = &kernel->arguments[i];
    if (argument->code != CL_SUCCESS)
      return argument->code;
    if (argument->object != 0 && named_object(session, argument) == NULL)
      return CL_INVALID_KERNEL_ARGS;
  }
  return CL_SUCCESS;
}

bool cwi_service_keep_arguments(struct cwi_service *session, struct cwi_service_command *command)
{
  struct cwi_service_kernel *kernel = cwi_service_kernel_of(command);
  command->kept = calloc(kernel->count + (size_t)1, sizeof *command->kept);
  if (command->kept == NULL)
    return false;
  for (uint32_t i = 0; i < kernel->count; i++) {
    struct cwi_service_object *object = named_object(session, &kernel->arguments[i]);
    if (object == NULL)
      continue;
    cwi_service_hold(object);
    command->kept[command->kept_count++] = object;
  }
  kernel->waiting++;
  return true;
}
