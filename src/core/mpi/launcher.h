/* Was this process started by the launcher of another MPI? */
#ifndef CWI_MPI_LAUNCHER_H
#define CWI_MPI_LAUNCHER_H

#include "base/error.h"

/* MPI that another MPI's mpiexec has started knows of one process only: each would be a world of
 * its own, and the program would do everything as often as there are processes. Errors: CW_MISUSE
 * (MPI_COMM_WORLD has one process, but the environment tells of more; not with CW_ALONE=1). */
CWI_CHECKED cw_error cwi_launcher_check(void);

/* How many processes a launcher has started this one with, as its traces tell; 0: none is seen. */
long cwi_launcher_started(void);
#endif
