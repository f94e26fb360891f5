/* Operations on numbers: reductions, and other updates of an element. */
#pragma once

#include <causeway/transfer.h>

#include <mpi.h>

/* Fetching updates have compare-and-swap as a further operation. */
enum { CWI_COMPARE_SWAP = CW_NO_OP + 1, CWI_UPDATES };

/* Returns a name like "CW_SUM", or NULL if there is no operation of this number. */
const char *cwi_operation_word(int operation);

/* Returns the MPI operation of a reduction. The reduction must be one that MPI has, too. */
MPI_Op cwi_mpi_op(cw_reduction reduction);
