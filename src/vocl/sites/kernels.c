/* Kernels, and the arguments that a program sets. */
#include "sites/site.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 4096 };

/* --- arguments --- */

static void argument_clear(struct cwi_sited_argument *argument)
{
  if (argument->object != NULL && argument->birth == 0)
    cwi_sited_let_go(argument->object);
  free(argument->value);
  *argument = (struct cwi_sited_argument){.is_set = false};
}

/* Memory may have been released since. */
bool cwi_argument_lives(const struct cwi_sited_argument *argument)
{
  return argument->birth == 0 ||
         (cwi_object_lives(cwi_sited_memories.objects, argument->object) &&
          ((const struct cwi_sited_memory *)argument->object)->birth == argument->birth);
}

/* The object of ours that an argument's bytes name, if any. No program knows the address of one,
 * so that no number is one but by the client's doing. */
static struct cwi_sited *argument_names(size_t size, const void *value)
{
  void *object = NULL;
  if (value == NULL || size != sizeof object)
    return NULL;
  memcpy(&object, value, sizeof object);
  return cwi_object_lives(cwi_sited_memories.objects, object) ||
                 cwi_object_lives(cwi_sited_samplers.objects, object)
             ? object
             : NULL;
}

/* A kernel holds its samplers: programs release them once they are set, and most vendors let them.
 * It does not hold memory, which is to be free when the program releases it. */
static bool argument_read(struct cwi_sited_argument *argument, size_t size, const void *value)
{
  *argument = (struct cwi_sited_argument){
      .is_set = true, .size = size, .object = argument_names(size, value)};
  if (argument->object != NULL && argument->object->kind == &cwi_sited_memories)
    argument->birth = ((const struct cwi_sited_memory *)argument->object)->birth;
  else if (argument->object != NULL)
    cwi_sited_hold(argument->object);
  if (argument->object != NULL || value == NULL)
    return true;
  argument->value = malloc(size + 1);
  if (argument->value != NULL)
    memcpy(argument->value, value, size);
  return argument->value != NULL;
}

/* Is it what is set already? */
static bool argument_is_same(const struct cwi_sited_argument *argument, size_t size,
                             const void *value)
{
  if (!argument->is_set || argument->size != size)
    return false;
  if (argument->object != NULL)
    return value != NULL && cwi_argument_lives(argument) &&
           memcmp(&argument->object, value, sizeof argument->object) == 0;
  return argument->value != NULL && value != NULL && memcmp(argument->value, value, size) == 0;
}

static cl_int argument_set_at(void *copy, uint32_t site, cl_uint index,
                              const struct cwi_sited_argument *argument)
{
  cl_int code = CL_SUCCESS;
  const void *value = argument->value;
  void *object = NULL;
  if (argument->object != NULL) {
    object = cwi_site_copy(argument->object, site, &code);
    value = &object;
  }
  return code == CL_SUCCESS ? cwi_copy_set_argument(copy, index, argument->size, value) : code;
}

