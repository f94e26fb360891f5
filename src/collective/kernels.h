/* Reductions: what each does to two rows of numbers. */
#ifndef CWI_COLLECTIVE_KERNELS_H
#define CWI_COLLECTIVE_KERNELS_H

#include "base/check.h"

#include <causeway/collective.h>

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* to[i] = to[i] op from[i]. The rows do not overlap; they may be at any address. */
typedef void (*cwi_combine_kernel)(void *to, const void *from, size_t count);

/* A reduction of numbers of one type. */
struct cwi_reduction {
  size_t element; /* bytes */
  cwi_combine_kernel combine;
  cwi_combine_kernel combine_after; /* to[i] = from[i] op to[i]: where that gives other bits */
  void (*prepare)(void *numbers, size_t count); /* of each member first; NULL: nothing */
  MPI_Datatype mpi_type;
  MPI_Op mpi_op;
};

/* Errors: CW_MISUSE (no such type or reduction, or not of this type). */
CWI_CHECKED cw_error cwi_reduction_find(cw_type type, cw_reduction reduction,
                                        struct cwi_reduction *found);

#ifdef __cplusplus
}
#endif
#endif
