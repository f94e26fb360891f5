/* Detects that the launcher of another MPI has started this process, and whether the launcher ends
 * the job when a process dies. */
#pragma once

#include "base/error.h"

/* Checks that MPI_COMM_WORLD has all processes that the launcher has started. An MPI that another
 * MPI's mpiexec has started sees one process only: each process would be a world of its own, and
 * the program would run once per process. Errors: CW_MISUSE if MPI_COMM_WORLD has one process and
 * the environment names more, unless CW_ALONE=1. */
CWI_CHECKED cw_error cwi_launcher_check(void);

/* Returns the number of processes that a launcher has started according to the environment, or 0 if
 * no variable has it. */
long cwi_launcher_started(void);

/* Returns how the job has to be started so that its other processes live on when one dies, as text
 * for a message, or NULL if it is started in this way. Also returns NULL if this cannot be found
 * out: the command line of a launcher on another host, and srun's options, are not visible. Reads
 * the environment and /proc only, and may be called before MPI_Init. */
const char *cwi_launcher_ends_at_death(void);
