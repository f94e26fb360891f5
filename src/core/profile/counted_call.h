/* Calls that consist of one operation each, as most short calls do. They are counted in one step.
 */
#pragma once

#include "profile/profile.h"

/* Like cwi_call_enter for the call `name`, followed by cwi_profile_note for its operation. If
 * nothing has to be done when the call returns, which is the usual case, call->thread is NULL. */
void cwi_call_enter_counted(struct cwi_profiled_call *call, const char *name, enum cwi_counted what,
                            enum cwi_where where, int process, const void *remote, size_t bytes);
