/* The list of kernels. */
#include "kernel.h"

extern const struct kernel p2p_kernel, stencil_kernel, transpose_kernel, random_kernel;
extern const struct kernel random_exact_kernel, nstream_kernel, reduce_kernel, sparse_kernel;
extern const struct kernel dgemm_kernel, amr_kernel, pic_kernel;

const struct kernel *const kernels[] = {
    &p2p_kernel,          &stencil_kernel, &transpose_kernel, &random_kernel,
    &random_exact_kernel, &nstream_kernel, &reduce_kernel,    &sparse_kernel,
    &dgemm_kernel,        &amr_kernel,     &pic_kernel,       NULL,
};
