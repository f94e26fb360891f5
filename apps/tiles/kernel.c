/* The kernel for pairs of tiles: its source text for devices, and C for the host. */
#include "kernel.h"

#include "tiles/pairs_text.h"

static void add_pair(double *c, const double *a, const double *b, int64_t rows, int64_t columns,
                     int64_t terms)
{
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < terms; k++)
      for (int64_t j = 0; j < columns; j++)
        c[i * columns + j] += a[i * terms + k] * b[k * columns + j];
}

static void pairs_on_host(void *const *arguments, const size_t global[3])
{
  const int64_t *const *sizes = (const int64_t *const *)(arguments + 1 + 2 * KERNEL_PAIRS);
  (void)global;
  for (int pair = 0; pair < KERNEL_PAIRS; pair++)
    add_pair(arguments[0], arguments[1 + 2 * pair], arguments[2 + 2 * pair], *sizes[0], *sizes[1],
             *sizes[2 + pair]);
}

const cw_host_function kernel_functions[] = {{"pairs", pairs_on_host}, {NULL, NULL}};

const cw_kernel_source kernel_source = {
    .opencl = tiles_pairs_opencl, .ptx = tiles_pairs_ptx, .functions = kernel_functions};
const char kernel_name[] = "pairs";
