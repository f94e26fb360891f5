/* The file to which the profile or the timeline of a run is written. Process 0 chooses it from its
 * setting, its working directory and its clock. */
#include "report/destination.h"

#include "base/log.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "output/atomic_file.h"
#include "team/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Returns the job number of the batch system (for Slurm, with the step), or the PID of this process
 * if there is none. */
static const char *job_name(void)
{
  static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
                                          "FLUX_JOB_ID"};
  static char name[128];
  const char *step = getenv("SLURM_STEP_ID");
  snprintf(name, sizeof name, "%ld", (long)getpid());
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
    const char *value = getenv(variables[i]);
    if (value == NULL || value[0] == '\0')
      continue;
    snprintf(name, sizeof name, "%.60s%s%.60s", value, i == 0 && step != NULL ? "." : "",
             i == 0 && step != NULL ? step : "");
    break;
  }
  for (char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash, '/'))
    *slash = '-';
  return name;
}

static const char *const endings[] = {".json", ".otf2"};

/* Returns the position in `name` at which numbers are inserted: before a known ending if
 * keeps_ending is set, or at the end. */
static size_t name_end(const char *name, bool keeps_ending)
{
  const size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && keeps_ending; i++) {
    const size_t ending = strlen(endings[i]);
    if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
      return length - ending;
  }
  return length;
}

/* Chooses the name of the file. A job may have several worlds: one after another, or at the same
 * time with another first process. Each gets its own file. */
static cw_error name_file(struct cwi_destination *destination,
                          const struct cwi_destination_rule *rule)
{
  struct tm when;
  char date[32] = "", base[PATH_MAX], number[64] = "";
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank)));
  strftime(date, sizeof date, "%Y%m%d-%H%M%S", localtime_r(&destination->began, &when));
  if (strcmp(rule->given, "1") == 0)
    snprintf(base, sizeof base, "cw-%.100s-%s-%.100s%s", program_invocation_short_name, date,
             job_name(), rule->made_up);
  else
    snprintf(base, sizeof base, "%s", rule->given);
  if (rank > 0)
    snprintf(number, sizeof number, ".r%d", rank);
  const size_t end = strlen(number), at = name_end(base, rule->keeps_ending);
  if (destination->worlds > 1)
    snprintf(number + end, sizeof number - end, ".%u", destination->worlds);
  snprintf(destination->shown, sizeof destination->shown, "%.*s%s%s", (int)at, base, number,
           base + at);
  return CW_OK;
}

/* Makes the name absolute. The program may change its working directory during the run, and other
 * processes may have another one. */
static void name_from_root(struct cwi_destination *destination)
{
  char folder[PATH_MAX] = "";
  const char *shown = destination->shown;
  const bool complete = shown[0] != '/' && getcwd(folder, sizeof folder) != NULL;
  const int length = snprintf(destination->file, sizeof destination->file, "%s%s%s", folder,
                              complete ? "/" : "", shown);
  if (length < 0 || (size_t)length >= sizeof destination->file)
    memcpy(destination->file, shown, sizeof destination->file);
}

/* Broadcasts process 0's structure and restores the members that belong to each process. */
cw_error cwi_destination_agree(struct cwi_destination *destination,
                               const struct cwi_destination_rule *rule)
{
  cw_error error = CW_OK;
  const unsigned worlds = destination->worlds;
  uint64_t *const reported = destination->reported;
  char unique[CWI_UNIQUE_NAME];
  cwi_unique_name(unique);
  memset(destination, 0, sizeof *destination);
  destination->worlds = worlds;
  if (cwi_world.process == 0) {
    destination->worlds++;
    destination->began = time(NULL);
    error = name_file(destination, rule);
    name_from_root(destination);
    if (stat(destination->file, &destination->before) != 0)
      memset(&destination->before, 0, sizeof destination->before);
    if (cwi_temporary_name(destination->parts, sizeof destination->parts, destination->file, unique,
                           "parts") != 0)
      destination->parts[0] = '\0';
  }
  const cw_error shared =
      cwi_mpi_bcast(destination, (int)sizeof *destination, MPI_BYTE, 0, cwi_world.team->internal);
  if (cwi_world.process != 0)
    destination->worlds = worlds;
  destination->reported = reported;
  memcpy(destination->unique, unique, sizeof unique);
  return error != CW_OK ? error : shared;
}

/* Returns true if any process has written the file since the run began. Compares the file's inode
 * and time with those at the start and not with a clock, because a file server has its own clock.
 */
static bool destination_is_written(const struct cwi_destination *destination)
{
  const struct stat *before = &destination->before;
  struct stat file;
  return stat(destination->file, &file) == 0 && S_ISREG(file.st_mode) &&
         (file.st_ino != before->st_ino || file.st_mtim.tv_sec != before->st_mtim.tv_sec ||
          file.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

/* Counter memory is never freed, so that the flag is allocated once and used for all runs. */
cw_error cwi_destination_begin(struct cwi_destination *destination)
{
  if (destination->reported == NULL)
    destination->reported = cwi_counter_memory_keep(sizeof *destination->reported);
  if (destination->reported == NULL)
    return cwi_outside("no memory for the counters of calls");
  *destination->reported = 0;
  return CW_OK;
}

void cwi_destination_reported(const struct cwi_destination *destination)
{
  __atomic_store_n(destination->reported, 1, __ATOMIC_RELEASE);
}

/* Process 0's flag is enough, because only process 0 writes the file or reports why it cannot. */
bool cwi_destination_is_done(const struct cwi_destination *destination, bool is_first)
{
  const bool reported = __atomic_load_n(destination->reported, __ATOMIC_ACQUIRE) != 0;
  if (reported && cwi_world.process == 0)
    return true;
  return (reported || is_first) && destination_is_written(destination);
}

void cwi_destination_failed(struct cwi_destination *destination, const char *what, int code,
                            bool first)
{
  if (code == destination->failure)
    return;
  destination->failure = code;
  cwi_log(CWI_LOG_WARNING, "%s %s to '%s': %s%s", what,
          first ? "cannot be written" : "was not written", destination->shown,
          cwi_system_error(code), first ? "; this is tried again at the end of the run" : "");
}

bool cwi_destination_write(struct cwi_destination *destination, const struct cwi_summary *summary,
                           const struct cwi_figures *figures, const struct cwi_profiled_run *run)
{
  struct cwi_atomic_file file;
  int code = cwi_atomic_file_open(&file, destination->file, destination->unique);
  if (code == 0) {
    cwi_write_json(file.out, summary, figures, run);
    code = cwi_atomic_file_close(&file);
  }
  if (code != 0)
    cwi_destination_failed(destination, "CW_PROFILE: the profile", code, false);
  return code == 0;
}
