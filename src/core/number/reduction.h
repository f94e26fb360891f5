/* Finds the kernels and the MPI operation of a reduction of one type. */
#pragma once

#include "base/error.h"
#include "number/number_kernels.h"

#include <causeway/collective.h>

#include <mpi.h>
#include <stddef.h>

/* A reduction of numbers of one type. */
struct cwi_reduction {
  size_t element;                /* bytes */
  cwi_accumulate_kernel combine; /* to[i] = to[i] op from[i] */
  /* applied to each member's numbers first; NULL if there is nothing to do */
  cwi_accumulate_kernel prepare;
  cw_type type;
  cw_reduction update; /* operation on prepared numbers, which MPI also has */
};

/* Finds a reduction. Errors: CW_MISUSE if the type or the reduction does not exist, or is not
 * defined for the type. */
CWI_CHECKED cw_error cwi_reduction_find(cw_type type, cw_reduction reduction,
                                        struct cwi_reduction *found);

/* cwi_reduction_op returns the MPI operation for prepared numbers. MPI does not define the result
 * of its minimum and maximum if a number is NaN. So Causeway has its own for floating-point
 * numbers: cwi_reductions_start creates them, and cwi_reductions_stop frees them. Both are local.
 */
MPI_Op cwi_reduction_op(const struct cwi_reduction *reduction);
CWI_CHECKED cw_error cwi_reductions_start(void);
CWI_CHECKED cw_error cwi_reductions_stop(void);
