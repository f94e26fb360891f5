/* Kernels, and the arguments that a program sets. */
#include "memory/memory_contents.h"
#include "program/replicated_program.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 4096 };

/* --- arguments --- */

static void argument_clear(struct vocl_replicated_argument *argument)
{
  if (argument->object != NULL && argument->generation == 0)
    vocl_replicated_unref(argument->object);
  free(argument->value);
  *argument = (struct vocl_replicated_argument){.is_set = false};
}

/* Returns true unless the memory of the argument has been released. */
bool vocl_argument_is_alive(const struct vocl_replicated_argument *argument)
{
  return argument->generation == 0 ||
         (cwi_object_lives(vocl_replicated_memory_kind.objects, argument->object) &&
          ((const struct vocl_replicated_memory *)argument->object)->generation ==
              argument->generation);
}

/* Returns the replicated object whose address `value` contains, or NULL. Programs see only the
 * client's handles, never these addresses, so a number in an argument cannot be such an address by
 * accident. */
static struct vocl_replicated *argument_names(size_t size, const void *value)
{
  void *object = NULL;
  if (value == NULL || size != sizeof object)
    return NULL;
  memcpy(&object, value, sizeof object);
  return cwi_object_lives(vocl_replicated_memory_kind.objects, object) ||
                 cwi_object_lives(vocl_replicated_sampler_kind.objects, object)
             ? object
             : NULL;
}

/* Decodes an argument. A kernel references its samplers, because programs release them once they
 * are set, and most vendors allow that. It does not reference memory, which must become free
 * when the program releases it. Returns false if there is no memory. */
static bool argument_read(struct vocl_replicated_argument *argument, size_t size, const void *value)
{
  *argument = (struct vocl_replicated_argument){
      .is_set = true, .size = size, .object = argument_names(size, value)};
  if (argument->object != NULL && argument->object->kind == &vocl_replicated_memory_kind)
    argument->generation = ((const struct vocl_replicated_memory *)argument->object)->generation;
  else if (argument->object != NULL)
    vocl_replicated_ref(argument->object);
  if (argument->object != NULL || value == NULL)
    return true;
  argument->value = malloc(size + 1);
  if (argument->value != NULL)
    memcpy(argument->value, value, size);
  return argument->value != NULL;
}

/* Returns true if the argument has this value already. */
static bool argument_is_same(const struct vocl_replicated_argument *argument, size_t size,
                             const void *value)
{
  if (!argument->is_set || argument->size != size)
    return false;
  if (argument->object != NULL)
    return value != NULL && vocl_argument_is_alive(argument) &&
           memcmp(&argument->object, value, sizeof argument->object) == 0;
  return argument->value != NULL && value != NULL && memcmp(argument->value, value, size) == 0;
}

static cl_int argument_set_at(void *replica, uint32_t location, cl_uint index,
                              const struct vocl_replicated_argument *argument)
{
  cl_int code = CL_SUCCESS;
  const void *value = argument->value;
  void *object = NULL;
  if (argument->object != NULL) {
    object = vocl_replica_get(argument->object, location, &code);
    value = &object;
  }
  return code == CL_SUCCESS ? vocl_replica_set_argument(replica, index, argument->size, value)
                            : code;
}

struct vocl_replicated_argument *
vocl_arguments_snapshot(const struct vocl_replicated_kernel *kernel)
{
  struct vocl_replicated_argument *kept = calloc(kernel->count + 1, sizeof *kept);
  bool is_whole = kept != NULL;
  for (cl_uint i = 0; is_whole && i < kernel->count; i++) {
    const struct vocl_replicated_argument *argument = &kernel->arguments[i];
    if (!argument->is_set || !vocl_argument_is_alive(argument))
      continue;
    kept[i] = *argument;
    kept[i].value = NULL;
    if (argument->object != NULL)
      vocl_replicated_ref(argument->object);
    if (argument->value == NULL)
      continue;
    kept[i].value = malloc(argument->size + 1);
    is_whole = kept[i].value != NULL;
    if (is_whole)
      memcpy(kept[i].value, argument->value, argument->size);
  }
  if (is_whole)
    return kept;
  if (kept != NULL)
    vocl_arguments_free(kept, kernel->count);
  return NULL;
}

