/* Where the profile of a run goes. Process 0 knows: its setting, its folder, its clock. */
#include "report/destination.h"

#include "base/log.h"
#include "base/settings.h"
#include "mpi/call.h"
#include "mpi/yield.h"
#include "report/whole_file.h"
#include "team/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The job's number, as its launcher or batch system knows it. */
static const char *job_name(void)
{
  static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
                                          "FLUX_JOB_ID"};
  static char own[32];
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
    if (getenv(variables[i]) != NULL)
      return getenv(variables[i]);
  snprintf(own, sizeof own, "%ld", (long)getpid());
  return own;
}

/* A job may have several worlds: those after another, and those whose first process is not the
 * job's. Each has a file. */
static cw_error name_file(char *name, size_t size)
{
  const time_t now = time(NULL);
  static unsigned worlds;
  const char *given = cwi_settings_text(cwi_settings.profile);
  struct tm when;
  char date[32] = "", base[PATH_MAX];
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank)));
  strftime(date, sizeof date, "%Y%m%d-%H%M%S", localtime_r(&now, &when));
  if (strcmp(given, "1") == 0)
    snprintf(base, sizeof base, "cw-%.100s-%s-%.100s.json", program_invocation_short_name, date,
             job_name());
  else
    snprintf(base, sizeof base, "%s", given);
  const int length = snprintf(name, size, "%s", base);
  if (length > 0 && rank > 0 && (size_t)length < size)
    snprintf(name + length, size - (size_t)length, ".r%d", rank);
  const size_t end = strlen(name);
  if (worlds++ > 0)
    snprintf(name + end, size - end, ".%u", worlds);
  return CW_OK;
}

/* The program may change its folder meanwhile, and other processes may have another. */
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

cw_error cwi_destination_agree(struct cwi_destination *destination)
{
  cw_error error = CW_OK;
  memset(destination, 0, sizeof *destination);
  if (cwi_world.process == 0) {
    error = name_file(destination->shown, sizeof destination->shown);
    name_from_root(destination);
    if (stat(destination->file, &destination->before) != 0)
      memset(&destination->before, 0, sizeof destination->before);
    /* In containers each job has the same numbers of processes. */
    snprintf(destination->parts, sizeof destination->parts, "%s.%ld-%lld.parts", destination->file,
             (long)getpid(), (long long)time(NULL));
  }
  const cw_error told =
      cwi_mpi_bcast(destination, (int)sizeof *destination, MPI_BYTE, 0, cwi_world.team->internal);
  return error != CW_OK ? error : told;
}

/* Without a clock: that of a file server is another one. */
bool cwi_destination_is_written(const struct cwi_destination *destination)
{
  const struct stat *before = &destination->before;
  struct stat file;
  return stat(destination->file, &file) == 0 && S_ISREG(file.st_mode) &&
         (file.st_ino != before->st_ino || file.st_mtim.tv_sec != before->st_mtim.tv_sec ||
          file.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

void cwi_destination_refused(const struct cwi_destination *destination, int code)
{
  cwi_log(CWI_LOG_WARNING, "CW_PROFILE: the profile was not written to '%s': %s",
          destination->shown, cwi_reason(code));
}

bool cwi_destination_write(const struct cwi_destination *destination,
                           const struct cwi_summary *summary, const struct cwi_figures *figures,
                           const struct cwi_profiled_run *run)
{
  struct cwi_whole_file file;
  int code = cwi_whole_file_open(&file, destination->file);
  if (code == 0) {
    cwi_write_json(file.out, summary, figures, run);
    code = cwi_whole_file_close(&file);
  }
  if (code != 0)
    cwi_destination_refused(destination, code);
  return code == 0;
}
