/* Where the profile, or the timeline, of a run goes: all processes agree on it when the run begins.
 */
#ifndef CWI_REPORT_DESTINATION_H
#define CWI_REPORT_DESTINATION_H

#include "base/temporary_name.h"
#include "report/partial_profile.h"
#include "report/profile_output.h"

#include <limits.h>
#include <sys/stat.h>

struct cwi_destination {
  char shown[PATH_MAX];                      /* as the setting has it */
  char file[PATH_MAX];                       /* the same, from the root */
  char parts[PATH_MAX + CWI_TEMPORARY_NAME]; /* folder for the parts of a job that dies */
  char unique[CWI_UNIQUE_NAME]; /* this process's, for what it writes beside the file */
  time_t began;
  struct stat before; /* of the file when the run began; all zeros: there was none */
  unsigned worlds;    /* that this process has begun, with this one */
  uint64_t *reported; /* in lasting memory: this process has done its part in writing it */
  int failure;        /* errno of the try that has been reported; 0 if there is none */
};

/* How it is named. */
struct cwi_destination_rule {
  const char *given;   /* the setting's value */
  const char *made_up; /* the ending of a name that is made up */
  bool keeps_ending;   /* numbers stand before .json and .otf2, and not behind it */
};

/* Collective over the world. */
CWI_CHECKED cw_error cwi_destination_agree(struct cwi_destination *destination,
                                           const struct cwi_destination_rule *rule);

/* A witness of this process is to know whether it has done its part in writing the file; it has.
 * Local. */
CWI_CHECKED cw_error cwi_destination_begin(struct cwi_destination *destination);
void cwi_destination_reported(const struct cwi_destination *destination);

/* In the witness: is the file written, and not by witnesses? is_first: there were none before. */
bool cwi_destination_is_done(const struct cwi_destination *destination, bool is_first);

/* Reports a file that cannot be written, unless the same reason was reported before. `what` is the
 * setting and its file: "CW_PROFILE: the profile". first: this is the try at the start of the run;
 * the program may make the folder until its end. */
void cwi_destination_failed(struct cwi_destination *destination, const char *what, int code,
                            bool first);

/* Writes the profile. Returns false after a report that it cannot be written. */
bool cwi_destination_write(struct cwi_destination *destination, const struct cwi_summary *summary,
                           const struct cwi_figures *figures, const struct cwi_profiled_run *run);
#endif
