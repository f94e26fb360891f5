/* Names on a machine, each of which one process of the job at a time can have. */
#ifndef CWI_MPI_MACHINE_CLAIM_H
#define CWI_MPI_MACHINE_CLAIM_H

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* Claim a name for this process, on its machine and in its job: all worlds of the job, whoever is
 * in them, know the same names. Gone with the process, however it ends. Returns what ends the
 * claim; -1: it is another's (errno is EADDRINUSE), or no names can be claimed here (errno says
 * why). Takes some microseconds. Local. */
int cwi_claim(const char *name);
void cwi_claim_end(int claim);

/* Can processes of the job, which are not in this communicator, be in another world? Local. */
CWI_CHECKED cw_error cwi_others_may_be(MPI_Comm comm, bool *may);
#endif
