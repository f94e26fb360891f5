/* MPI_Init for programs of libarmci and libcwga: requests MPI_THREAD_MULTIPLE if the job has
 * several nodes.
 *
 * Programs of ARMCI, GA and TCGMSG call plain MPI_Init, which provides MPI_THREAD_SINGLE. If there
 * are several nodes, a server's thread may call MPI, too, and the level cannot be raised after
 * MPI_Init. So these libraries, which are linked before MPI, define MPI_Init and MPI_Init_thread
 * through MPI's profiling interface. CW_RAISE_THREADS=0 turns this off. This file is not part of
 * libcauseway: programs of libcauseway choose the level themselves.
 *
 * The Fortran entries must be here, too: mpi_init_ and mpi_init_thread_ of mpif.h and `use mpi`,
 * and those of `use mpi_f08`, which have _f08 in their names. Open MPI's Fortran entries, and
 * MPICH's entries for mpi_f08, call PMPI_Init directly. MPICH's other entries call MPI_Init, but a
 * static link includes this file only for a name that the program itself uses. The entries here
 * only call the C entry, and the entries of both MPI libraries do no more than that. (MPICH's other
 * Fortran calls do their own set-up when first called.) A program that calls PMPI_Init, or
 * pmpi_init in Fortran, gets the level that it requests. */
#include "base/settings.h"
#include "mpi/mpi_library.h"

#include <mpi.h>

#include <stdbool.h>
#include <stdlib.h>

/* Environment variables with numbers that a launcher sets for each process before MPI is
 * started. */
struct launcher {
  const char *all;   /* number of processes, or of nodes, of the job */
  const char *local; /* number of processes on this node; NULL if `all` is the number of nodes */
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

/* Returns true if the job has several machines, or if CW_NODE_SIZE splits a machine into virtual
 * nodes. All processes of a job should get the same result. If they do not, some request a higher
 * level than they need, which does no harm. */
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

/* Returns true if a server's thread may be needed. */
static bool thread_served(void)
{
  return (cwi_settings.server == CWI_SERVER_AUTO || cwi_settings.server == CWI_SERVER_THREAD) &&
         cwi_settings.route != CWI_ROUTE_RMA;
}

/* Returns the thread level to request. This is the first code of the library that runs, so it
 * checks first that the MPI library is the one that Causeway was built for. If it is not, no other
 * function may be called. */
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
