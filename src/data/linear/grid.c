/* Grids of processes for ScaLAPACK: made for one call of a solver, on a communicator of its own. */
#include "linear/grid.h"

#include "linear/blas.h"
#include "linear/meet.h"
#include "mpi/result.h"
#include "team/agree.h"

#include <stdlib.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int system);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int columns);
void Cblacs_gridexit(int context);

/* Two processes of one node take less time than one from 400 rows (LU) to 800 (eigenvalues) on. */
static struct cwi_solver_limits limits = {.alone_below = 500, .block = 64};

void cwi_grid_limit(struct cwi_solver_limits set)
{
  limits = set;
}

/* BLACS does not look at what MPI returns: errors end the job. */
static cw_error start_blacs(struct cwi_grid *grid, int *map)
{
  CWI_ASSERT(map != NULL);
  CWI_TRY(CWI_MPI(MPI_Comm_dup(grid->team->internal, &grid->comm)));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(grid->comm, MPI_ERRORS_ARE_FATAL)));
  grid->system = Csys2blacs_handle(grid->comm);
  grid->context = grid->system;
  for (int row = 0; row < grid->rows; row++) /* column-major */
    for (int column = 0; column < grid->columns; column++)
      map[row + column * grid->rows] = row * grid->columns + column;
  Cblacs_gridmap(&grid->context, map, grid->rows, grid->rows, grid->columns);
  grid->started = true;
  return CW_OK;
}

static cw_error grid_open(cw_team team, int64_t n, struct cwi_grid *grid)
{
  *grid = (struct cwi_grid){.team = team, .rows = 1, .columns = 1, .comm = MPI_COMM_NULL};
  grid->alone = team->size == 1 || n < limits.alone_below;
  grid->block = grid->alone ? (int)n : limits.block;
  while (!grid->alone && (grid->rows + 1) * (grid->rows + 1) <= team->size)
    grid->rows++;
  if (!grid->alone)
    grid->columns = team->size / grid->rows;
  const bool member = team->rank < grid->rows * grid->columns;
  grid->row = member ? team->rank / grid->columns : -1;
  grid->column = member ? team->rank % grid->columns : -1;
  if (grid->alone)
    return CW_OK;
  int *map = malloc((size_t)grid->rows * (size_t)grid->columns * sizeof *map);
  cw_error error = map != NULL ? CW_OK : cwi_outside("no memory for a grid of processes");
  error = cwi_team_agree(team, error);
  if (error == CW_OK)
    error = start_blacs(grid, map);
  free(map);
  return error;
}

static cw_error grid_close(struct cwi_grid *grid)
{
  if (grid->comm == MPI_COMM_NULL)
    return CW_OK;
  if (grid->started && grid->row >= 0)
    Cblacs_gridexit(grid->context);
  if (grid->started)
    Cfree_blacs_system_handle(grid->system);
  return CWI_MPI(MPI_Comm_free(&grid->comm));
}

cw_error cwi_grid_run(cw_team team, cw_error checked, int64_t n, struct cwi_grid *grid,
                      cw_error (*work)(void *call), void *call)
{
  struct cwi_first_error first;
  CWI_TRY(cwi_meet(team, checked));
  cwi_blas_begin();
  cwi_first_begin(&first, grid_open(team, n, grid));
  if (first.error == CW_OK)
    cwi_first_note(&first, work(call));
  cwi_first_note(&first, grid_close(grid));
  return cwi_first_return(&first);
}
