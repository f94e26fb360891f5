/* The end of a run with CW_PROFILE: the summaries of all processes come to process 0, which writes
 * them. */
#include "report/report_profile.h"

#include "base/log.h"
#include "base/settings.h"
#include "mpi/call.h"
#include "report/parcel.h"
#include "report/source.h"
#include "report/whole_file.h"
#include "report/written.h"
#include "team/world.h"

#include <errno.h>
#include <limits.h>
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
  static unsigned worlds;
  const char *given = cwi_settings_text(cwi_settings.profile);
  const time_t now = time(NULL);
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

static bool write_file(const char *name, const struct cwi_summary *summary,
                       const struct cwi_figures *figures, const struct cwi_profiled_run *run)
{
  struct cwi_whole_file file;
  int code = cwi_whole_file_open(&file, name);
  if (code == 0) {
    cwi_write_json(file.out, summary, figures, run);
    code = cwi_whole_file_close(&file);
  }
  if (code != 0)
    cwi_log(CWI_LOG_WARNING, "CW_PROFILE: the profile was not written to '%s': %s", name,
            cwi_reason(code));
  return code == 0;
}

static cw_error write_all(struct cwi_summary *summary)
{
  char name[PATH_MAX];
  struct cwi_figures figures;
  struct cwi_profiled_run run = {.program = program_invocation_short_name,
                                 .processes = cwi_world.processes,
                                 .nodes = cwi_world.nodes};
  const time_t now = time(NULL);
  struct tm when;
  CWI_TRY(name_file(name, sizeof name));
  strftime(run.date, sizeof run.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
  cwi_summary_sort(summary);
  cwi_figures_find(summary, &figures);
  run.advices = cwi_advise(summary, &figures, run.advice);
  cwi_source_begin();
  if (write_file(name, summary, &figures, &run))
    run.file = name;
  cwi_write_screen(stderr, summary, &figures, &run);
  cwi_source_end();
  return CW_OK;
}

cw_error cwi_profile_report(void)
{
  struct cwi_summary summary = {.incomplete = false};
  if (!cwi_is_profiled())
    return CW_OK;
  cwi_summary_add_mine(&summary, cwi_world.process, cwi_world.node);
  cwi_profile_stop();
  cw_error error = cwi_summary_merge(&summary, cwi_world.team->internal);
  if (error == CW_OK && cwi_world.process == 0)
    error = write_all(&summary);
  cwi_summary_free(&summary);
  return error;
}
