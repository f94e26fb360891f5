/* Finds the environment variables that launchers set for the processes that they start, and the
 * options in the command lines of launchers. */
#include "mpi/launcher.h"

#include "base/settings.h"
#include "mpi/mpi_library.h"
#include "mpi/mpi_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The options with which a launcher lets the other processes live when one dies. They are measured:
 * docs/results/failures.md. */
struct launcher_recovery {
  const char *variable;   /* the launcher sets this variable; NULL for MPICH's */
  const char *options[4]; /* one of these is needed, in the launcher's command line */
  const char *further;    /* and this one, unless it is "" */
  const char *command;    /* how to start the job */
};

static const struct launcher_recovery mpich_recovery = {
    NULL,
    {"-disable-auto-cleanup"},
    "",
    /* The launcher kills all processes when a child of its own ends by a signal: in a shell the
     * program is a grandchild. The launcher sends SIGUSR1 to the others, which ends a shell. */
    "mpiexec -disable-auto-cleanup -n N sh -c 'trap : USR1; \"$@\"; exit $?' sh PROGRAM"};

static const struct launcher_recovery recoveries[] = {
    {"PRTE_LAUNCHED", /* Open MPI 5 */
     {"--enable-recovery", "--continuous", "--with-ft", "recoverable"},
     "error-nonzero-status",
     "mpiexec --enable-recovery --runtime-options error-nonzero-status=0"},
    {"OMPI_MCA_orte_launch", /* Open MPI 4 */
     {"-enable-recovery", "-continuous"},
     "",
     "mpiexec --enable-recovery"},
};

/* Reads the name and the parent of a process. Returns false if there is no such process. */
static bool process_read(pid_t process, char name[static 64], pid_t *parent)
{
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
  FILE *file = fopen(path, "re");
  const bool read = file != NULL && fgets(text, sizeof text, file) != NULL;
  if (file != NULL)
    fclose(file);
  char *end = read ? strrchr(text, ')') : NULL; /* the name may contain parentheses */
  long number = 0;
  if (end == NULL || sscanf(end, ") %*c %ld", &number) != 1)
    return false;
  *end = '\0';
  const char *begin = strchr(text, '(');
  snprintf(name, 64, "%s", begin != NULL ? begin + 1 : "");
  *parent = (pid_t)number;
  return true;
}

/* Reads the words of a process's command line, separated by spaces, up to `size` bytes. */
static void command_read(pid_t process, char *text, size_t size)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)process);
  FILE *file = fopen(path, "re");
  const size_t length = file != NULL ? fread(text, 1, size - 1, file) : 0;
  if (file != NULL)
    fclose(file);
  for (size_t i = 0; i < length; i++)
    text[i] = text[i] == '\0' ? ' ' : text[i];
  text[length] = '\0';
}

static bool is_mpiexec(const char *name)
{
  static const char *const names[] = {"mpiexec", "mpirun", "orterun", "prterun"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* Returns the nearest ancestor that is an mpiexec, or 0. Sets `proxy` to the distance of the
 * process that MPICH's mpiexec has on each node: 1 for this process's parent, 0 if there is none.
 */
static pid_t mpiexec_find(int *proxy)
{
  char name[64];
  int distance = 1;
  *proxy = 0;
  for (pid_t process = getppid(), parent; process > 1; process = parent, distance++) {
    if (!process_read(process, name, &parent))
      return 0;
    if (is_mpiexec(name))
      return process;
    if (strcmp(name, "hydra_pmi_proxy") == 0)
      *proxy = distance;
  }
  return 0;
}

static bool command_recovers(const struct launcher_recovery *recovery, const char *command)
{
  bool found = false;
  for (size_t i = 0; i < sizeof recovery->options / sizeof *recovery->options; i++)
    found =
        found || (recovery->options[i] != NULL && strstr(command, recovery->options[i]) != NULL);
  return found && strstr(command, recovery->further) != NULL;
}

const char *cwi_launcher_ends_at_death(void)
{
  const char *namespace = getenv("PMIX_NAMESPACE"),
             *enabled = getenv("OMPI_MCA_orte_enable_recovery");
  if (namespace != NULL && strncmp(namespace, "slurm.", strlen("slurm.")) == 0)
    return "mpiexec --enable-recovery instead of srun --mpi=pmix";
  int proxy;
  const pid_t mpiexec = mpiexec_find(&proxy);
  if (proxy == 1)
    return mpich_recovery.command; /* whatever mpiexec's options are */
  if (mpiexec == 0)
    return NULL;
  const struct launcher_recovery *recovery = proxy > 0 ? &mpich_recovery : NULL;
  for (size_t i = 0; recovery == NULL && i < sizeof recoveries / sizeof *recoveries; i++)
    recovery = getenv(recoveries[i].variable) != NULL ? &recoveries[i] : NULL;
  char command[4096];
  command_read(mpiexec, command, sizeof command);
  if (recovery == NULL || command_recovers(recovery, command))
    return NULL;
  /* mpiexec of Open MPI 4 has this variable, too, if it is set by a file or by the user. */
  if (recovery == &recoveries[1] && enabled != NULL && strspn(enabled, "1yYtT") > 0)
    return NULL;
  return recovery->command;
}
