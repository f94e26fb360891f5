/* Start and end of a run with CW_TIMELINE. */
#pragma once

#include "report/destination.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* With CW_TIMELINE, starts to keep events. If no file can be written, that is logged and is no
 * error. Collective over the world. */
CWI_CHECKED cw_error cwi_timeline_watch(void);

/* With CW_TIMELINE, adds the open phases to the events as if they ended now. Local. No thread may
 * be in a call. */
void cwi_timeline_keep_phases(void);

/* With CW_TIMELINE, process 0 writes the events of all processes. If it cannot, that is logged and
 * is no error. Collective over the world. No thread may be in a call. */
CWI_CHECKED cw_error cwi_timeline_report(void);

/* These are called in the crash reporter of a process that has died. cwi_timeline_destination
 * returns where the timeline goes, or NULL if there is none. cwi_timeline_is_done returns true if
 * it was written at the normal end of the run (is_first: no other process has died before).
 * cwi_timeline_write_part writes this process's events after its summary. cwi_timeline_write_left
 * writes the timeline from the parts that exist. cwi_timeline_drop_half removes the part of it that
 * the process had written. */
const struct cwi_destination *cwi_timeline_destination(void);
bool cwi_timeline_is_done(bool is_first);
void cwi_timeline_write_part(FILE *out);
void cwi_timeline_write_left(const struct cwi_partial_profiles *parts);
void cwi_timeline_drop_half(void);
