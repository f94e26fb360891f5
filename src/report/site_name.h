/* The name of the call that the program made at a site, as the interface has it that it called. */
#ifndef CWI_REPORT_SITE_NAME_H
#define CWI_REPORT_SITE_NAME_H

#include "profile/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the name, or "" if there is none, as for tasks. has_source: whether cwi_source_begin is in
 * force, which this function may change. */
void cwi_site_name(const struct cwi_call_site *site, char name[CWI_CALL_NAME], bool *has_source);

#ifdef __cplusplus
}
#endif
#endif
