/* Start and end of a run with CW_PROFILE. At the end the summaries of all processes are merged on
 * process 0, which writes the profile. If processes die, the crash reporter of one of them writes
 * it (crash_report.c). */
#include "report/profile_report.h"

#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "output/atomic_file.h"
#include "output/source.h"
#include "report/destination.h"
#include "report/profile_output.h"
#include "summary/packed_summary.h"
#include "team/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct cwi_destination destination;

/* Writes the profile to its file and prints the screen on stderr. */
static void write_all(struct cwi_summary *summary, bool has_died)
{
  struct cwi_figures figures;
  struct cwi_write_signals signals;
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
  cwi_write_signals_block(&signals);
  cwi_write_screen(stderr, summary, &figures, &run);
  cwi_write_signals_restore(&signals);
  cwi_source_end();
}

/* Adds the counts of this process, and the figures of its node if it is the first process there.
 */
void cwi_profile_sum_mine(struct cwi_summary *summary)
{
  cwi_summary_add_mine(summary, cwi_world.process, cwi_world.node);
  cwi_summary_add_waits(summary, cwi_world.process);
  cwi_summary_add_time_series(summary, CWI_MEMORY_OF_PROCESS, cwi_world.process);
  if (cwi_world.node_rank != 0)
    return;
  cwi_summary_add_node(summary, cwi_world.node);
  cwi_summary_add_time_series(summary, CWI_MEMORY_OF_NODE, cwi_world.node);
}

/* --- Processes that die ----------------------------------------------------------------------- */

const struct cwi_destination *cwi_profile_destination(void)
{
  return cwi_settings.profile != 0 ? &destination : NULL;
}

bool cwi_profile_is_done(bool is_first)
{
  return cwi_settings.profile == 0 || cwi_destination_is_done(&destination, is_first);
}

void cwi_profile_write_left(struct cwi_summary *summary)
{
  write_all(summary, true);
}

void cwi_profile_drop_half(void)
{
  if (cwi_settings.profile != 0)
    cwi_atomic_file_drop(destination.file, destination.unique);
}

/* --- The start -------------------------------------------------------------------------------- */

/* Agrees on the time at which the run began. Machines have separate clocks. A process on another
 * machine than process 0 assumes that the broadcast took no time, so its origin is late by the
 * duration of the broadcast. */
static cw_error agree_on_origin(void)
{
  uint64_t times[2] = {cwi_nanoseconds() - cwi_profiled_time(), cwi_nanoseconds()};
  CWI_TRY(cwi_mpi_bcast(times, sizeof times, MPI_BYTE, 0, cwi_world.team->internal));
  cwi_profiled_set_origin(cwi_same_machine(0) ? times[0]
                                              : cwi_nanoseconds() - (times[1] - times[0]));
  return CW_OK;
}

cw_error cwi_profile_watch(void)
{
  const struct cwi_destination_rule rule = {cwi_settings_text(cwi_settings.profile), ".json",
                                            false};
  if (cwi_settings.profile == 0)
    return CW_OK;
  CWI_TRY(cwi_destination_agree(&destination, &rule));
  if (cwi_world.process == 0)
    cwi_destination_failed(&destination, "CW_PROFILE: the profile",
                           cwi_atomic_file_try(destination.file, destination.unique), true);
  CWI_TRY(agree_on_origin());
  return cwi_destination_begin(&destination);
}

/* --- The usual end ---------------------------------------------------------------------------- */

cw_error cwi_profile_report(void)
{
  struct cwi_summary summary = {.incomplete = false};
  if (cwi_settings.profile == 0)
    return CW_OK;
  cwi_profile_sum_mine(&summary);
  cwi_summary_add_usage(&summary);
  const cw_error error = cwi_summary_merge(&summary, cwi_world.team->internal);
  if (error == CW_OK && cwi_world.process == 0)
    write_all(&summary, false);
  if (error == CW_OK)
    cwi_destination_reported(&destination);
  cwi_summary_free(&summary);
  return error;
}
