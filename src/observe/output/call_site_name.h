/* The name of the call that the program made at a call site, in the interface that the program
 * uses. */
#ifndef CWI_OUTPUT_CALL_SITE_NAME_H
#define CWI_OUTPUT_CALL_SITE_NAME_H

#include "profile/profile_counters.h"

/* Writes the name of the call at `site`, or "" if it has none, as tasks do. *has_source is true
 * while cwi_source_begin is in force. This function may begin it and then sets the flag; the caller
 * ends it. */
void cwi_call_site_name(const struct cwi_call_site *site, char name[CWI_CALL_NAME],
                        bool *has_source);
#endif
