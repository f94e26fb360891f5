/* Compares the settings that all processes must share, before they are used. */
#pragma once

#include "base/error.h"

#include <mpi.h>

/* Checks that all processes of the communicator have read their settings and have the same values.
 * Collective; `read` is the result of reading them in this process. Errors, the same on every
 * process: CW_MISUSE with the setting, the values and the ranks if two differ, or the error of a
 * process that could not read its settings. */
CWI_CHECKED cw_error cwi_settings_agree(MPI_Comm comm, cw_error read);
