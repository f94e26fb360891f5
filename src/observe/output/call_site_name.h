/* The name of the call that the program made at a site, as the interface has it that it called. */
#ifndef CWI_OUTPUT_CALL_SITE_NAME_H
#define CWI_OUTPUT_CALL_SITE_NAME_H

#include "profile/profile_counters.h"

/* Writes the name, or "" if there is none, as for tasks. has_source: whether cwi_source_begin is in
 * force, which this function may change. */
void cwi_call_site_name(const struct cwi_call_site *site, char name[CWI_CALL_NAME],
                        bool *has_source);
#endif
