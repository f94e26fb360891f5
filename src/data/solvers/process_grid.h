/* The processes of a solver: a grid of them for ScaLAPACK, or one for LAPACK. Where the program's
 * matrix is block-cyclic, its own grid and blocks are used, so that loading it moves nothing from
 * one process to another. */
#ifndef CWI_SOLVERS_PROCESS_GRID_H
#define CWI_SOLVERS_PROCESS_GRID_H

#include "array/array.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { CWI_TOPOLOGIES = 6 };

struct cwi_grid {
  cw_team team;
  bool alone;                      /* LAPACK at one member */
  int rows, columns;               /* places; some members of the team may be left over */
  int row, column;                 /* mine; -1: none */
  int root;                        /* rank of the first place; alone: the only one */
  int block;                       /* rows and columns of a block */
  bool started;                    /* not alone: BLACS runs, */
  MPI_Comm comm;                   /* on this, */
  int system;                      /* its name for that, */
  int context;                     /* and for the grid */
  char topologies[CWI_TOPOLOGIES]; /* PBLAS's, of the program */
};

static inline int64_t cwi_lesser(int64_t one, int64_t other)
{
  return one < other ? one : other;
}

struct cwi_solver_limits {
  int64_t alone_below;            /* smaller matrices go to one process */
  int block;                      /* of larger ones */
  int64_t follow_from, follow_to; /* how wide blocks may be that a solver takes as they are */
};

/* Tests set other limits than the usual ones. */
void cwi_grid_limit(struct cwi_solver_limits set);

/* Run a solver on a grid of the members of a matrix's team. n: the lesser one of its rows and
 * columns; -1: one process works, however many these are. checked: what became of the arguments
 * here; the work does not begin where a member refuses them. Collective. Errors, on every member:
 * those, CW_OUTSIDE, the work's. */
CWI_CHECKED cw_error cwi_grid_run(cw_array matrix, cw_error checked, int64_t n,
                                  struct cwi_grid *grid, cw_error (*work)(void *call), void *call);
#endif
