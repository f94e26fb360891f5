/* The beginning and the end of a run with CW_TIMELINE. */
#ifndef CWI_REPORT_REPORT_TIMELINE_H
#define CWI_REPORT_REPORT_TIMELINE_H

#include "base/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With CW_TIMELINE: keep events from now on. That no file can be made of them is logged, and no
 * error. Collective over the world. */
CWI_CHECKED cw_error cwi_timeline_watch(void);

/* Last words of a process that ends the job: its timeline goes with it. */
void cwi_timeline_say_none(void);

/* With CW_TIMELINE: process 0 writes what all have kept. That it cannot is logged, and no error.
 * Collective over the world. No thread is in a call. */
CWI_CHECKED cw_error cwi_timeline_report(void);

#ifdef __cplusplus
}
#endif
#endif