struct cwi_sited_argument *cwi_arguments_keep(const struct cwi_sited_kernel *kernel)
{
  struct cwi_sited_argument *kept = calloc(kernel->count + 1, sizeof *kept);
  bool is_whole = kept != NULL;
  for (cl_uint i = 0; is_whole && i < kernel->count; i++) {
    const struct cwi_sited_argument *argument = &kernel->arguments[i];
    if (!argument->is_set || !cwi_argument_lives(argument))
      continue;
    kept[i] = *argument;
    kept[i].value = NULL;
    if (argument->object != NULL)
      cwi_sited_hold(argument->object);
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
    cwi_arguments_free(kept, kernel->count);
  return NULL;
}

void cwi_arguments_free(struct cwi_sited_argument *arguments, cl_uint count)
{
  for (cl_uint i = 0; i < count; i++) {
    cwi_sited_let_go(arguments[i].object);
    free(arguments[i].value);
  }
  free(arguments);
}

/* --- kernels --- */

static void sited_kernel_end(struct cwi_sited *sited)
{
  struct cwi_sited_kernel *kernel = (struct cwi_sited_kernel *)sited;
  for (cl_uint i = 0; i < kernel->count; i++)
    argument_clear(&kernel->arguments[i]);
  free(kernel->arguments);
  free(kernel->reads_only);
  free(kernel->name);
  __atomic_fetch_sub(&kernel->program->kernel_count, 1, __ATOMIC_RELEASE);
  cwi_sited_let_go(kernel->program);
}

static cl_int kernel_make_at(const struct cwi_sited_kernel *kernel, uint32_t site, void **copy)
{
  cl_int code = CL_SUCCESS;
  const struct cwi_making making = {.sort = CWI_KERNEL,
                                    .parent = cwi_site_copy(kernel->program, site, &code),
                                    .name = kernel->name};
  return code == CL_SUCCESS ? cwi_copy_make(&making, copy) : code;
}

static cl_int arguments_set_at(void *copy, uint32_t site,
                               const struct cwi_sited_argument *arguments, cl_uint count)
{
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
    if (arguments[i].is_set && cwi_argument_lives(&arguments[i]))
      code = argument_set_at(copy, site, i, &arguments[i]);
  return code;
}

/* With these arguments. */
static cl_int kernel_make_with(const struct cwi_sited_kernel *kernel,
                               const struct cwi_sited_argument *arguments, uint32_t site,
                               void **copy)
{
  cl_int code = kernel_make_at(kernel, site, copy);
  if (code != CL_SUCCESS)
    return code;
  code = arguments_set_at(*copy, site, arguments, kernel->count);
  if (code != CL_SUCCESS)
    cwi_copy_drop(CWI_KERNEL, *copy);
  return code;
}

static cl_int kernel_copy(struct cwi_sited *sited, uint32_t site, void **copy)
{
  const struct cwi_sited_kernel *kernel = (const struct cwi_sited_kernel *)sited;
  return kernel_make_with(kernel, kernel->arguments, site, copy);
}

cl_int cwi_kernel_at(struct cwi_sited_kernel *kernel, const struct cwi_sited_argument *arguments,
                     uint32_t site, void **copy)
{
  cl_int code = CL_SUCCESS;
  if (arguments != NULL)
    return kernel_make_with(kernel, arguments, site, copy);
  *copy = cwi_site_copy(kernel, site, &code);
  if (code != CL_SUCCESS || (kernel->stale >> site & 1) == 0)
    return code;
  code = arguments_set_at(*copy, site, kernel->arguments, kernel->count);
  if (code == CL_SUCCESS)
    kernel->stale &= ~(1u << site);
  return code;
}

const struct cwi_sited_kind cwi_sited_kernels = {.sort = CWI_KERNEL,
                                                 .bytes = sizeof(struct cwi_sited_kernel),
                                                 .copy = kernel_copy,
                                                 .end = sited_kernel_end};

static bool argument_says(void *copy, cl_uint index, cl_kernel_arg_info what, void *value,
                          size_t size)
{
  const struct cwi_native_question question = {
      .about = CWI_ABOUT_ARGUMENT, .object = copy, .index = index, .what = what};
  return cwi_copy_ask(&question, size, value, NULL) == CL_SUCCESS;
}

/* Does the kernel say that it writes nothing through the argument? */
static bool argument_reads_only(void *copy, cl_uint index)
{
  cl_kernel_arg_address_qualifier place = 0;
  cl_kernel_arg_access_qualifier access = 0;
  cl_kernel_arg_type_qualifier type = 0;
  if (!argument_says(copy, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &place, sizeof place) ||
      !argument_says(copy, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, &access, sizeof access) ||
      !argument_says(copy, index, CL_KERNEL_ARG_TYPE_QUALIFIER, &type, sizeof type))
    return false;
  return place == CL_KERNEL_ARG_ADDRESS_CONSTANT || access == CL_KERNEL_ARG_ACCESS_READ_ONLY ||
         (type & CL_KERNEL_ARG_TYPE_CONST) != 0;
}

/* What the copy says of its arguments. */
static cl_int kernel_learn(struct cwi_sited_kernel *kernel, void *copy)
{
  const struct cwi_native_question question = {
      .about = CWI_ABOUT_KERNEL, .object = copy, .what = CL_KERNEL_NUM_ARGS};
  cl_uint count = 0;
  cl_int code = cwi_copy_ask(&question, sizeof count, &count, NULL);
  if (code != CL_SUCCESS)
    return code;
  kernel->arguments = calloc(count + 1, sizeof *kernel->arguments);
  kernel->reads_only = calloc(count + 1, sizeof *kernel->reads_only);
  if (kernel->arguments == NULL || kernel->reads_only == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  kernel->count = count;
  for (cl_uint i = 0; i < count; i++)
    kernel->reads_only[i] = argument_reads_only(copy, i);
  return CL_SUCCESS;
}

static struct cwi_sited_kernel *sited_kernel_new(struct cwi_sited_program *program,
                                                 const char *name)
{
  struct cwi_sited_kernel *kernel = cwi_sited_new(&cwi_sited_kernels, program->sited.context);
  if (kernel == NULL)
    return NULL;
  kernel->program = program;
  cwi_sited_hold(program);
  __atomic_fetch_add(&program->kernel_count, 1, __ATOMIC_RELAXED);
  kernel->name = strdup(name);
  if (kernel->name != NULL)
    return kernel;
  cwi_sited_let_go(kernel);
  return NULL;
}

cl_int cwi_kernels_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_program *program = making->parent;
  const uint32_t site = cwi_program_site(program);
  struct cwi_sited_kernel *kernel = sited_kernel_new(program, making->name);
  *object = kernel;
  cl_int code =
      cwi_site_make_at(kernel != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, 1u << site, object);
  if (code == CL_SUCCESS)
    code = cwi_site_make_at(kernel_learn(kernel, kernel->sited.copies[site]), 0, object);
  return code;
}

/* Copies what is set. Memory that has been released since stays unset. */
static bool argument_copy(struct cwi_sited_argument *to, const struct cwi_sited_argument *from)
{
  if (!from->is_set || !cwi_argument_lives(from))
    return true;
  *to = *from;
  if (from->object != NULL && from->birth == 0)
    cwi_sited_hold(from->object);
  if (from->value == NULL)
    return true;
  to->value = malloc(from->size + 1);
  if (to->value != NULL)
    memcpy(to->value, from->value, from->size);
  return to->value != NULL;
}

cl_int cwi_sites_clone_kernel(void *object, void **clone)
{
  const struct cwi_sited_kernel *from = object;
  const struct cwi_making making = {
      .sort = CWI_KERNEL, .parent = from->program, .name = from->name};
  cl_int code = cwi_kernels_make(&making, clone);
  if (code != CL_SUCCESS)
    return code;
  struct cwi_sited_kernel *kernel = *clone;
  bool is_whole = kernel->count == from->count;
  for (cl_uint i = 0; is_whole && i < kernel->count; i++)
    is_whole = argument_copy(&kernel->arguments[i], &from->arguments[i]);
  kernel->stale |= cwi_context_sites(kernel->sited.context);
  return cwi_site_make_at(is_whole ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, 0, clone);
}

/* --- all kernels of a program --- */

/* The name is the vendor's choice of order. The copy is the kernel's now, or dropped. */
static struct cwi_sited_kernel *kernel_wrap(struct cwi_sited_program *program, uint32_t site,
                                            void *copy)
{
  char name[MOST_NAME] = "";
  const struct cwi_native_question question = {
      .about = CWI_ABOUT_KERNEL, .object = copy, .what = CL_KERNEL_FUNCTION_NAME};
  const cl_int code = cwi_copy_ask(&question, sizeof name, name, NULL);
  struct cwi_sited_kernel *kernel = code == CL_SUCCESS ? sited_kernel_new(program, name) : NULL;
  if (kernel == NULL) {
    cwi_copy_drop(CWI_KERNEL, copy);
    return NULL;
  }
  kernel->sited.copies[site] = copy;
  if (kernel_learn(kernel, copy) == CL_SUCCESS)
    return kernel;
  cwi_sited_let_go(kernel);
  return NULL;
}

cl_int cwi_sites_make_kernels(void *object, cl_uint most, void **kernels, cl_uint *count)
{
  struct cwi_sited_program *program = object;
  const uint32_t site = cwi_program_site(program);
  void *at_site = program->sited.copies[site];
  cl_int code = cwi_copy_make_kernels(at_site, most, kernels, count);
  if (kernels == NULL || code != CL_SUCCESS)
    return code;
  for (cl_uint i = 0; i < most; i++) {
    kernels[i] = kernel_wrap(program, site, kernels[i]);
    code = kernels[i] != NULL ? code : CL_OUT_OF_HOST_MEMORY;
  }
  for (cl_uint i = 0; i < most && code != CL_SUCCESS; i++) {
    cwi_sited_let_go(kernels[i]);
    kernels[i] = NULL;
  }
  return code;
}

/* --- setting --- */

/* Where the kernel is, the argument is set. But memory is not made at a site because of that: until
 * a launch there the copy lacks it; and a site that is over does not keep others from going on. */
static cl_int argument_set_there(struct cwi_sited_kernel *kernel, uint32_t site, cl_uint index,
                                 const struct cwi_sited_argument *argument)
{
  const struct cwi_sited_context *context = kernel->sited.context;
  void *copy = cwi_site_copy_known(kernel, site);
  if (copy == NULL)
    return CL_SUCCESS;
  const bool goes_on = cwi_site_is_over(context, site) && !cwi_context_is_over(context);
  if (!goes_on && (argument->birth == 0 || cwi_site_copy_known(argument->object, site) != NULL))
    return argument_set_at(copy, site, index, argument);
  kernel->stale |= 1u << site;
  return CL_SUCCESS;
}

/* The first error is the verdict. */
static cl_int argument_set_everywhere(struct cwi_sited_kernel *kernel, cl_uint index,
                                      const struct cwi_sited_argument *argument)
{
  cl_int code = CL_SUCCESS;
  for (uint32_t site = 0; site < CWI_SITES_MOST && code == CL_SUCCESS; site++)
    code = argument_set_there(kernel, site, index, argument);
  return code;
}

cl_int cwi_sites_set_argument(void *object, cl_uint index, size_t size, const void *value)
{
  struct cwi_sited_kernel *kernel = object;
  struct cwi_sited_argument argument;
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
  } else { /* some sites may have it: before a launch all get what was set before */
    if (is_read)
      kernel->stale |= cwi_context_sites(kernel->sited.context);
    argument_clear(&argument);
  }
  return code;
}
