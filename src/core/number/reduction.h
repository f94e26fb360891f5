/* Reductions: what each does to two rows of numbers. */
#ifndef CWI_NUMBER_REDUCTION_H
#define CWI_NUMBER_REDUCTION_H

#include "base/error.h"
#include "number/number_kernels.h"

#include <causeway/collective.h>

#include <mpi.h>
#include <stddef.h>

/* A reduction of numbers of one type. */
struct cwi_reduction {
  size_t element;                /* bytes */
  cwi_accumulate_kernel combine; /* to[i] = to[i] op from[i] */
  cwi_accumulate_kernel prepare; /* of each member's numbers first; NULL: nothing */
  cw_type type;
  cw_reduction update; /* of prepared numbers: what MPI does, too */
};

/* Errors: CW_MISUSE (no such type or reduction, or not of this type). */
CWI_CHECKED cw_error cwi_reduction_find(cw_type type, cw_reduction reduction,
                                        struct cwi_reduction *found);

/* What reduces prepared numbers in MPI's reductions. MPI leaves open what its least and greatest of
 * real numbers are where one is NaN: ours are made at the start. Local. */
MPI_Op cwi_reduction_op(const struct cwi_reduction *reduction);
CWI_CHECKED cw_error cwi_reductions_start(void);
CWI_CHECKED cw_error cwi_reductions_stop(void);
#endif
