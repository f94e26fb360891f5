/* Parts of what a job that has died had counted and kept: each process's, told by its witness, in a
 * folder beside the profile, until the last of the witnesses has put them together. A part is a
 * summary, and behind it what else the process had. */
#ifndef CWI_REPORT_PARTIAL_PROFILE_H
#define CWI_REPORT_PARTIAL_PROFILE_H

#include "base/temporary_name.h"
#include "summary/summary.h"

#include <limits.h>
#include <stdio.h>

struct cwi_partial_profiles {
  char folder[PATH_MAX + CWI_TEMPORARY_NAME];
  const char *unique;     /* of cwi_unique_name, for my part */
  int process, processes; /* mine; of the world */
};

/* Make the folder, where there is none; false: it cannot be made, as errno says. */
bool cwi_partial_profiles_begin(const struct cwi_partial_profiles *parts);

/* Leave mine in the folder for all to see; false: it cannot be written, as errno says, or the
 * folder is no more. more: writes what is behind the summary. */
bool cwi_partial_profile_write(const struct cwi_partial_profiles *parts,
                               const struct cwi_summary *summary, void (*more)(FILE *out));

/* Wait until mine is used, or for the others' parts, as long as one is being written. true: it is
 * on me to put them together, with those that there are: on process 0, or if its part does not
 * come, the first one. */
bool cwi_partial_profiles_await(const struct cwi_partial_profiles *parts);

/* Add the others' summaries to mine. */
void cwi_partial_profiles_add(const struct cwi_partial_profiles *parts,
                              struct cwi_summary *summary);

/* What is behind the summary of a process, to be closed; NULL: there is no part of it. */
FILE *cwi_partial_profile_open(const struct cwi_partial_profiles *parts, int process);

/* Take all of them away, also halves, and the folder. */
void cwi_partial_profiles_remove(const struct cwi_partial_profiles *parts);
#endif
