/* The file to which the profile or the timeline of a run is written. All processes agree on it when
 * the run begins. */
#pragma once

#include "base/temporary_name.h"
#include "report/partial_profile.h"
#include "report/profile_output.h"

#include <limits.h>
#include <sys/stat.h>

struct cwi_destination {
  char shown[PATH_MAX];                      /* as the setting gives it */
  char file[PATH_MAX];                       /* absolute name */
  char parts[PATH_MAX + CWI_TEMPORARY_NAME]; /* folder for the parts of a job that dies */
  char unique[CWI_UNIQUE_NAME];              /* for temporary files of this process */
  time_t began;
  struct stat before; /* of the file when the run began; all zeros if it did not exist */
  unsigned worlds;    /* number of worlds that this process has begun, including this one */
  uint64_t *
      reported; /* in counter memory: set when this process has done its part in writing the file */
  int failure;  /* errno of the last failure that was reported, or 0 */
};

/* Rule by which the file is named. */
struct cwi_destination_rule {
  const char *given;   /* value of the setting */
  const char *made_up; /* ending of a default name */
  bool keeps_ending;   /* numbers are inserted before .json and .otf2, not appended */
};

/* Lets process 0 choose the names and sends them to all processes. Collective over the world. */
CWI_CHECKED cw_error cwi_destination_agree(struct cwi_destination *destination,
                                           const struct cwi_destination_rule *rule);

/* cwi_destination_begin prepares the flag that shows the crash reporter whether this process has
 * done its part in writing the file; cwi_destination_reported sets it. Local. */
CWI_CHECKED cw_error cwi_destination_begin(struct cwi_destination *destination);
void cwi_destination_reported(const struct cwi_destination *destination);

/* Returns true if the file was written at the normal end of the run, not by a crash reporter.
 * Called in the crash reporter. is_first: no other reporter has written a part before. */
bool cwi_destination_is_done(const struct cwi_destination *destination, bool is_first);

/* Reports that a file cannot be written, unless the same reason was reported before. `what` names
 * the setting and its file: "CW_PROFILE: the profile". first: this is the attempt at the start of
 * the run; the program may still create the folder. */
void cwi_destination_failed(struct cwi_destination *destination, const char *what, int code,
                            bool first);

/* Writes the profile. If it cannot be written, reports that and returns false. */
bool cwi_destination_write(struct cwi_destination *destination, const struct cwi_summary *summary,
                           const struct cwi_figures *figures, const struct cwi_profiled_run *run);
