/* The two forms of a profile: the file, and the screen.
 *
 * crash_reporter.c   a process of ours beside each that is profiled: it sleeps until the other
 *                    dies, however it dies,
 * destination.c      where the profile, or the timeline, of a run goes
 * partial_profile.c  parts of what a job that has died had counted
 * profile_json.c     the file of a profile: JSON, as docs/profile.md and docs/profile.schema.json
 *                    say
 * profile_report.c   the end of a run with CW_PROFILE: the summaries of all processes come to
 *                    process 0, which writes
 * profile_screen.c   the screen of a profile: 80 columns on process 0's stderr, at the end of the
 *                    run */
#ifndef CWI_REPORT_PROFILE_OUTPUT_H
#define CWI_REPORT_PROFILE_OUTPUT_H

#include "summary/advice.h"

#include <stdio.h>

/* What is said of the run itself. */
struct cwi_profiled_run {
  const char *program;
  const char *file; /* of the profile; NULL: it was not written */
  char date[32];    /* of the end, as ISO 8601 has it */
  int processes, nodes;
  bool has_died; /* the figures are those until then */
  struct cwi_advice advice[CWI_ADVICES];
  int advices;
};

/* Both while cwi_source_begin is in force. */
void cwi_write_json(FILE *out, const struct cwi_summary *summary, const struct cwi_figures *figures,
                    const struct cwi_profiled_run *run);
void cwi_write_screen(FILE *out, const struct cwi_summary *summary,
                      const struct cwi_figures *figures, const struct cwi_profiled_run *run);
#endif
