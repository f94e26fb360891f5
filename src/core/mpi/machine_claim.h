/* Names that at most one process of a job has on a machine at a time. */
#pragma once

#include "base/error.h"

#include <mpi.h>
#include <stdbool.h>

/* cwi_claim claims `name` for this process. At most one process of the job on this machine has the
 * name, whatever worlds they belong to. Returns a descriptor for cwi_claim_end, or -1 if another
 * process has the name (errno is EADDRINUSE) or names cannot be claimed here (errno has the
 * reason). The claim also ends with the process. Takes some microseconds. Local. */
int cwi_claim(const char *name);
void cwi_claim_end(int claim);

/* Sets *may to true if MPI_COMM_WORLD has processes that are not in `comm`, else to false. Such
 * processes may belong to another world. Local. */
CWI_CHECKED cw_error cwi_others_may_be(MPI_Comm comm, bool *may);