void vocl_arguments_free(struct vocl_replicated_argument *arguments, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++) {
    vocl_replicated_unref(arguments[i].object);
    free(arguments[i].value);
  }
  free(arguments);
}

/* --- kernels --- */

static void replicated_kernel_end(struct vocl_replicated *replicated)
{
  struct vocl_replicated_kernel *kernel = (struct vocl_replicated_kernel *)replicated;
  for (cl_uint i = 0; i < kernel->count; i++)
    argument_clear(&kernel->arguments[i]);
  free(kernel->arguments);
  free(kernel->reads_only);
  free(kernel->name);
  __atomic_fetch_sub(&kernel->program->kernel_count, 1, __ATOMIC_RELEASE);
  vocl_replicated_unref(kernel->program);
}

static cl_int kernel_make_at(const struct vocl_replicated_kernel *kernel, uint32_t location,
                             void **replica)
{
  cl_int code = CL_SUCCESS;
  const struct vocl_making making = {.sort = VOCL_KERNEL,
                                     .parent = vocl_replica_get(kernel->program, location, &code),
                                     .name = kernel->name};
  return code == CL_SUCCESS ? vocl_replica_make(&making, replica) : code;
}

static cl_int arguments_set_at(void *replica, uint32_t location,
                               const struct vocl_replicated_argument *arguments, cl_uint count)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
    if (arguments[i].is_set && vocl_argument_is_alive(&arguments[i]))
      code = argument_set_at(replica, location, i, &arguments[i]);
  return code;
}

/* Makes a kernel at a location with the given arguments. */
static cl_int kernel_make_with(const struct vocl_replicated_kernel *kernel,
                               const struct vocl_replicated_argument *arguments, uint32_t location,
                               void **replica)
{
  cl_int code = kernel_make_at(kernel, location, replica);
  if (code != CL_SUCCESS)
    return code;
  code = arguments_set_at(*replica, location, arguments, kernel->count);
  if (code != CL_SUCCESS)
    vocl_replica_drop(VOCL_KERNEL, *replica);
  return code;
}

static cl_int kernel_replica(struct vocl_replicated *replicated, uint32_t location, void **replica)
{
  const struct vocl_replicated_kernel *kernel = (const struct vocl_replicated_kernel *)replicated;
  return kernel_make_with(kernel, kernel->arguments, location, replica);
}

cl_int vocl_kernel_replica(struct vocl_replicated_kernel *kernel,
                           const struct vocl_replicated_argument *arguments, uint32_t location,
                           void **replica)
{
  cl_int code = CL_SUCCESS;
  if (arguments != NULL)
    return kernel_make_with(kernel, arguments, location, replica);
  *replica = vocl_replica_get(kernel, location, &code);
  if (code != CL_SUCCESS || (kernel->stale >> location & 1) == 0)
    return code;
  code = arguments_set_at(*replica, location, kernel->arguments, kernel->count);
  if (code == CL_SUCCESS)
    kernel->stale &= ~(1u << location);
  return code;
}

const struct vocl_replicated_kind vocl_replicated_kernel_kind = {
    .sort = VOCL_KERNEL,
    .bytes = sizeof(struct vocl_replicated_kernel),
    .replica = kernel_replica,
    .end = replicated_kernel_end};

static bool argument_query(void *replica, cl_uint index, cl_kernel_arg_info what, void *value,
                           size_t size)
{
  const struct vocl_query query = {
      .about = VOCL_ABOUT_ARGUMENT, .object = replica, .index = index, .what = what};
  return vocl_replica_query(&query, size, value, NULL) == CL_SUCCESS;
}

