/* Which MPI library this is, and the UCX below it. */
#include "mpi/library.h"

#include "base/check.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a family's version text begins. */
struct mark {
  const char *text, *name;
};

static const struct mark marks[] = {{"MPICH Version:", "MPICH"}, {"Open MPI v", "Open MPI"}};

/* "a.b.c", of which missing parts count as 0, and the word that begins with it ("4.2rc1"). */
static void read_version(const char *at, struct cwi_mpi_library *library)
{
  at += strspn(at, " \t");
  snprintf(library->text, sizeof library->text, "%s %.*s", library->name,
           (int)strcspn(at, " \t\n,"), at);
  for (int part = 0; part < 3; part++) {
    char *end = NULL;
    library->version[part] = (int)strtol(at, &end, 10);
    at = *end == '.' ? end + 1 : end;
  }
}

static void learn_library(struct cwi_mpi_library *library)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) /* the others know and act on it */
    cwi_abort("MPI does not say which version it is (MPI_Get_library_version failed)", 1);
  library->name = CWI_ANOTHER_MPI;
  snprintf(library->text, sizeof library->text, "%.*s", (int)strcspn(text, "\n"), text);
  for (const struct mark *mark = marks; mark < marks + sizeof marks / sizeof *marks; mark++) {
    const char *found = strstr(text, mark->text);
    if (found != NULL) {
      library->name = mark->name;
      read_version(found + strlen(mark->text), library);
      return;
    }
  }
}

const struct cwi_mpi_library *cwi_mpi_library(void)
{
  static struct cwi_mpi_library library;
  if (library.name == NULL)
    learn_library(&library);
  return &library;
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
