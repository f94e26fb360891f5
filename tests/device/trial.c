/* The kernels of trial.cl in C, and the program for each kind of device. */
#include "device/trial.h"

#include "device/trial_text.h"

#include <string.h>

static void trial_index(void *const *arguments, const size_t global[3])
{
  uint32_t *to = arguments[0];
  const uint32_t size0 = *(uint32_t *)arguments[1], size1 = *(uint32_t *)arguments[2];
  for (size_t k = 0; k < global[2]; k++)
    for (size_t j = 0; j < global[1]; j++)
      for (size_t i = 0; i < global[0]; i++)
        to[i + size0 * (j + size1 * k)] += (uint32_t)(i + 1000 * j + 1000000 * k);
}

static void trial_scalars(void *const *arguments, const size_t global[3])
{
  (void)global;
  uint64_t *words = arguments[0];
  words[0] = *(uint8_t *)arguments[1];
  words[1] = *(uint16_t *)arguments[2];
  words[2] = *(uint32_t *)arguments[3];
  words[3] = *(uint64_t *)arguments[4];
  memcpy(words + 4, arguments[5], 16);
  const uint32_t *numbers = arguments[6];
  for (int i = 0; i < 50; i++)
    words[6 + i] = numbers[i];
}

static void trial_step(void *const *arguments, const size_t global[3])
{
  uint32_t *to = arguments[0];
  for (size_t i = 0; i < global[0]; i++)
    to[i] = 3 * to[i] + *(uint32_t *)arguments[1];
}

static void trial_copy(void *const *arguments, const size_t global[3])
{
  memcpy(arguments[0], arguments[1], global[0] * sizeof(uint32_t));
}

const cw_host_function trial_functions[] = {{"trial_index", trial_index},
                                            {"trial_scalars", trial_scalars},
                                            {"trial_step", trial_step},
                                            {"trial_copy", trial_copy},
                                            {NULL, NULL}};

const cw_kernel_source trial_source = {trial_opencl, NULL, trial_ptx, trial_functions};
