/* Finds the environment variables that launchers set for the processes that they start. */
#include "mpi/launcher.h"

#include "base/settings.h"
#include "mpi/mpi_library.h"
#include "mpi/mpi_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A launcher and the variable in which it passes the number of processes. */
struct trace {
  const char *variable, *launcher;
  const char *library; /* first word of the MPI library that it starts; NULL if it starts several */
  const char *command; /* name of the command if it differs from that of other launchers; else "" */
  /* value of srun's option --mpi with which this MPI's processes find each other */
  const char *pmi;
};

static const struct trace traces[] = {
    {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpiexec", "Open MPI", ", on Debian mpiexec.openmpi",
     "pmix"},
    {"PMI_SIZE", "MPICH's mpiexec (or another with PMI)", "MPICH", ", on Debian mpiexec.mpich",
     "pmi2"},
    {"MV2_COMM_WORLD_SIZE", "MVAPICH's mpiexec", "MVAPICH", "", "pmi2"},
    {"SLURM_STEP_NUM_TASKS", "Slurm's srun", NULL, "", NULL},
};

static long started_by(const struct trace *trace)
{
  const char *text = getenv(trace->variable);
  return text != NULL ? strtol(text, NULL, 10) : 0;
}

long cwi_launcher_started(void)
{
  long most = 0;
  for (const struct trace *trace = traces; trace < traces + sizeof traces / sizeof *traces; trace++)
    most = started_by(trace) > most ? started_by(trace) : most;
  return most;
}

cw_error cwi_launcher_check(void)
{
  const char *name = cwi_mpi_library()->text;
  const struct trace *own = NULL, *several = NULL;
  int processes = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(MPI_COMM_WORLD, &processes)));
  if (processes > 1 || cwi_settings.alone)
    return CW_OK;
  for (const struct trace *trace = traces; trace < traces + sizeof traces / sizeof *traces;
       trace++) {
    if (trace->library != NULL && strncmp(name, trace->library, strlen(trace->library)) == 0)
      own = trace;
    if (several == NULL && started_by(trace) > 1)
      several = trace;
  }
  /* If the launcher of this MPI has started one process, the other variables come from an outer
   * launcher, which started mpiexec. */
  if (several == NULL || (own != NULL && started_by(own) == 1))
    return CW_OK;
  char srun[64] = "";
  if (several->library == NULL && own != NULL)
    snprintf(srun, sizeof srun, "with srun --mpi=%s, or ", own->pmi);
  return cwi_misuse("%s has started %ld processes (%s=%ld), but the program is linked to %s, which "
                    "sees only one: each process would be a world of its own. Start it %swith the "
                    "mpiexec of %s%s; or set CW_ALONE=1, if that is what you want",
                    several->launcher, started_by(several), several->variable, started_by(several),
                    name, srun, name, own != NULL ? own->command : "");
}
