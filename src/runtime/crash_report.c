/* Reports of processes that die. The crash reporter of each process writes the counters and
 * timeline events of this process as a partial profile. One of the reporters merges all parts into
 * the final files. */
#include "runtime/runtime.h"

#include "base/log.h"
#include "mpi/mpi_progress.h"
#include "report/crash_reporter.h"
#include "report/partial_profile.h"
#include "report/profile_report.h"
#include "team/world.h"
#include "timeline/timeline_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the destination beside which the folder of the parts lies. Profile and timeline share one
 * folder: that of the profile, unless the profile is written to a device. No folder can be made
 * beside a device. */
static const struct cwi_destination *crash_destination(void)
{
  static const char devices[] = "/dev/";
  const struct cwi_destination *profile = cwi_profile_destination(),
                               *timeline = cwi_timeline_destination();
  const bool is_device =
      profile != NULL && strncmp(profile->file, devices, sizeof devices - 1) == 0;
  return profile == NULL || (timeline != NULL && is_device) ? timeline : profile;
}

static bool is_stdout(const struct cwi_destination *destination)
{
  return destination != NULL && strcmp(destination->file, "/dev/stdout") == 0;
}

static void crash_write_timeline(FILE *out)
{
  if (cwi_timeline_destination() != NULL)
    cwi_timeline_write_part(out);
}

/* Runs in the crash reporter. Processes may die long after each other: the reporter of a later one
 * adds its part to those that exist and writes the final files again. Process 0 writes last and
 * removes the folder, so reporters after it find no folder. */
static void crash_report(void)
{
  struct cwi_summary summary = {.incomplete = false};
  struct cwi_partial_profiles parts = {.unique = crash_destination()->unique,
                                       .process = cwi_world.process,
                                       .processes = cwi_world.processes};
  memcpy(parts.folder, crash_destination()->parts, sizeof parts.folder);
  const bool is_first = access(parts.folder, F_OK) != 0;
  if (cwi_world.process == 0) {
    cwi_profile_drop_half();
    cwi_timeline_drop_half();
  }
  if (cwi_profile_is_done(is_first) && cwi_timeline_is_done(is_first))
    return; /* the process died after its reports were written */
  const bool has_folder = !is_first || cwi_partial_profiles_begin(&parts);
  cwi_profile_sum_mine(&summary);
  if (!has_folder || !cwi_partial_profile_write(&parts, &summary, crash_write_timeline)) {
    cwi_log(CWI_LOG_WARNING, "the counts of this process were not written to '%s': %s",
            crash_destination()->shown, cwi_system_error(errno));
    return;
  }
  cwi_crash_reporter_extend();
  if (!cwi_partial_profiles_await(&parts))
    return; /* the reporter that merges the parts removes this one */
  cwi_crash_reporter_extend();
  if (!cwi_profile_is_done(is_first)) {
    cwi_partial_profiles_add(&parts, &summary);
    cwi_profile_write_left(&summary);
  }
  if (!cwi_timeline_is_done(is_first))
    cwi_timeline_write_left(&parts);
  if (parts.process == 0)
    cwi_partial_profiles_remove(&parts);
}

static void crash_log_destination(void)
{
  char message[PATH_MAX + 128];
  if (cwi_profile_destination() != NULL) {
    snprintf(message, sizeof message,
             "CW_PROFILE: the counts of all processes so far are written to '%s'",
             cwi_profile_destination()->shown);
    cwi_log_line(cwi_world.process, message);
  }
  if (cwi_timeline_destination() != NULL) {
    snprintf(message, sizeof message,
             "CW_TIMELINE: the events of all processes so far are written to '%s'",
             cwi_timeline_destination()->shown);
    cwi_log_line(cwi_world.process, message);
  }
}

cw_error cwi_crash_report_start(void)
{
  if (crash_destination() == NULL)
    return CW_OK;
  const bool writes = cwi_world.process == 0;
  const bool needs_stdout =
      is_stdout(cwi_profile_destination()) || is_stdout(cwi_timeline_destination());
  const cw_error called = cwi_crash_reporter_start(crash_report, writes && needs_stdout, writes);
  if (called == CW_OK)
    cwi_mpi_set_abort_report(crash_log_destination);
  else
    cwi_log(CWI_LOG_WARNING,
            "%s: if the job dies, the file will lack this process, which has no crash reporter: %s",
            cwi_profile_destination() != NULL ? "CW_PROFILE" : "CW_TIMELINE", cwi_error_message());
  return CW_OK;
}

void cwi_crash_report_stop(void)
{
  if (crash_destination() == NULL)
    return;
  cwi_mpi_set_abort_report(NULL);
  cwi_crash_reporter_stop();
}
