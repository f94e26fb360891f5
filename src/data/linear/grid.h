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

/* A grid for matrices of n rows. Collective. Errors, on every member: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_grid_open(cw_team team, int64_t n, struct cwi_grid *grid);
CWI_CHECKED cw_error cwi_grid_close(struct cwi_grid *grid);

#ifdef __cplusplus
}
#endif
#endif
