/* Settings that all processes must share, compared before they are used together. */
#ifndef CWI_TEAM_SETTINGS_H
#define CWI_TEAM_SETTINGS_H

#include "base/check.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over the communicator; `read` is what reading the settings gave in this process.
 * Errors, on every process alike: CW_MISUSE, when one process has refused its settings or two have
 * different ones. The sentence names the setting, the values and the ranks. */
CWI_CHECKED cw_error cwi_settings_agree(MPI_Comm comm, cw_error read);

#ifdef __cplusplus
}
#endif
#endif
