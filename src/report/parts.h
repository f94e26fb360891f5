/* Parts of what a job that has died had counted and kept: each process's, told by its witness, in a
 * folder beside the profile, until the last of the witnesses has put them together. A part is a
 * summary, and behind it what else the process had. */
#ifndef CWI_REPORT_PARTS_H
#define CWI_REPORT_PARTS_H

#include "base/beside.h"
#include "report/summary.h"

#include <limits.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_parts {
  char folder[PATH_MAX + CWI_BESIDE];
  const char *unique;     /* of cwi_unique, for my part */
  int process, processes; /* mine; of the world */
};

/* Make the folder, where there is none; false: it cannot be made, as errno says. */
bool cwi_parts_begin(const struct cwi_parts *parts);

/* Leave mine in the folder for all to see; false: it cannot be written, as errno says, or the
 * folder is no more. more: writes what is behind the summary. */
bool cwi_part_leave(const struct cwi_parts *parts, const struct cwi_summary *summary,
                    void (*more)(FILE *out));

/* Wait until mine is used, or for the others' parts, as long as one is being written. true: it is
 * on me to put them together, with those that there are: on process 0, or if its part does not
 * come, the first one. */
bool cwi_parts_await(const struct cwi_parts *parts);

/* Add the others' summaries to mine. */
void cwi_parts_add(const struct cwi_parts *parts, struct cwi_summary *summary);

/* What is behind the summary of a process, to be closed; NULL: there is no part of it. */
FILE *cwi_part_open(const struct cwi_parts *parts, int process);

/* Take all of them away, also halves, and the folder. */
void cwi_parts_remove(const struct cwi_parts *parts);

#ifdef __cplusplus
}
#endif
#endif
