/* Functions of ARMCI that GA and TCGMSG call: in libcwga a program may call ARMCI while one of them
 * runs. */
#ifndef CWI_ARMCI_INNER_CALLS_H
#define CWI_ARMCI_INNER_CALLS_H

#include "base/error.h"

#include <causeway.h>

/* Starts ARMCI beside a caller that has started Causeway, and releases it again. ARMCI runs until
 * its last holder has released it and each ARMCI_Init has had its ARMCI_Finalize. Collective. */
CWI_CHECKED cw_error cwi_armci_hold(void);
CWI_CHECKED cw_error cwi_armci_release(void);

/* Makes the team ARMCI's default group, as GA does with its own. The team stays its owner's: before
 * it is freed, its owner has ARMCI forget it. */
CWI_CHECKED cw_error cwi_armci_default_is(cw_team team);
CWI_CHECKED cw_error cwi_armci_forget_team(cw_team team);
#endif
