/* Writes a profile as a JSON file and as a text for the terminal.
 *
 * crash_reporter.c   a process beside each profiled process, which reports if that process dies
 * destination.c      the file to which the profile or the timeline of a run is written
 * partial_profile.c  partial profiles of a job that has died, exchanged as files
 * profile_json.c     writes a profile as a JSON file
 * profile_report.c   start and end of a run with CW_PROFILE: merges the summaries on process 0
 * profile_screen.c   writes a profile as text with 80 columns to stderr of process 0 */
#pragma once

#include "summary/advice.h"

#include <stdio.h>

/* Facts about the run itself. */
struct cwi_profiled_run {
  const char *program;
  const char *file; /* of the profile; NULL if it was not written */
  char date[32];    /* when the run ended, as ISO 8601 writes it */
  int processes, nodes;
  bool has_died; /* the job died; the figures are those until then */
  struct cwi_advice advice[CWI_ADVICES];
  int advices;
};

/* Write the profile to `out`. May be called only between cwi_source_begin and cwi_source_end. */
void cwi_write_json(FILE *out, const struct cwi_summary *summary, const struct cwi_figures *figures,
                    const struct cwi_profiled_run *run);
void cwi_write_screen(FILE *out, const struct cwi_summary *summary,
                      const struct cwi_figures *figures, const struct cwi_profiled_run *run);
