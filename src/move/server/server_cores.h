/* The CPUs of the job on this machine, and those of a server's thread. */
#pragma once

#include "base/error.h"

/* Finds the CPUs to which the processes of this machine are bound, and those that they may use.
 * Collective over the processes of this machine. */
CWI_CHECKED cw_error cwi_cores_start(void);

/* Returns the number of CPUs that the processes of this machine may use together, at least 1. It
 * counts the CPUs of their launchers and those to which the processes are bound. The quota of this
 * process's cgroups limits it: all processes of a machine are assumed to share that quota. */
int cwi_cores_count(void);

/* Moves the calling thread, which is the server's, to CPUs to which no process is bound, if there
 * are any. */
void cwi_cores_take(void);
