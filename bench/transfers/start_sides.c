/* The same job with MPI alone, on Causeway, and as a program on Global Arrays. */
#include "../program.h"
#include "start.h"

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdlib.h>

/* Returns a block; the caller frees it. */
static double *make_block(int each)
{
  double *block = calloc((size_t)each, sizeof *block);
  if (block == NULL)
    cw_abort("no memory for a block", 1);
  return block;
}

static int next_process(int *processes)
{
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, processes);
  return (process + 1) % *processes;
}

/* --- MPI -------------------------------------------------------------------------------------- */

static void mpi_nothing(void) {}

static void mpi_barrier(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Does the array step with MPI's one-sided calls. */
static void mpi_array(int each)
{
  int processes = 0;
  const int next = next_process(&processes);
  double *block = make_block(each), *mine = NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate((MPI_Aint)each * (MPI_Aint)sizeof *mine, sizeof *mine, MPI_INFO_NULL,
                   MPI_COMM_WORLD, (void *)&mine, &window);
  MPI_Win_lock_all(0, window);
  MPI_Put(block, each, MPI_DOUBLE, next, 0, each, MPI_DOUBLE, window);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  free(block);
}

static int mpi_nodes(void)
{
  return 1; /* not measured: these programs run on one machine */
}

const struct start_side start_mpi = {"mpi",     mpi_nothing, mpi_barrier,
                                     mpi_array, mpi_nodes,   mpi_nothing};

/* --- Causeway --------------------------------------------------------------------------------- */

static void causeway_begin(void)
{
  must(cw_init(MPI_COMM_WORLD));
}

static void causeway_barrier(void)
{
  must(cw_barrier(cw_team_world()));
}

static void causeway_array(int each)
{
  int processes = 0;
  const int64_t next = next_process(&processes), extent = (int64_t)each * processes;
  const int64_t block_extent = each, lo = next * each, hi = lo + each - 1;
  const cw_array_options options = {.name = "start",
                                    .type = CW_DOUBLE,
                                    .dimensions = 1,
                                    .extents = &extent,
                                    .distribution = {.block = &block_extent}};
  double *block = make_block(each);
  cw_array array = NULL;
  must(cw_array_create(cw_team_world(), &options, &array));
  must(cw_array_put(array, &lo, &hi, block, NULL));
  causeway_barrier();
  must(cw_array_destroy(&array));
  free(block);
}

static void causeway_end(void)
{
  must(cw_finalize());
}

const struct start_side start_causeway = {"causeway",     causeway_begin, causeway_barrier,
                                          causeway_array, cw_nodes,       causeway_end};

/* --- Global Arrays ---------------------------------------------------------------------------- */

static void ga_array(int each)
{
  int processes = 0, chunk = each, hi = 0, lo = next_process(&processes) * each;
  int extent = each * processes, ld = each;
  char name[] = "start";
  double *block = make_block(each);
  hi = lo + each - 1;
  const int array = NGA_Create(C_DBL, 1, &extent, name, &chunk);
  NGA_Put(array, &lo, &hi, block, &ld);
  GA_Sync();
  GA_Destroy(array);
  free(block);
}

const struct start_side start_ga = {"ga",     GA_Initialize,     GA_Sync,
                                    ga_array, GA_Cluster_nnodes, GA_Terminate};
