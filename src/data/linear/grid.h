/* The processes of a solver: a grid of them for ScaLAPACK, or one for LAPACK. */
#ifndef CWI_LINEAR_GRID_H
#define CWI_LINEAR_GRID_H

#include "team/team.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_grid {
  cw_team team;
  bool alone;        /* LAPACK at rank 0 */
  int rows, columns; /* places; ranks fill them row by row, some may be left over */
  int row, column;   /* mine; -1: none */
  int block;         /* rows and columns of a block */
  bool started;      /* not alone: BLACS runs, */
  MPI_Comm comm;     /* on this, */
  int system;        /* its name for that, */
  int context;       /* and for the grid */
};

/* Matrices with fewer rows go to one process; blocks of larger ones. */
struct cwi_solver_limits {
  int64_t alone_below;
  int block;
};

/* Tests set other limits than the usual ones. */
void cwi_grid_limit(struct cwi_solver_limits set);

/* Run a solver on a grid for matrices of n rows. checked: what became of its arguments here; the
 * work does not begin where a member refuses them. Collective. Errors, on every member: those,
 * CW_OUTSIDE, the work's. */
CWI_CHECKED cw_error cwi_grid_run(cw_team team, cw_error checked, int64_t n, struct cwi_grid *grid,
                                  cw_error (*work)(void *call), void *call);

#ifdef __cplusplus
}
#endif
#endif
