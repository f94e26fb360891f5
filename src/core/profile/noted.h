/* Calls that are one operation each, as most short ones: they are counted in one step. */
#ifndef CWI_PROFILE_NOTED_H
#define CWI_PROFILE_NOTED_H

#include "profile/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As cwi_call_enter for the call `name` and, of its operation, cwi_profile_note. If there is
 * nothing to do when the call returns, as for most, call->thread is NULL. */
void cwi_call_enter_noted(struct cwi_profiled_call *call, const char *name, enum cwi_counted what,
                          enum cwi_where where, int process, const void *remote, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
