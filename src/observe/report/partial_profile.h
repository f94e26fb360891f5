/* Partial profiles of a job that has died. The crash reporter of each process writes one into a
 * folder beside the profile, and one of the reporters merges them. A part consists of a summary
 * and, after it, other data that the process kept, such as events. */
#pragma once

#include "base/temporary_name.h"
#include "summary/summary.h"

#include <limits.h>
#include <stdio.h>

struct cwi_partial_profiles {
  char folder[PATH_MAX + CWI_TEMPORARY_NAME];
  const char *unique;     /* made by cwi_unique_name, for my part */
  int process, processes; /* my number, and the number of processes in the world */
};

/* Creates the folder unless it exists. Returns false with errno if it cannot be created. */
bool cwi_partial_profiles_begin(const struct cwi_partial_profiles *parts);

/* Writes my part into the folder, where the others can read it. `more` writes what follows the
 * summary. Returns false with errno if it cannot be written or if the folder has been removed. */
bool cwi_partial_profile_write(const struct cwi_partial_profiles *parts,
                               const struct cwi_summary *summary, void (*more)(FILE *out));

/* Waits until no other part is being written, or until another reporter has used mine. Returns true
 * if this reporter has to merge the parts that exist. That is the reporter of process 0; if process
 * 0 left no part, it is that of the first process with a part. */
bool cwi_partial_profiles_await(const struct cwi_partial_profiles *parts);

/* Adds the summaries of the other parts to mine. */
void cwi_partial_profiles_add(const struct cwi_partial_profiles *parts,
                              struct cwi_summary *summary);

/* Opens the part of `process` after its summary. Returns NULL if there is none. The caller closes
 * it. */
FILE *cwi_partial_profile_open(const struct cwi_partial_profiles *parts, int process);

/* Removes all parts, also unfinished ones, and the folder. */
void cwi_partial_profiles_remove(const struct cwi_partial_profiles *parts);
