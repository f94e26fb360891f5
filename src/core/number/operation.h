/* Operations on numbers by name: reductions, and what else updates an element. */
#ifndef CWI_NUMBER_OPERATION_H
#define CWI_NUMBER_OPERATION_H

#include <causeway/transfer.h>

#include <mpi.h>

/* Fetching updates have one operation more. */
enum { CWI_COMPARE_SWAP = CW_NO_OP + 1, CWI_UPDATES };

/* "CW_SUM"; NULL: there is no operation of this number. */
const char *cwi_operation_word(int operation);

/* What MPI calls a reduction that it has. */
MPI_Op cwi_mpi_op(cw_reduction reduction);
#endif
