/* Traces that launchers leave in the environment of what they start. */
#include "mpi/launcher.h"

#include "base/settings.h"
#include "mpi/library.h"
#include "mpi/result.h"

#include <stdlib.h>
#include <string.h>

/* Who says by which variable how many processes it has started. */
struct trace {
  const char *variable, *launcher;
  const char
      *library; /* as the name of the MPI begins that this launcher is for; NULL: for several */
};

static const struct trace traces[] = {
    {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec", "Open MPI"},
    {"PMI_SIZE", "MPICH's mpiexec (or another with PMI)", "MPICH"},
    {"MV2_COMM_WORLD_SIZE", "MVAPICH's mpiexec", "MVAPICH"},
    {"SLURM_STEP_NUM_TASKS", "Slurm's srun", NULL},
};

static long started_by(const struct trace *trace)
{
  const char *text = getenv(trace->variable);
  return text != NULL ? strtol(text, NULL, 10) : 0;
}

static bool is_own(const struct trace *trace)
{
  return trace->library != NULL &&
         strncmp(cwi_mpi_name(), trace->library, strlen(trace->library)) == 0;
}

/* How the command would be right, on Debian. */
static const char *right_command(void)
{
  const char *name = cwi_mpi_name();
  if (strncmp(name, "MPICH", 5) == 0)
    return ", on Debian mpiexec.mpich";
  return strncmp(name, "Open MPI", 8) == 0 ? ", on Debian mpiexec.openmpi" : "";
}

cw_error cwi_launcher_check(void)
{
  const struct trace *other = NULL;
  int processes = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(MPI_COMM_WORLD, &processes)));
  if (processes > 1 || cwi_settings.alone)
    return CW_OK;
  for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
    if (is_own(&traces[i]) && started_by(&traces[i]) == 1)
      return CW_OK; /* one process is what was asked for; the others' traces are of what has started
                       mpiexec */
    if (started_by(&traces[i]) > 1 && other == NULL)
      other = &traces[i];
  }
  if (other == NULL)
    return CW_OK;
  return cwi_misuse("%s has started %ld processes (%s=%ld), but the program is linked to %s, which "
                    "knows of one: each "
                    "process would be a world of its own. Start it with the mpiexec of %s%s; or "
                    "set CW_ALONE=1, if "
                    "that is what you want",
                    other->launcher, started_by(other), other->variable, started_by(other),
                    cwi_mpi_name(), cwi_mpi_name(), right_command());
}
