/* The one table of MPI libraries' bugs that we work around, and what else differs between them. */
#ifndef CWI_MPI_WORKAROUND_H
#define CWI_MPI_WORKAROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cwi_workaround_id {
  CWI_MPICH_WIN_ALLOCATE,
  CWI_MPICH_RGET_DATATYPE,
  CWI_MPICH_FLUSH_LOCAL,
  CWI_MPICH_WIN_UNALIGNED,
  CWI_MPICH_FINALIZE,
  CWI_OPENMPI_WIN_ALONE,
  CWI_OPENMPI_WIN_DISJOINT,
  CWI_OPENMPI_STRIDE,
  CWI_OPENMPI_SWAP_SELF,
  CWI_MPICH_UNSIGNED_EXTREMES,
  CWI_OPENMPI_UNSIGNED_EXTREMES,
  CWI_OPENMPI_UPDATES,
  CWI_OPENMPI_BITS,
  CWI_OPENMPI_SATURATED_SUM,
  CWI_OPENMPI_SWAP_APART,
  CWI_WORKAROUNDS
};

/* Does the MPI that this process runs with have the bug, as far as its version tells? */
bool cwi_workaround_applies(enum cwi_workaround_id id);

/* The table, for cw-info: the bugs of the MPI that runs; or those that it has not. */
void cwi_workarounds_print(FILE *out, bool apply);

/* What pays with this library; measured, not right or wrong. */
struct cwi_mpi_habits {
  size_t bundle_run;       /* rows up to this go together, in one operation with a datatype */
  size_t bundle_sum;       /* the same for accumulates */
  size_t bundle_far;       /* the same for both, when the target is on another machine */
  size_t accumulate_piece; /* longer accumulates are cut */
  size_t sieve_gap;        /* rows this far apart are fetched with the gaps between them */
};
const struct cwi_mpi_habits *cwi_mpi_habits(void);

#ifdef __cplusplus
}
#endif
#endif
