/* Claims names by binding abstract socket addresses. They need no file, no shared memory and no
 * message, so they also work between worlds that do not know each other; and the kernel releases
 * them when the process ends. */
#include "mpi/machine_claim.h"

#include "base/hash.h"
#include "mpi/mpi_result.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Returns a hash of the launcher's name for the job. Without such a name all jobs of the user count
 * as one; they then sometimes wait for each other without need. */
static unsigned long long job(void)
{
  static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID",
                                      "SLURM_JOB_ID"};
  const char *text = NULL;
  for (size_t i = 0; text == NULL && i < sizeof names / sizeof names[0]; i++)
    text = getenv(names[i]);
  return cwi_hash_text(CWI_HASH_EMPTY, text != NULL ? text : "");
}

int cwi_claim(const char *name)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                              "causeway-%lu-%016llx-%s", (unsigned long)getuid(), job(), name);
  const int claim = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (claim < 0)
    return -1;
  if (bind(claim, (struct sockaddr *)&address,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0)
    return claim;
  const int reason = errno;
  close(claim);
  errno = reason;
  return -1;
}

void cwi_claim_end(int claim)
{
  if (claim >= 0)
    close(claim);
}

cw_error cwi_others_may_be(MPI_Comm comm, bool *may)
{
  int result = MPI_UNEQUAL;
  CWI_TRY(CWI_MPI(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result)));
  *may = result == MPI_UNEQUAL;
  return CW_OK;
}
