/* Reductions: what each does to two rows of numbers. */
#ifndef CWI_NUMBER_REDUCTION_H
#define CWI_NUMBER_REDUCTION_H

#include "base/check.h"
#include "number/kernels.h"

#include <causeway/collective.h>

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A reduction of numbers of one type. */
struct cwi_reduction {
  size_t element;                /* bytes */
  cwi_accumulate_kernel combine; /* to[i] = to[i] op from[i] */
  cwi_accumulate_kernel after;   /* to[i] = from[i] op to[i]: where that gives other bits */
  void (*prepare)(void *numbers, size_t count); /* of each member first; NULL: nothing */
  MPI_Datatype mpi_type;
  MPI_Op mpi_op;
};

/* Errors: CW_MISUSE (no such type or reduction, or not of this type). */
CWI_CHECKED cw_error cwi_reduction_find(cw_type type, cw_reduction reduction,
                                        struct cwi_reduction *found);

/* By either kernel of a reduction, whole elements. */
static inline void cwi_combine(cwi_accumulate_kernel kernel, void *to, const void *from,
                               size_t bytes)
{
  kernel((char *)to, 0, (const char *)from, 0, bytes, 1, NULL);
}

#ifdef __cplusplus
}
#endif
#endif
