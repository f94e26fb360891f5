/* Start and end of a run with CW_PROFILE. */
#pragma once

#include "report/destination.h"

#include <stdbool.h>
#include <sys/types.h>

/* With CW_PROFILE, agrees on the file of the profile and on the time at which the run began.
 * Collective over the world. */
CWI_CHECKED cw_error cwi_profile_watch(void);

/* With CW_PROFILE, process 0 writes the counters of all processes to the file and prints them on
 * stderr. If the file cannot be written, that is logged and is no error. Collective over the world.
 */
CWI_CHECKED cw_error cwi_profile_report(void);

/* These are called in the crash reporter of a process that has died. cwi_profile_destination
 * returns where the profile goes, or NULL without CW_PROFILE. cwi_profile_is_done returns true if
 * the profile was written at the normal end of the run (is_first: no other process has died
 * before). cwi_profile_sum_mine adds the counts of the process. cwi_profile_write_left writes
 * the profile of what all processes left. cwi_profile_drop_half removes the part of it that the
 * process had written. */
const struct cwi_destination *cwi_profile_destination(void);
bool cwi_profile_is_done(bool is_first);
void cwi_profile_sum_mine(struct cwi_summary *summary);
void cwi_profile_write_left(struct cwi_summary *summary);
void cwi_profile_drop_half(void);