/* Returns true if the kernel's qualifiers guarantee that it does not write through the argument. */
static bool argument_reads_only(void *replica, cl_uint index)
{
  cl_kernel_arg_address_qualifier place = 0;
  cl_kernel_arg_access_qualifier access = 0;
  cl_kernel_arg_type_qualifier type = 0;
  if (!argument_query(replica, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &place, sizeof place) ||
      !argument_query(replica, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, &access, sizeof access) ||
      !argument_query(replica, index, CL_KERNEL_ARG_TYPE_QUALIFIER, &type, sizeof type))
    return false;
  return place == CL_KERNEL_ARG_ADDRESS_CONSTANT || access == CL_KERNEL_ARG_ACCESS_READ_ONLY ||
         (type & CL_KERNEL_ARG_TYPE_CONST) != 0;
}

/* Queries the kernel's arguments from a replica. */
static cl_int kernel_learn(struct vocl_replicated_kernel *kernel, void *replica)
{
  const struct vocl_query query = {
      .about = VOCL_ABOUT_KERNEL, .object = replica, .what = CL_KERNEL_NUM_ARGS};
  cl_uint count = 0;
  cl_int code = vocl_replica_query(&query, sizeof count, &count, NULL);
  if (code != CL_SUCCESS)
    return code;
  kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
  kernel->reads_only = calloc(count + 1, sizeof *kernel->reads_only);
  if (kernel->arguments == NULL || kernel->reads_only == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  kernel->count = count;
  for (cl_uint i = 0; i < count; i++)
    kernel->reads_only[i] = argument_reads_only(replica, i);
  return CL_SUCCESS;
}

static struct vocl_replicated_kernel *replicated_kernel_new(struct vocl_replicated_program *program,
                                                            const char *name)
{
  struct vocl_replicated_kernel *kernel =
      vocl_replicated_new(&vocl_replicated_kernel_kind, program->replicated.context);
  if (kernel == NULL)
    return NULL;
  kernel->program = program;
  vocl_replicated_ref(program);
  __atomic_fetch_add(&program->kernel_count, 1, __ATOMIC_RELAXED);
  kernel->name = strdup(name);
  if (kernel->name != NULL)
    return kernel;
  vocl_replicated_unref(kernel);
  return NULL;
}

cl_int vocl_replicated_kernel_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_program *program = making->parent;
  const uint32_t location = vocl_program_location(program);
  struct vocl_replicated_kernel *kernel = replicated_kernel_new(program, making->name);
  *object = kernel;
  cl_int code = vocl_replicas_make(kernel != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY,
                                   1u << location, object);
  if (code == CL_SUCCESS)
    code =
        vocl_replicas_make(kernel_learn(kernel, kernel->replicated.replicas[location]), 0, object);
  return code;
}

/* Copies an argument that is set. An argument whose memory has been released since stays unset. */
static bool argument_copy(struct vocl_replicated_argument *to,
                          const struct vocl_replicated_argument *from)
{
  if (!from->is_set || !vocl_argument_is_alive(from))
    return true;
  *to = *from;
  if (from->object != NULL && from->generation == 0)
    vocl_replicated_ref(from->object);
  if (from->value == NULL)
    return true;
  to->value = malloc(from->size + 1);
  if (to->value != NULL)
    memcpy(to->value, from->value, from->size);
  return to->value != NULL;
}

cl_int vocl_replicated_clone_kernel(void *object, void **clone)
{
  const struct vocl_replicated_kernel *from = object;
  const struct vocl_making making = {
      .sort = VOCL_KERNEL, .parent = from->program, .name = from->name};
  cl_int code = vocl_replicated_kernel_make(&making, clone);
  if (code != CL_SUCCESS)
    return code;
  struct vocl_replicated_kernel *kernel = *clone;
  bool is_whole = kernel->count == from->count;
  for (cl_uint i = 0; is_whole && i < kernel->count; i++)
    is_whole = argument_copy(&kernel->arguments[i], &from->arguments[i]);
  kernel->stale |= vocl_context_locations(kernel->replicated.context);
  return vocl_replicas_make(is_whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, 0, clone);
}

/* --- all kernels of a program --- */

/* Makes a kernel from a replica. Queries the name of the replica, because the vendor chooses the
 * order of the kernels. Takes ownership of the replica. */
