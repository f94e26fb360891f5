/* MPI_Init for programs of libarmci and libcwga: asks for MPI_THREAD_MULTIPLE when the job has
 * several nodes.
 *
 * Programs on ARMCI, GA and TCGMSG call plain MPI_Init, which gives MPI_THREAD_SINGLE; between
 * nodes a server's thread may call MPI, too, and after MPI_Init it is too late to ask. So these
 * libraries, which are linked before MPI, define MPI's profiling entry points. CW_RAISE_THREADS=0
 * turns this off. This file is not part of libcauseway: there the program chooses the level itself.
 *
 * Fortran: the entries of mpif.h and `use mpi`, mpi_init_ and mpi_init_thread_, and those of
 * `use mpi_f08`, which have _f08 in their names, must be here too. Open MPI's Fortran entries, and
 * MPICH's for mpi_f08, call PMPI_Init directly. MPICH's others call MPI_Init, but a static link
 * pulls this file only for a name that the program itself uses. Calling the C entry is all that
 * both libraries' own entries do (MPICH's other Fortran calls set up what they need when first
 * called). A program that calls PMPI_Init, or pmpi_init of Fortran, gets the level that it asks
 * for. */
#include "base/settings.h"
#include "mpi/mpi_library.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdlib.h>

/* Environment variables with numbers that launchers set for each process before MPI is started. */
struct launcher {
  const char *all;   /* number of processes, or of nodes, of the job */
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

/* Tests whether the job has several machines, or one that CW_NODE_SIZE splits into virtual nodes.
 * Every process of a job gets the same result, or at worst requests more than it needs. */
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

/* Tests whether a server's thread may be needed. */
static bool thread_served(void)
{
  return (cwi_settings.server == CWI_SERVER_AUTO || cwi_settings.server == CWI_SERVER_THREAD) &&
         cwi_settings.route != CWI_ROUTE_RMA;
}

/* This is also the first code of the library to run: with an MPI other than the one it was built
 * for, nothing else may be called. */
static int raised(int required)
{
  if (cwi_mpi_check_library() != CW_OK)
    cwi_abort(cwi_error_message(), 1);
  /* cw_init reads the settings again and reports errors in them. */
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

/* In mpi_f08 `error` is optional; it is NULL if the program omits it. */
static void store_error(int result, MPI_Fint *error)
{
  if (error != NULL)
    *error = result;
}

#define FORTRAN_ENTRIES(suffix)                                                                    \
  void mpi_init##suffix(MPI_Fint *error);                                                          \
  void mpi_init_thread##suffix(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);     \
                                                                                                   \
  void mpi_init##suffix(MPI_Fint *error)                                                           \
  {                                                                                                \
    store_error(MPI_Init(NULL, NULL), error);                                                      \
  }                                                                                                \
                                                                                                   \
  void mpi_init_thread##suffix(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)      \
  {                                                                                                \
    store_error(MPI_Init_thread(NULL, NULL, *required, provided), error);                          \
  }

FORTRAN_ENTRIES(_)
FORTRAN_ENTRIES(_f08_)
