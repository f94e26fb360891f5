/* The end of a run with CW_PROFILE: the summaries of all processes come to process 0, which writes
 * them. Where processes die, the witness of one of them does. */
#include "report/report_profile.h"

#include "base/log.h"
#include "mpi/call.h"
#include "mpi/yield.h"
#include "report/destination.h"
#include "report/parcel.h"
#include "report/parts.h"
#include "report/report_timeline.h"
#include "report/source.h"
#include "report/witness.h"
#include "report/written.h"
#include "team/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct cwi_destination destination;

static void write_all(struct cwi_summary *summary, bool has_died)
{
  struct cwi_figures figures;
  struct cwi_profiled_run run = {.program = program_invocation_short_name,
                                 .processes = cwi_world.processes,
                                 .nodes = cwi_world.nodes,
                                 .has_died = has_died};
  const time_t now = time(NULL);
  struct tm when;
  strftime(run.date, sizeof run.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &when));
  cwi_summary_sort(summary);
  cwi_figures_find(summary, &figures);
  run.advices = cwi_advise(summary, &figures, run.advice);
  cwi_source_begin();
  if (cwi_destination_write(&destination, summary, &figures, &run))
    run.file = destination.shown;
  cwi_write_screen(stderr, summary, &figures, &run);
  cwi_source_end();
}

/* --- Processes that die ----------------------------------------------------------------------- */

/* In the witness. Processes may die long after each other: who comes later adds its part to those
 * that are there, and writes all of it again. Process 0 has the last word, and clears up. */
static void tell_of_death(void)
{
  struct cwi_summary summary = {.incomplete = false};
  struct cwi_parts parts = {.process = cwi_world.process, .processes = cwi_world.processes};
  memcpy(parts.folder, destination.parts, sizeof parts.folder);
  if (access(parts.folder, F_OK) != 0 && cwi_destination_is_written(&destination))
    return; /* it died behind its report */
  cwi_summary_add_mine(&summary, cwi_world.process, cwi_world.node);
  if (cwi_world.node_rank == 0)
    cwi_summary_add_node(&summary, cwi_world.node);
  if (!cwi_part_leave(&parts, &summary)) {
    cwi_destination_refused(&destination, errno);
    return;
  }
  if (!cwi_parts_await(&parts))
    return; /* who puts it to the others removes it */
  cwi_witness_go_on();
  cwi_parts_add(&parts, &summary);
  write_all(&summary, true);
  if (parts.process == 0)
    cwi_parts_remove(&parts);
}

static void say_where(void)
{
  char sentence[PATH_MAX + 128];
  snprintf(sentence, sizeof sentence,
           "CW_PROFILE: what all processes have counted until now comes into '%s'",
           destination.shown);
  cwi_log_line(cwi_world.process, sentence);
  cwi_timeline_say_none();
}

/* Machines have clocks of their own. On another one than its own process 0 is taken to have told
 * its time now: that is wrong by what the message took. */
static cw_error agree_on_origin(void)
{
  uint64_t told[2] = {cwi_profiled_clock() - cwi_profiled_time(), cwi_profiled_clock()};
  CWI_TRY(cwi_mpi_bcast(told, sizeof told, MPI_BYTE, 0, cwi_world.team->internal));
  cwi_profiled_set_origin(cwi_same_machine(0) ? told[0]
                                              : cwi_profiled_clock() - (told[1] - told[0]));
  return CW_OK;
}

cw_error cwi_profile_watch(void)
{
  const struct cwi_destination_rule rule = {cwi_settings_text(cwi_settings.profile), ".json",
                                            false};
  if (cwi_settings.profile == 0)
    return CW_OK;
  CWI_TRY(cwi_destination_agree(&destination, &rule));
  CWI_TRY(agree_on_origin());
  const bool writes = cwi_world.process == 0;
  const cw_error called = cwi_witness_call(
      tell_of_death, writes && strcmp(destination.file, "/dev/stdout") == 0, writes);
  if (called == CW_OK)
    cwi_mpi_set_last_words(say_where);
  else
    cwi_log(
        CWI_LOG_WARNING,
        "CW_PROFILE: if the job dies, the profile will lack this process, which has no witness: "
        "%s",
        cwi_sentence());
  return CW_OK;
}

/* --- The usual end ---------------------------------------------------------------------------- */

cw_error cwi_profile_report(void)
{
  struct cwi_summary summary = {.incomplete = false};
  if (cwi_settings.profile == 0)
    return CW_OK;
  cwi_summary_add_mine(&summary, cwi_world.process, cwi_world.node);
  cwi_summary_add_usage(&summary);
  if (cwi_world.node_rank == 0)
    cwi_summary_add_node(&summary, cwi_world.node);
  const cw_error error = cwi_summary_merge(&summary, cwi_world.team->internal);
  if (error == CW_OK && cwi_world.process == 0)
    write_all(&summary, false);
  cwi_summary_free(&summary);
  return error;
}

void cwi_profile_end(void)
{
  if (cwi_settings.profile != 0) {
    cwi_mpi_set_last_words(NULL);
    cwi_witness_dismiss();
  }
  cwi_profile_stop();
}
