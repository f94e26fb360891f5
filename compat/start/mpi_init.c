/* MPI_Init for programs of libarmci and libcwga: asks for MPI_THREAD_MULTIPLE when the job has
 * several nodes.
 *
 * Programs on ARMCI, GA and TCGMSG call plain MPI_Init, which gives MPI_THREAD_SINGLE; between
 * nodes a server's thread may call MPI, too, and after MPI_Init it is too late to ask. So these
 * libraries, which are linked before MPI, define MPI's profiling entry points. CW_RAISE_THREADS=0
 * turns this off. This file is not part of libcauseway: there the program chooses the level itself.
 *
 * Fortran: mpi_init_ and mpi_init_thread_ must be here too. Open MPI's Fortran entry calls
 * PMPI_Init directly, and MPICH's calls MPI_Init, but a static link pulls this file only for a name
 * that the program itself uses. Calling the C entry is all that both libraries' own entries do
 * (MPICH's other Fortran calls set up what they need when first called). Tried with both, static
 * and shared, for mpif.h and `use mpi`. Not covered: `use mpi_f08`, whose entries have names of
 * their own; such programs get the level that they ask for. */
#include "base/settings.h"
#include "mpi/library.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdlib.h>

/* What launchers tell each process before MPI is up: numbers in the environment. */
struct launcher {
  const char *all;   /* processes, or nodes, of the job */
  const char *local; /* processes on this node; NULL: `all` counts nodes */
};

static const struct launcher launchers[] = {
    {"PMI_SIZE", "MPI_LOCALNRANKS"},                        /* hydra: MPICH, Intel MPI */
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}, /* Open MPI's mpiexec */
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"},   /* MVAPICH2 */
    {"PALS_SIZE", "PALS_LOCAL_SIZE"},                       /* Cray */
    {"SLURM_STEP_NUM_NODES", NULL},                         /* srun */
    {"SLURM_NNODES", NULL},
};

static long number(const char *name)
{
  const char *text = name != NULL ? getenv(name) : NULL;
  return text != NULL ? strtol(text, NULL, 10) : 0;
}

/* Several machines, or one that CW_NODE_SIZE splits into virtual nodes. Every process of a job
 * comes to the same answer, or at worst asks for more than it needs. */
static bool several_nodes(void)
{
  for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
    const long all = number(launchers[i].all), local = number(launchers[i].local);
    if (all == 0 || (launchers[i].local != NULL && local == 0))
      continue;
    const long node_size = launchers[i].local != NULL ? cwi_settings.node_size : 0;
    return launchers[i].local == NULL ? all > 1 : all > local || (node_size > 0 && all > node_size);
  }
  return cwi_settings.node_size > 0;
}

/* May a server's thread be wanted? */
static bool thread_served(void)
{
  return (cwi_settings.server == CWI_SERVER_AUTO || cwi_settings.server == CWI_SERVER_THREAD) &&
         cwi_settings.route != CWI_ROUTE_RMA;
}

/* Also the first that is heard of us: with another MPI than ours nothing else may be called. */
static int raised(int required)
{
  if (cwi_mpi_check_library() != CW_OK)
    cwi_abort(cwi_sentence(), 1);
  /* cw_init reads the settings again and reports what is wrong with them. */
  const bool read = cwi_settings_read() == CW_OK;
  return read && cwi_settings.raise_threads && thread_served() && several_nodes()
             ? MPI_THREAD_MULTIPLE
             : required;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  return PMPI_Init_thread(argc, argv, raised(required), provided);
}

int MPI_Init(int *argc, char ***argv)
{
  int provided = 0;
  const int required = raised(MPI_THREAD_SINGLE);
  return required == MPI_THREAD_SINGLE ? PMPI_Init(argc, argv)
                                       : PMPI_Init_thread(argc, argv, required, &provided);
}

void mpi_init_(MPI_Fint *error);
void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);

void mpi_init_(MPI_Fint *error)
{
  *error = MPI_Init(NULL, NULL);
}

void mpi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)
{
  *error = MPI_Init_thread(NULL, NULL, *required, provided);
}
