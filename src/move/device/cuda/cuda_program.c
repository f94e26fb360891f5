/* Programs and kernels of the CUDA back end. The driver compiles PTX. A launch has exactly the
 * requested number of work items, because the block size divides it in each dimension. */
#include "device/cuda/cuda_driver.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum {
  LOG_SIZE = 700, /* a message has 1024 bytes */
  ERROR_LOG = 5,  /* CU_JIT_ERROR_LOG_BUFFER */
  ERROR_LOG_SIZE = 6,
  BLOCK = 256,        /* most work items of a block; any kernel has enough registers for them */
  BLOCK_DEPTH = 64,   /* the driver's limit in the third dimension */
  MOST_BLOCKS = 65535 /* limit in the second and third dimension */
};

static cw_error program_load(struct cwi_cuda_device *device, const char *text, void **module)
{
  char log[LOG_SIZE] = "";
  int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  const int result = cwi_cuda.cuModuleLoadDataEx(module, text, 2, options, values);
  char more[LOG_SIZE + 8];
  snprintf(more, sizeof more, "%s%s", log[0] != '\0' ? ": " : "", log);
  return result == CWI_CUDA_SUCCESS ? CW_OK
                                    : cwi_cuda_error(device, "cuModuleLoadDataEx", result, more);
}

cw_error cwi_cuda_build(void *opened, const cw_kernel_source *source, void **program)
{
  struct cwi_cuda_device *device = opened;
  if (source->ptx == NULL)
    return cwi_misuse("CUDA device %d: the program has no PTX: ptx is NULL", device->number);
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, program_load(device, source->ptx, program));
}

void cwi_cuda_drop(void *opened, void *program)
{
  struct cwi_cuda_device *device = opened;
  const bool inside = cwi_cuda_enter_to_end(device);
  CWI_CUDA_END(device, cuModuleUnload, program);
  cwi_cuda_leave_at_end(device, inside);
}

cw_error cwi_cuda_find(void *opened, void *program, const char *name, void **kernel)
{
  struct cwi_cuda_device *device = opened;
  CWI_TRY(cwi_cuda_enter(device));
  const int result = cwi_cuda.cuModuleGetFunction(kernel, program, name);
  const cw_error error =
      result == CWI_CUDA_NOT_FOUND
          ? cwi_misuse("CUDA device %d: the program has no kernel '%.64s' (an .entry of its PTX)",
                       device->number, name)
          : cwi_cuda_check(device, "cuModuleGetFunction", result);
  return cwi_cuda_leave(device, error);
}

/* Does nothing: kernels belong to their program. */
void cwi_cuda_leave_kernel(void *opened, void *kernel)
{
  (void)opened;
  (void)kernel;
}

/* --- Launches --------------------------------------------------------------------------------- */

/* Arguments of cuLaunchKernel, which takes the address of each value. */
struct program_values {
  cwi_cuda_address addresses[CWI_LAUNCH_ARGUMENTS];
  void *places[CWI_LAUNCH_ARGUMENTS];
};

static void program_gather(const struct cwi_device_launch *launch, struct program_values *values)
{
  for (int i = 0; i < launch->count; i++) {
    const struct cwi_device_argument *argument = &launch->arguments[i];
    values->addresses[i] = (uintptr_t)argument->memory + argument->offset;
    values->places[i] =
        argument->memory != NULL ? (void *)&values->addresses[i] : (void *)argument->scalar;
  }
}

/* Returns the largest divisor of `number` up to `most`. */
static size_t program_divisor(size_t number, size_t most)
{
  size_t divisor = most;
  while (divisor > 1 && number % divisor != 0)
    divisor--;
  return divisor;
}

static size_t program_most_blocks(int dimension)
{
  return dimension == 0 ? INT_MAX : MOST_BLOCKS;
}

/* Returns the smallest block size that divides `number` and for which CUDA can start all blocks.
 * Returns BLOCK if there is none. */
static size_t program_least(size_t number, int dimension)
{
  size_t divisor = 1;
  while (divisor < BLOCK &&
         (number % divisor != 0 || number / divisor > program_most_blocks(dimension)))
    divisor++;
  return divisor;
}

/* Chooses the block size. CUDA starts only whole blocks, so the block size must divide `global`.
 * Then a kernel has the same work items as in OpenCL and need not check its index. The first
 * dimension gets as many of the BLOCK work items as the minimum sizes of the others leave. */
static void program_choose(const size_t global[3], size_t block[3])
{
  size_t least[3], capacity = BLOCK;
  for (int i = 0; i < 3; i++) {
    least[i] = program_least(global[i], i);
    capacity /= least[i];
  }
  for (int i = 0; i < 3; i++) {
    const size_t most = least[i] * (capacity > 0 ? capacity : 1);
    block[i] = program_divisor(global[i], i == 2 && most > BLOCK_DEPTH ? BLOCK_DEPTH : most);
    capacity = most / block[i];
  }
}

static void program_block(const struct cwi_device_launch *launch, size_t block[3])
{
  const size_t *local = launch->local;
  if (local[0] == 0 && local[1] == 0 && local[2] == 0)
    program_choose(launch->global, block);
  else
    for (int i = 0; i < 3; i++)
      block[i] = local[i] > 0 ? local[i] : 1;
}

static bool program_shape(const struct cwi_device_launch *launch, unsigned grid[3],
                          unsigned block[3])
{
  size_t items[3];
  program_block(launch, items);
  for (int i = 0; i < 3; i++) {
    if (items[i] > INT_MAX || launch->global[i] / items[i] > program_most_blocks(i))
      return false;
    block[i] = (unsigned)items[i];
    grid[i] = (unsigned)(launch->global[i] / items[i]);
  }
  return true;
}

cw_error cwi_cuda_launch(void *opened, enum cwi_device_queue queue,
                         const struct cwi_device_launch *launch)
{
  struct cwi_cuda_device *device = opened;
  struct program_values values = {{0}, {NULL}};
  unsigned grid[3] = {0}, block[3] = {0};
  if (launch->count > CWI_LAUNCH_ARGUMENTS)
    return cwi_misuse("CUDA device %d: the kernel has %d arguments; at most %d are possible",
                      device->number, launch->count, CWI_LAUNCH_ARGUMENTS);
  if (!program_shape(launch, grid, block))
    return cwi_misuse("CUDA device %d: global is %zu x %zu x %zu in groups of %u x %u x %u; the "
                      "first dimension has "
                      "at most %d groups, the others %d",
                      device->number, launch->global[0], launch->global[1], launch->global[2],
                      block[0], block[1], block[2], INT_MAX, MOST_BLOCKS);
  program_gather(launch, &values);
  CWI_TRY(cwi_cuda_enter(device));
  return cwi_cuda_leave(device, CWI_CUDA(device, cuLaunchKernel, launch->kernel, grid[0], grid[1],
                                         grid[2], block[0], block[1], block[2], 0,
                                         device->streams[queue], values.places, NULL));
}
