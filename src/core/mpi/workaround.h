/* The table of bugs in MPI libraries that we work around, and other differences between them. */
#pragma once

#include "base/workaround_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The bugs that CW_WORKAROUNDS can name come first, in the order of that setting. */
#define CWI_WORKAROUND_ID(identifier, name) CWI_##identifier,
enum cwi_workaround_id {
  CWI_WORKAROUND_NAMES(CWI_WORKAROUND_ID) CWI_FIRST_AVOIDED,
  CWI_LAST_NAMED = CWI_FIRST_AVOIDED - 1,
  CWI_AVOIDED_BUG_NAMES(CWI_WORKAROUND_ID) CWI_WORKAROUNDS
};

/* One bug. It is in all versions from `first` to the last one before `fixed`. */
struct cwi_workaround {
  const char *library; /* the name in cwi_mpi_library(), or several names */
  int first[3], fixed[3];
  const char *bug;     /* what is wrong */
  const char *instead; /* what Causeway does instead */
  const char *link;
  bool (*also)(void); /* a further condition besides the version; NULL if there is none */
  bool only_there;    /* the work-around is correct with this library only */
  int processes;      /* number of processes that its reproducer needs; 0 means two */
};

const struct cwi_workaround *cwi_workaround(enum cwi_workaround_id id);
const char *cwi_workaround_name(enum cwi_workaround_id id);

/* Returns true if the MPI of this process has the bug according to its version. An MPI that is not
 * in the table is expected to have all bugs, except those whose work-around may be wrong there. */
bool cwi_workaround_expected(enum cwi_workaround_id id);

/* Returns true if the work-around is used: where the bug is expected, unless CW_WORKAROUNDS
 * overrides it. */
bool cwi_workaround_applies(enum cwi_workaround_id id);

/* Prints the rows of the table for cw-info: those whose work-around is used if `apply`, else the
 * others. */
void cwi_workarounds_print(FILE *out, bool apply);

/* Prints one line with the names of the bugs that are worked around. */
void cwi_workarounds_name(FILE *out);

/* Returns a text that describes what this library needs to make windows, or NULL if nothing is
 * known. */
const char *cwi_mpi_windows_need(void);

/* Performance properties of a library. They are measured and do not affect correctness. */
struct cwi_mpi_traits {
  size_t bundle_run; /* rows up to this size are sent together, in one operation with a datatype */
  size_t bundle_sum; /* limit like bundle_run, for accumulates */
  size_t bundle_remote;    /* limit for both if the target is on another machine */
  size_t accumulate_piece; /* longer accumulates are split */
  size_t sieve_gap;        /* rows with gaps up to this size are fetched together with the gaps */
  bool checks_first;       /* MPI_Testsome does not return what it receives in the same call */
};
const struct cwi_mpi_traits *cwi_mpi_traits(void);
