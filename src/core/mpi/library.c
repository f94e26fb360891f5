/* Which MPI library this is, and the UCX below it. */
#include "mpi/library.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *cwi_mpi_name(void)
{
  static char name[96];
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (name[0] != '\0' || MPI_Get_library_version(text, &length) != MPI_SUCCESS)
    return name;
  const char *mpich = strstr(text, "MPICH Version:"), *open = strstr(text, "Open MPI v");
  char version[64] = "";
  if (mpich != NULL && sscanf(mpich, "MPICH Version: %60s", version) == 1)
    snprintf(name, sizeof name, "MPICH %s", version);
  else if (open != NULL && sscanf(open, "Open MPI v%60[^ ,]", version) == 1)
    snprintf(name, sizeof name, "Open MPI %s", version);
  else
    snprintf(name, sizeof name, "%.90s", text);
  return name;
}

/* UCX's own function. Open MPI loads UCX where only its handle finds it. */
void *cwi_mpi_ucx(const char *name)
{
  void *found = dlsym(RTLD_NEXT, name);
  void *ucx = found == NULL ? dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD) : NULL;
  return ucx != NULL ? dlsym(ucx, name) : found;
}

bool cwi_ucx_hangs(void)
{
  unsigned major = 0, minor = 0, release = 0;
  void (*version)(unsigned *, unsigned *, unsigned *) = NULL;
  *(void **)(void *)&version = cwi_mpi_ucx("ucp_get_version");
  if (version == NULL)
    return false;
  version(&major, &minor, &release);
  return major == 1 && minor == 13;
}