static struct vocl_replicated_kernel *kernel_wrap(struct vocl_replicated_program *program,
                                                  uint32_t location, void *replica)
{
  char name[MOST_NAME] = "";
  const struct vocl_query query = {
      .about = VOCL_ABOUT_KERNEL, .object = replica, .what = CL_KERNEL_FUNCTION_NAME};
  const cl_int code = vocl_replica_query(&query, sizeof name, name, NULL);
  struct vocl_replicated_kernel *kernel =
      code == CL_SUCCESS ? replicated_kernel_new(program, name) : NULL;
  if (kernel == NULL) {
    vocl_replica_drop(VOCL_KERNEL, replica);
    return NULL;
  }
  kernel->replicated.replicas[location] = replica;
  if (kernel_learn(kernel, replica) == CL_SUCCESS)
    return kernel;
  vocl_replicated_unref(kernel);
  return NULL;
}

cl_int vocl_replicated_make_kernels(void *object, cl_uint most, void **kernels, cl_uint *count)
{
  struct vocl_replicated_program *program = object;
  const uint32_t location = vocl_program_location(program);
  void *at_location = program->replicated.replicas[location];
  cl_int code = vocl_replica_make_kernels(at_location, most, kernels, count);
  if (kernels == NULL || code != CL_SUCCESS)
    return code;
  for (cl_uint i = 0; i < most; i++) {
    kernels[i] = kernel_wrap(program, location, kernels[i]);
    code = kernels[i] != NULL ? code : CL_OUT_OF_HOST_MEMORY;
  }
  for (cl_uint i = 0; i < most && code != CL_SUCCESS; i++) {
    vocl_replicated_unref(kernels[i]);
    kernels[i] = NULL;
  }
  return code;
}

/* --- setting --- */

/* Sets the argument of an existing replica. If the memory has no replica at the location, none is
 * made for this purpose. The kernel's replica is then marked as stale, and a launch that needs it
 * sets its arguments. A lost location must not fail the call while others work, so its replica is
 * marked as stale, too. */
static cl_int argument_set_there(struct vocl_replicated_kernel *kernel, uint32_t location,
                                 cl_uint index, const struct vocl_replicated_argument *argument)
{
  const struct vocl_replicated_context *context = kernel->replicated.context;
  void *replica = vocl_replica_existing(kernel, location);
  if (replica == NULL)
    return CL_SUCCESS;
  const bool continues = vocl_location_is_lost(context, location) && !vocl_context_is_lost(context);
  if (!continues &&
      (argument->generation == 0 || vocl_replica_existing(argument->object, location) != NULL))
    return argument_set_at(replica, location, index, argument);
  kernel->stale |= 1u << location;
  return CL_SUCCESS;
}

/* Sets the argument of all replicas. Returns the first error. */
static cl_int argument_set_everywhere(struct vocl_replicated_kernel *kernel, cl_uint index,
                                      const struct vocl_replicated_argument *argument)
{
  cl_int code = CL_SUCCESS;
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX && code == CL_SUCCESS; location++)
    code = argument_set_there(kernel, location, index, argument);
  return code;
}

cl_int vocl_replicated_set_argument(void *object, cl_uint index, size_t size, const void *value)
{
  struct vocl_replicated_kernel *kernel = object;
  struct vocl_replicated_argument argument;
  if (index >= kernel->count)
    return CL_INVALID_ARG_INDEX;
  if (argument_is_same(&kernel->arguments[index], size, value))
    return CL_SUCCESS;
  const bool is_read = argument_read(&argument, size, value);
  const cl_int code =
      is_read ? argument_set_everywhere(kernel, index, &argument) : CL_OUT_OF_HOST_MEMORY;
  if (code == CL_SUCCESS) {
    argument_clear(&kernel->arguments[index]);
    kernel->arguments[index] = argument;
  } else { /* some replicas may have the new value, so all get the old one again before a launch */
    if (is_read)
      kernel->stale |= vocl_context_locations(kernel->replicated.context);
    argument_clear(&argument);
  }
  return code;
}
