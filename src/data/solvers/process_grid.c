/* Grids of processes for ScaLAPACK. Each is made for one call of a solver, on a communicator of its
 * own. */
#include "solvers/process_grid.h"

#include "external/blas.h"
#include "external/routines.h"
#include "linear/synchronize.h"
#include "mpi/mpi_result.h"
#include "solvers/lapack.h"
#include "team/agreement.h"
#include "team/survivors.h"

#include <stdlib.h>

/* Pointers to BLACS, and to the functions that set PBLAS's topologies. */
static struct {
  int (*system_handle)(MPI_Comm comm);
  void (*free_system_handle)(int system);
  void (*grid_map)(int *context, int *map, int ld, int rows, int columns);
  void (*grid_exit)(int context);
  void (*get_topology)(const int *context, const char *what, const char *scope, char *topology);
  void (*set_topology)(const int *context, const char *what, const char *scope,
                       const char *topology);
} blacs;

static const struct cwi_symbol routines[] = {
    {"Csys2blacs_handle", &blacs.system_handle},
    {"Cfree_blacs_system_handle", &blacs.free_system_handle},
    {"Cblacs_gridmap", &blacs.grid_map},
    {"Cblacs_gridexit", &blacs.grid_exit},
    {"pb_topget_", &blacs.get_topology},
    {"pb_topset_", &blacs.set_topology},
    {NULL, NULL}};

/* Two processes of one node are faster than one process if a matrix has at least 400 rows (LU) to
 * 800 rows (eigenvalues). */
static struct cwi_solver_limits limits = {
    .alone_below = 500, .block = 64, .follow_from = 32, .follow_to = 64};

void cwi_grid_limit(struct cwi_solver_limits set)
{
  limits = set;
}

/* The topologies of PBLAS's broadcasts and sums are settings of the process, for all its grids.
 * PxORGQR and PxUNGQR change them and do not restore them (ScaLAPACK 2.2.1 gets them where it
 * should set them). Processes outside of that grid still have the old settings. In a later grid the
 * two kinds of processes would use different trees and hang. So a grid begins with the default
 * settings, and restores the program's settings at its end. */
enum { BY_PBLAS = 2, ALONG = 3 };
_Static_assert(BY_PBLAS *ALONG == CWI_BLACS_TOPOLOGIES, "each has a place");
static const char *const by_pblas[BY_PBLAS] = {"Broadcast", "Combine"};
static const char *const along[ALONG] = {"Rowwise", "Columnwise", "All"};

static void take_topologies(struct cwi_grid *grid)
{
  for (int i = 0; i < CWI_BLACS_TOPOLOGIES; i++) {
    blacs.get_topology(&grid->context, by_pblas[i / ALONG], along[i % ALONG], &grid->topologies[i]);
    blacs.set_topology(&grid->context, by_pblas[i / ALONG], along[i % ALONG], " ");
  }
}

static void give_topologies(const struct cwi_grid *grid)
{
  for (int i = 0; i < CWI_BLACS_TOPOLOGIES; i++)
    blacs.set_topology(&grid->context, by_pblas[i / ALONG], along[i % ALONG], &grid->topologies[i]);
}

/* Starts BLACS. It does not check what MPI returns, so errors of MPI end the job. map: [rows *
 * columns] ranks, by columns. */
static cw_error start_blacs(struct cwi_grid *grid, int *map)
{
  CWI_ASSERT(map != NULL);
  CWI_TRY(cwi_team_check_messages(grid->team));
  CWI_TRY(CWI_MPI(MPI_Comm_dup(grid->team->internal, &grid->comm)));
  CWI_TRY(CWI_MPI(MPI_Comm_set_errhandler(grid->comm, MPI_ERRORS_ARE_FATAL)));
  grid->system = blacs.system_handle(grid->comm);
  grid->context = grid->system;
  blacs.grid_map(&grid->context, map, grid->rows, grid->rows, grid->columns);
  grid->started = true;
  if (grid->row >= 0)
    take_topologies(grid);
  return CW_OK;
}

/* Returns the largest number of processes of a grid, which is the greater extent of the matrix.
 * With more processes, some would have no part of either kind of vectors. On these, the last digits
 * of the singular values from PxGESVD would differ. */
static int64_t most_places(cw_array matrix)
{
  const int64_t rows = matrix->axes[0].extent, columns = matrix->axes[1].extent;
  return rows > columns ? rows : columns;
}

/* Returns true if the matrix has a distribution that ScaLAPACK can use as it is: block-cyclic, with
 * square blocks of a suitable size, at least one for each process. */
static bool may_follow(cw_array matrix)
{
  const struct cwi_axis *rows = &matrix->axes[0], *columns = &matrix->axes[1];
  return matrix->layout == CW_CYCLIC && matrix->dimensions == 2 && rows->width == columns->width &&
         rows->width >= limits.follow_from && rows->width <= limits.follow_to &&
         rows->grid <= rows->blocks && columns->grid <= columns->blocks &&
         rows->grid * columns->grid <= most_places(matrix);
}

