/* The one table of MPI libraries' bugs that we work around, and what else differs between them. */
#ifndef CWI_MPI_WORKAROUND_H
#define CWI_MPI_WORKAROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* First those that CW_WORKAROUNDS names, in its order. */
enum cwi_workaround_id {
  CWI_MPICH_FLUSH_LOCAL,
  CWI_MPICH_FLUSH_ALL,
  CWI_MPICH_FINALIZE,
  CWI_UNSIGNED_EXTREMES,
  CWI_OPENMPI_WIN_DISJOINT,
  CWI_OPENMPI_STRIDE,
  CWI_OPENMPI_SWAP_SELF,
  CWI_OPENMPI_UPDATES,
  CWI_OPENMPI_BITS,
  CWI_OPENMPI_SATURATED_SUM,
  CWI_OPENMPI_FETCH_TAIL,
  CWI_OPENMPI_SWAP_APART,
  /* What Causeway never does, with no MPI. */
  CWI_MPICH_WIN_ALLOCATE,
  CWI_NEVER_MET = CWI_MPICH_WIN_ALLOCATE,
  CWI_MPICH_RGET_DATATYPE,
  CWI_MPICH_WIN_UNALIGNED,
  CWI_OPENMPI_WIN_ALONE,
  CWI_WORKAROUNDS
};

/* One bug. Versions from `first` up to, but without, `fixed`. */
struct cwi_workaround {
  const char *name;    /* also of its program in tests/mpi/reproducers */
  const char *library; /* as cwi_mpi_library() says it; or several */
  int first[3], fixed[3];
  const char *bug;     /* what is wrong */
  const char *instead; /* what we do */
  const char *link;
  bool (*also)(void); /* what else must be so, beside the version; NULL: nothing */
  bool only_there;    /* the way round is right with that library only */
  int processes;      /* that its program needs; 0: two */
};

const struct cwi_workaround *cwi_workaround(enum cwi_workaround_id id);

/* Does the MPI that this process runs with have the bug, as far as its version tells? A library
 * that the table does not know has all of them, but for those whose way round may be wrong there.
 */
bool cwi_workaround_expected(enum cwi_workaround_id id);

/* Is the way round taken? Where it is expected, unless CW_WORKAROUNDS says otherwise. */
bool cwi_workaround_applies(enum cwi_workaround_id id);

/* The table, for cw-info: the bugs that are worked around here; or the others. */
void cwi_workarounds_print(FILE *out, bool apply);

/* Prints one line with the names of those that apply. */
void cwi_workarounds_name(FILE *out);

/* Returns a sentence that says what this library needs to make windows, or NULL if nothing is
 * known. */
const char *cwi_mpi_windows_need(void);

/* What pays with this library; measured, not right or wrong. */
struct cwi_mpi_traits {
  size_t bundle_run;       /* rows up to this go together, in one operation with a datatype */
  size_t bundle_sum;       /* the same for accumulates */
  size_t bundle_far;       /* the same for both, when the target is on another machine */
  size_t accumulate_piece; /* longer accumulates are cut */
  size_t sieve_gap;        /* rows this far apart are fetched with the gaps between them */
  bool checks_first;       /* MPI_Testsome does not return what it takes in itself */
};
const struct cwi_mpi_traits *cwi_mpi_traits(void);
#endif
