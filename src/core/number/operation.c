/* Operations on numbers: their names and MPI operations. */
#include "number/operation.h"

#include <stddef.h>

const char *cwi_operation_word(int operation)
{
  static const char *const words[CWI_UPDATES] = {[CW_SUM] = "CW_SUM",
                                                 [CW_PRODUCT] = "CW_PRODUCT",
                                                 [CW_MINIMUM] = "CW_MINIMUM",
                                                 [CW_MAXIMUM] = "CW_MAXIMUM",
                                                 [CW_ABSOLUTE_MINIMUM] = "CW_ABSOLUTE_MINIMUM",
                                                 [CW_ABSOLUTE_MAXIMUM] = "CW_ABSOLUTE_MAXIMUM",
                                                 [CW_LOGICAL_AND] = "CW_LOGICAL_AND",
                                                 [CW_LOGICAL_OR] = "CW_LOGICAL_OR",
                                                 [CW_LOGICAL_XOR] = "CW_LOGICAL_XOR",
                                                 [CW_BIT_AND] = "CW_BIT_AND",
                                                 [CW_BIT_OR] = "CW_BIT_OR",
                                                 [CW_BIT_XOR] = "CW_BIT_XOR",
                                                 [CW_REPLACE] = "CW_REPLACE",
                                                 [CW_NO_OP] = "CW_NO_OP",
                                                 [CWI_COMPARE_SWAP] = "compare-and-swap"};
  return (unsigned)operation < CWI_UPDATES ? words[operation] : NULL;
}

/* Uses a switch and no table, because the operations of Open MPI are not constant expressions. */
MPI_Op cwi_mpi_op(cw_reduction reduction)
{
  switch (reduction) {
  case CW_SUM:
    return MPI_SUM;
  case CW_PRODUCT:
    return MPI_PROD;
  case CW_MINIMUM:
    return MPI_MIN;
  case CW_MAXIMUM:
    return MPI_MAX;
  case CW_LOGICAL_AND:
    return MPI_LAND;
  case CW_LOGICAL_OR:
    return MPI_LOR;
  case CW_LOGICAL_XOR:
    return MPI_LXOR;
  case CW_BIT_AND:
    return MPI_BAND;
  case CW_BIT_OR:
    return MPI_BOR;
  case CW_BIT_XOR:
    return MPI_BXOR;
  case CW_REPLACE:
    return MPI_REPLACE;
  default:
    return MPI_NO_OP;
  }
}
