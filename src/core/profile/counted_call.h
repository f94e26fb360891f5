/* Calls that are one operation each, as most short ones: they are counted in one step. */
#ifndef CWI_PROFILE_COUNTED_CALL_H
#define CWI_PROFILE_COUNTED_CALL_H

#include "profile/profile.h"

/* As cwi_call_enter for the call `name` and, of its operation, cwi_profile_note. If there is
 * nothing to do when the call returns, as for most, call->thread is NULL. */
void cwi_call_enter_counted(struct cwi_profiled_call *call, const char *name, enum cwi_counted what,
                            enum cwi_where where, int process, const void *remote, size_t bytes);
#endif
