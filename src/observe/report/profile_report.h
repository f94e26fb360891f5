/* The beginning and the end of a run with CW_PROFILE. */
#ifndef CWI_REPORT_PROFILE_REPORT_H
#define CWI_REPORT_PROFILE_REPORT_H

#include "report/destination.h"

#include <stdbool.h>
#include <sys/types.h>

/* With CW_PROFILE: all agree on where it goes, and when the run began. Collective over the world.
 */
CWI_CHECKED cw_error cwi_profile_watch(void);

/* With CW_PROFILE: process 0 writes what all have counted to the file, and a screen of it to
 * stderr. That the file cannot be written is logged, and no error. Collective over the world. */
CWI_CHECKED cw_error cwi_profile_report(void);

/* In the witness of a process that has died: where the profile goes (NULL: nobody wants one); is it
 * written, as it should be? is_first: no other process has died before. Add up what this process
 * has counted; write it, of what all have left; take away what the process had written of it. */
const struct cwi_destination *cwi_profile_goes_to(void);
bool cwi_profile_is_done(bool is_first);
void cwi_profile_sum_mine(struct cwi_summary *summary);
void cwi_profile_write_left(struct cwi_summary *summary);
void cwi_profile_drop_half(void);
#endif
