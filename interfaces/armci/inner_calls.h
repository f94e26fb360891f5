/* Functions of ARMCI that GA and TCGMSG call. With libcwga, a program may call ARMCI while GA or
 * TCGMSG runs. */
#pragma once

#include "base/error.h"

#include <causeway.h>

/* cwi_armci_hold starts ARMCI for a caller that has started Causeway. cwi_armci_release ends this
 * use. ARMCI runs until its last holder has released it and each ARMCI_Init has had its
 * ARMCI_Finalize. Both are collective. */
CWI_CHECKED cw_error cwi_armci_hold(void);
CWI_CHECKED cw_error cwi_armci_release(void);

/* cwi_armci_default_is makes the team ARMCI's default group, as GA does with its own default group.
 * The caller still owns the team. Before it frees the team, it calls cwi_armci_forget_team, which
 * removes the team from ARMCI's groups. */
CWI_CHECKED cw_error cwi_armci_default_is(cw_team team);
CWI_CHECKED cw_error cwi_armci_forget_team(cw_team team);
