/* The two forms of a profile: the file, and the screen. */
#ifndef CWI_REPORT_WRITTEN_H
#define CWI_REPORT_WRITTEN_H

#include "report/advice.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
