/* The name of the call that the program made at a call site, in the interface that the program
 * uses. */
#ifndef CWI_OUTPUT_CALL_SITE_NAME_H
#define CWI_OUTPUT_CALL_SITE_NAME_H

#include "profile/profile_counters.h"

/* Writes the name of the call at `site`, or "" if it has none, such as a task. If *has_source is
 * false, this function may call cwi_source_begin and store its result in *has_source. If
 * *has_source is true in the end, the caller calls cwi_source_end. */
void cwi_call_site_name(const struct cwi_call_site *site, char name[CWI_CALL_NAME],
                        bool *has_source);
#endif
