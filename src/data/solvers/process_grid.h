/* The processes of a solver: a grid of them for ScaLAPACK, or one for LAPACK. If the program's
 * matrix is block-cyclic, its own grid and blocks are used, so that loading it moves no data
 * between processes. */
#pragma once

#include "array/array.h"
#include "base/size.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { CWI_BLACS_TOPOLOGIES = 6 };

struct cwi_grid {
  cw_team team;
  bool alone;        /* LAPACK on one member */
  int rows, columns; /* of the grid; some members of the team may not be in it */
  int row, column;   /* my place, or -1 if I am not in the grid */
  int root;          /* rank of the first process of the grid; LAPACK works on this one alone */
  int block;         /* rows and columns of a block */
  bool started;      /* with ScaLAPACK: BLACS has been started */
  MPI_Comm comm;     /* communicator of BLACS */
  int system;        /* BLACS's handle for the communicator */
  int context;       /* BLACS's context for the grid */
  char topologies[CWI_BLACS_TOPOLOGIES]; /* PBLAS's topologies, as the program had set them */
};

struct cwi_solver_limits {
  int64_t alone_below;            /* smaller matrices are solved by one process */
  int block;                      /* block size for larger matrices */
  int64_t follow_from, follow_to; /* range of the block sizes of matrices whose own grid and blocks
                                     a solver uses */
};

/* Sets other limits, for tests. */
void cwi_grid_limit(struct cwi_solver_limits set);

/* Runs a solver on a grid of the members of a matrix's team. `n` is the lesser of its extents, or
 * -1 if one process must do the work. `checked` is the result of this process's checks of the
 * arguments; if a member has rejected them, the work does not begin. Collective. Errors, on every
 * member: those of the checks, CW_OUTSIDE, those of the work. */
CWI_CHECKED cw_error cwi_grid_run(cw_array matrix, cw_error checked, int64_t n,
                                  struct cwi_grid *grid, cw_error (*work)(void *call), void *call);
