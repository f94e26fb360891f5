/* Programs and kernels of devices. */
#include "device/device.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"
#include "wait/object_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cwi_kernel {
  cw_device device;
  struct cwi_device_program *program;
  void *kernel;
};
static struct cwi_objects kernels = {CWI_OBJECTS_OF(struct cwi_kernel), .name = "kernel",
                                     .null_text = "; cw_kernel_create returns one",
                                     .dead_text = "not a kernel (was it freed?)"};

/* Limits for the number of arguments of a kernel and the size of a scalar. OpenCL guarantees 1024
 * bytes for all arguments together, CUDA 4096. */
enum { MOST_ARGUMENTS = 64, MOST_SCALAR = 4096 };

/* --- Programs --------------------------------------------------------------------------------- */

static bool same_text(const char *one, const char *other)
{
  return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Returns true if two tables are equal. A table ends with a NULL name. */
static bool same_functions(const cw_host_function *one, const cw_host_function *other)
{
  if (one == NULL || other == NULL)
    return one == other;
  for (; one->name != NULL && same_text(one->name, other->name); one++, other++)
    if (one->function != other->function)
      return false;
  return one->name == other->name; /* both NULL */
}

static bool same_source(const cw_kernel_source *one, const cw_kernel_source *other)
{
  return same_functions(one->functions, other->functions) &&
         same_text(one->opencl, other->opencl) && same_text(one->options, other->options) &&
         same_text(one->ptx, other->ptx);
}

static void drop_kept(const void *kept)
{
  free((void *)(uintptr_t)kept);
}

static void drop_program(cw_device device, struct cwi_device_program *program)
{
  if (program->program != NULL)
    device->backend->drop(device->opened, program->program);
  drop_kept(program->source.opencl);
  drop_kept(program->source.options);
  drop_kept(program->source.ptx);
  drop_kept(program->source.functions);
  free(program);
}

/* Replaces *text by a copy; NULL stays NULL. Returns false if there is no memory. */
static bool keep_text(const char **text)
{
  const char *given = *text;
  *text = given != NULL ? strdup(given) : NULL;
  return given == NULL || *text != NULL;
}

/* Replaces the table by a copy; the names follow the table in the same memory. Returns false if
 * there is no memory. */
static bool keep_functions(const cw_host_function **functions)
{
  const cw_host_function *given = *functions;
  size_t count = 0, bytes = 0;
  *functions = NULL;
  if (given == NULL)
    return true;
  for (; given[count].name != NULL; count++)
    bytes += strlen(given[count].name) + 1;
  cw_host_function *table = calloc(1, (count + 1) * sizeof *table + bytes);
  if (table == NULL)
    return false;
  char *name = (char *)(table + count + 1);
  for (size_t i = 0; i < count; i++) {
    table[i] = (cw_host_function){name, given[i].function};
    name = stpcpy(name, given[i].name) + 1;
  }
  *functions = table;
  return true;
}

static bool keep_source(cw_kernel_source *source)
{
  const bool opencl = keep_text(&source->opencl), options = keep_text(&source->options),
             ptx = keep_text(&source->ptx);
  return keep_functions(&source->functions) && opencl && options && ptx;
}

/* Builds a program from a copy of the source, so that the caller may free its texts and table. */
static cw_error program_make(cw_device device, const cw_kernel_source *source,
                             struct cwi_device_program **made)
{
  struct cwi_device_program *program = calloc(1, sizeof *program);
  if (program == NULL)
    return cwi_outside("no memory for a program");
  program->source = *source;
  cw_error error = keep_source(&program->source) ? CW_OK : cwi_outside("no memory for a program");
  if (error == CW_OK)
    error = device->backend->build(device->opened, &program->source, &program->program);
  if (error != CW_OK) {
    drop_program(device, program);
    return error;
  }
  program->next = device->programs;
  device->programs = program;
  *made = program;
  return CW_OK;
}

/* Returns the program of a source. Builds it if the device has no program of an equal source. The
 * device is locked. */
static cw_error program_of(cw_device device, const cw_kernel_source *source,
                           struct cwi_device_program **program)
{
  for (*program = device->programs; *program != NULL; *program = (*program)->next)
    if (same_source(&(*program)->source, source))
      return CW_OK;
  return program_make(device, source, program);
}

cw_error cwi_device_own_kernel(cw_device device, enum cwi_kernel_number number, void **kernel)
{
  if (device->own == NULL)
    CWI_TRY(program_of(device, &cwi_kernels_source, &device->own));
  void **known = &device->own_kernels[number];
  if (*known == NULL)
    CWI_TRY(device->backend->find(device->opened, device->own->program, cwi_kernel_names[number],
                                  known));
  *kernel = *known;
  return CW_OK;
}

void cwi_device_programs_drop(cw_device device)
{
  for (int i = 0; i < CWI_KERNELS; i++)
    if (device->own_kernels[i] != NULL)
      device->backend->leave(device->opened, device->own_kernels[i]);
  while (device->programs != NULL) {
    struct cwi_device_program *next = device->programs->next;
    drop_program(device, device->programs);
    device->programs = next;
  }
}

/* --- Kernels ---------------------------------------------------------------------------------- */

/* Finds a kernel for cw_kernel_create. The device is locked. */
static cw_error find_kernel(cw_device device, const cw_kernel_source *source, const char *name,
                            cw_kernel made)
{
  CWI_TRY(program_of(device, source, &made->program));
  CWI_TRY(device->backend->find(device->opened, made->program->program, name, &made->kernel));
  made->device = device;
  made->program->kernels++;
  return CW_OK;
}

/* Counts a kernel that will be made, unless another thread is closing the device. The threads' lock
 * guards the count and `closing`, so that the device stays open until the kernel exists or the
 * count is taken back. */
static cw_error count_kernel(cw_device device)
{
  cwi_threads_lock();
  const cw_error error = cwi_check_device(device);
  if (error == CW_OK)
    device->kernels++;
  cwi_threads_unlock();
  return error;
}

static void uncount_kernel(cw_device device)
{
  cwi_threads_lock();
  device->kernels--;
  cwi_threads_unlock();
}

static cw_error kernel_create(cw_device device, const cw_kernel_source *source, const char *name,
                              cw_kernel *kernel)
{
  CWI_TRY(cwi_check_not_null("kernel", kernel));
  *kernel = NULL;
  CWI_TRY(cwi_check_device(device));
  CWI_TRY(cwi_check_not_null("source", source));
  CWI_TRY(cwi_check_not_null("name", name));
  cw_kernel made = cwi_object_make(&kernels);
  if (made == NULL)
    return cwi_outside("no memory for a kernel");
  cw_error error = count_kernel(device);
  if (error == CW_OK) {
    pthread_mutex_lock(&device->lock);
    error = find_kernel(device, source, name, made);
    pthread_mutex_unlock(&device->lock);
    if (error != CW_OK)
      uncount_kernel(device);
  }
  if (error != CW_OK)
    cwi_object_end(&kernels, made);
  else
    *kernel = made;
  return error;
}

cw_error cw_kernel_create(cw_device device, const cw_kernel_source *source, const char *name,
                          cw_kernel *kernel)
{
  return cwi_in_call("cw_kernel_create", kernel_create(device, source, name, kernel));
}

static void free_now(cw_kernel kernel)
{
  cw_device device = kernel->device;
  pthread_mutex_lock(&device->lock);
  device->backend->leave(device->opened, kernel->kernel);
  kernel->program->kernels--;
  pthread_mutex_unlock(&device->lock);
  cwi_object_end(&kernels, kernel);
  uncount_kernel(device);
}

void cwi_device_kernels_end(void)
{
  for (cw_kernel kernel; (kernel = cwi_object_next(&kernels, NULL)) != NULL;)
    free_now(kernel);
}

static cw_error kernel_free(cw_kernel *kernel)
{
  CWI_TRY(cwi_check_not_null("kernel", kernel));
  if (*kernel == NULL)
    return CW_OK;
  CWI_TRY(cwi_check_object(&kernels, "kernel", *kernel));
  free_now(*kernel);
  *kernel = NULL;
  return CW_OK;
}

cw_error cw_kernel_free(cw_kernel *kernel)
{
  return cwi_in_call("cw_kernel_free", kernel_free(kernel));
}

/* --- Launching -------------------------------------------------------------------------------- */

/* Checks an argument of the program and finds the memory that it names. */
static cw_error argument_of(cw_device device, const cw_kernel_argument *given, int number,
                            struct cwi_device_argument *argument)
{
  char name[40];
  const struct cwi_device_slice *slice = NULL;
  *argument = (struct cwi_device_argument){.scalar = given->scalar, .bytes = given->bytes};
  if (given->memory == NULL && (given->scalar == NULL || given->bytes == 0))
    return cwi_misuse("arguments[%d] has neither memory nor the bytes of a scalar", number);
  if (given->memory == NULL)
    return given->bytes <= MOST_SCALAR
               ? CW_OK
               : cwi_misuse("arguments[%d].bytes is %zu; a scalar has at most %d bytes", number,
                            given->bytes, MOST_SCALAR);
  snprintf(name, sizeof name, "arguments[%d].memory", number);
  CWI_TRY(cwi_device_slice_find(name, given->memory, 1, &slice));
  const size_t offset = (size_t)((const char *)given->memory - slice->address);
  if (slice->device != device)
    return cwi_misuse("%s does not lie on the kernel's device", name);
  if (offset % device->facts.alignment != 0)
    return cwi_misuse("%s begins %zu bytes after the start of its slice; on this device memory "
                      "arguments begin at multiples of %zu",
                      name, offset, device->facts.alignment);
  argument->memory = slice->memory;
  argument->offset = offset;
  return CW_OK;
}

cw_error cwi_launch_sizes(const cw_kernel_launch_options *given, struct cwi_device_launch *launch)
{
  const bool chosen = given->local[0] > 0 || given->local[1] > 0 || given->local[2] > 0;
  for (int i = 0; i < 3; i++) {
    launch->global[i] = given->global[i] > 0 ? given->global[i] : 1;
    launch->local[i] = chosen && given->local[i] == 0 ? 1 : given->local[i];
    if (chosen && launch->global[i] % launch->local[i] != 0)
      return cwi_misuse("global[%d] is %zu, which is not a multiple of local[%d] = %zu", i,
                        launch->global[i], i, launch->local[i]);
  }
  return CW_OK;
}

static cw_error kernel_launch(cw_kernel kernel, const cw_kernel_launch_options *given)
{
  struct cwi_device_argument arguments[MOST_ARGUMENTS];
  struct cwi_device_launch launch = {.arguments = arguments};
  CWI_TRY(cwi_check_object(&kernels, "kernel", kernel));
  CWI_TRY(cwi_check_not_null("launch", given));
  if (given->count > 0)
    CWI_TRY(cwi_check_not_null("launch->arguments", given->arguments));
  if (given->count < 0 || given->count > MOST_ARGUMENTS)
    return cwi_misuse("launch->count is %d; a kernel has 0 to %d arguments", given->count,
                      MOST_ARGUMENTS);
  for (int i = 0; i < given->count; i++)
    CWI_TRY(argument_of(kernel->device, &given->arguments[i], i, &arguments[i]));
  CWI_TRY(cwi_launch_sizes(given, &launch));
  launch.kernel = kernel->kernel;
  launch.count = given->count;
  pthread_mutex_lock(&kernel->device->lock);
  const cw_error error =
      kernel->device->backend->launch(kernel->device->opened, CWI_QUEUE_WORK, &launch);
  pthread_mutex_unlock(&kernel->device->lock);
  return error;
}

cw_error cwi_kernel_start(cw_kernel kernel, const struct cwi_device_launch *launch)
{
  struct cwi_device_launch mine = *launch;
  mine.kernel = kernel->kernel;
  return kernel->device->backend->launch(kernel->device->opened, CWI_QUEUE_WORK, &mine);
}

cw_error cw_kernel_launch(cw_kernel kernel, const cw_kernel_launch_options *launch)
{
  return cwi_in_call("cw_kernel_launch", kernel_launch(kernel, launch));
}