/* Uses the matrix's own grid. */
static void follow(cw_array matrix, struct cwi_grid *grid)
{
  grid->rows = (int)matrix->axes[0].grid;
  grid->columns = (int)matrix->axes[1].grid;
  grid->block = (int)matrix->axes[0].width;
}

/* Fills the map with the matrix's own grid. The process of the first block becomes ScaLAPACK's
 * first process, whatever the alignment. */
static void fill_alike(cw_array matrix, const struct cwi_grid *grid, int *map)
{
  const struct cwi_axis *rows = &matrix->axes[0], *columns = &matrix->axes[1];
  for (int holder = 0; holder < matrix->holders; holder++) {
    int64_t at[CW_MAX_DIMENSIONS];
    cwi_holder_coordinates(matrix, holder, at);
    const int row = (int)((at[0] - rows->alignment + rows->grid) % rows->grid);
    const int column = (int)((at[1] - columns->alignment + columns->grid) % columns->grid);
    map[row + column * grid->rows] = cwi_holder_rank(matrix, holder);
  }
}

/* Chooses the most square grid, filled row by row, in which each process has a block. If some had
 * neither rows nor columns, PxGESVD would compute different values on different processes, or
 * hang. */
static void choose(cw_array matrix, struct cwi_grid *grid)
{
  const int64_t rows = (matrix->axes[0].extent - 1) / grid->block + 1;
  const int64_t columns = (matrix->axes[1].extent - 1) / grid->block + 1;
  const int64_t most = cwi_lesser(grid->team->size, most_places(matrix));
  while ((grid->rows + 1) * (grid->rows + 1) <= most)
    grid->rows++;
  grid->columns = (int)cwi_lesser(most / grid->rows, columns);
  grid->rows = (int)cwi_lesser(grid->rows, rows);
}

static void fill(const struct cwi_grid *grid, int *map)
{
  for (int row = 0; row < grid->rows; row++)
    for (int column = 0; column < grid->columns; column++)
      map[row + column * grid->rows] = row * grid->columns + column;
}

/* Finds my place in the grid. */
static void take_place(struct cwi_grid *grid, const int *map)
{
  grid->row = grid->column = -1;
  grid->root = map[0];
  for (int place = 0; place < grid->rows * grid->columns; place++)
    if (map[place] == grid->team->rank) {
      grid->row = place % grid->rows;
      grid->column = place / grid->rows;
    }
}

static bool grid_is_alone(cw_team team, int64_t n)
{
  return team->size == 1 || n < limits.alone_below;
}

/* Loads the libraries that the grid needs. */
static cw_error grid_load(bool alone)
{
  CWI_TRY(cwi_blas_begin());
  CWI_TRY(cwi_lapack_begin(alone));
  return alone ? CW_OK : cwi_routines_find(CWI_SCALAPACK, routines);
}

static cw_error grid_open(cw_array matrix, int64_t n, struct cwi_grid *grid)
{
  cw_team team = matrix->team;
  const int first = team->rank == 0 ? 0 : -1;
  *grid = (struct cwi_grid){.team = team,
                            .rows = 1,
                            .columns = 1,
                            .row = first,
                            .column = first,
                            .block = limits.block,
                            .comm = MPI_COMM_NULL};
  grid->alone = grid_is_alone(team, n);
  if (grid->alone)
    return CW_OK;
  const bool follows = may_follow(matrix);
  follows ? follow(matrix, grid) : choose(matrix, grid);
  int *map = malloc((size_t)grid->rows * (size_t)grid->columns * sizeof *map);
  cw_error error = map != NULL ? CW_OK : cwi_outside("no memory for a grid of processes");
  error = cwi_team_agree(team, error);
  if (error == CW_OK) {
    follows ? fill_alike(matrix, grid, map) : fill(grid, map);
    take_place(grid, map);
    error = start_blacs(grid, map);
  }
  free(map);
  return error;
}

static cw_error grid_close(struct cwi_grid *grid)
{
  if (grid->comm == MPI_COMM_NULL)
    return CW_OK;
  if (grid->started && grid->row >= 0) {
    give_topologies(grid);
    blacs.grid_exit(grid->context);
  }
  if (grid->started)
    blacs.free_system_handle(grid->system);
  return CWI_MPI(MPI_Comm_free(&grid->comm));
}

cw_error cwi_grid_run(cw_array matrix, cw_error checked, int64_t n, struct cwi_grid *grid,
                      cw_error (*work)(void *call), void *call)
{
  struct cwi_first_error first;
  if (checked == CW_OK)
    checked = grid_load(grid_is_alone(matrix->team, n));
  CWI_TRY(cwi_matrix_synchronize(matrix->team, checked));
  cwi_first_begin(&first, grid_open(matrix, n, grid));
  if (first.error == CW_OK)
    cwi_first_note(&first, work(call));
  cwi_first_note(&first, grid_close(grid));
  return cwi_first_return(&first);
}
