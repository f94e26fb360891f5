/* The beginning and the end of a run with CW_TIMELINE. */
#ifndef CWI_TIMELINE_TIMELINE_REPORT_H
#define CWI_TIMELINE_TIMELINE_REPORT_H

#include "report/destination.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* With CW_TIMELINE: keep events from now on. That no file can be made of them is logged, and no
 * error. Collective over the world. */
CWI_CHECKED cw_error cwi_timeline_watch(void);

/* With CW_TIMELINE: phases that are open end, in it, now. Local. No thread is in a call. */
void cwi_timeline_keep_phases(void);

/* With CW_TIMELINE: process 0 writes what all have kept. That it cannot is logged, and no error.
 * Collective over the world. No thread is in a call. */
CWI_CHECKED cw_error cwi_timeline_report(void);

/* In the witness of a process that has died: where the timeline goes (NULL: nobody wants one); is
 * it written, as it should be? is_first: no other process has died before. Leave this process's
 * part; write the timeline, of the parts that there are; take away what the process had written of
 * it. */
const struct cwi_destination *cwi_timeline_goes_to(void);
bool cwi_timeline_is_done(bool is_first);
void cwi_timeline_write_part(FILE *out);
void cwi_timeline_write_left(const struct cwi_partial_profiles *parts);
void cwi_timeline_drop_half(void);
#endif
