/* The list of kernels. */
#include "kernel.h"

enum { MOST_KERNELS = 32 };

const struct kernel *kernels[MOST_KERNELS] = {
    &p2p_kernel,          &stencil_kernel, &transpose_kernel, &random_kernel,
    &random_exact_kernel, &nstream_kernel, &reduce_kernel,    &sparse_kernel,
    &dgemm_kernel,        &amr_kernel,     &pic_kernel,
};

void kernels_add(const struct kernel *kernel)
{
  int count = 0;
  while (kernels[count] != NULL)
    count++;
  kernels[count] = kernel;
}
