/* Settings that all processes must share, compared before they are used together. */
#ifndef CWI_TEAM_SETTINGS_AGREEMENT_H
#define CWI_TEAM_SETTINGS_AGREEMENT_H

#include "base/error.h"

#include <mpi.h>

/* Collective over the communicator; `read` is what reading the settings gave in this process.
 * Errors, on every process alike: CW_MISUSE, when one process has refused its settings or two have
 * different ones. The sentence names the setting, the values and the ranks. */
CWI_CHECKED cw_error cwi_settings_agree(MPI_Comm comm, cw_error read);
#endif
