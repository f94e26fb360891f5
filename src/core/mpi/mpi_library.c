/* Finds out which MPI library runs, and finds the functions of the UCX below it. */
#include "mpi/mpi_library.h"

#include "base/error.h"
#include "base/log.h"

#include <causeway/built_for.h>

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First words of the version text of each family of MPI libraries. */
struct version_prefix {
  const char *text, *name;
};

static const struct version_prefix version_prefixes[] = {{"MPICH Version:", "MPICH"},
                                                         {"Open MPI v", "Open MPI"}};

/* Reads "a.b.c" at `at` into library->version; missing parts count as 0. library->text gets the
 * whole word that begins there ("4.2rc1"). */
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

/* MPICH may write 8192 bytes, even if this file is compiled with Open MPI's header, whose limit is
 * 256. */
enum { VERSION_BYTES = 8192 };
_Static_assert(VERSION_BYTES >= MPI_MAX_LIBRARY_VERSION_STRING, "the version's text fits");

static void learn_library(struct cwi_mpi_library *library)
{
  char text[VERSION_BYTES] = "";
  int length = 0;
  /* Abort, because the other processes know their version and already act on it. */
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
    cwi_abort("the version of MPI is not known (MPI_Get_library_version failed)", 1);
  library->name = CWI_ANOTHER_MPI;
  snprintf(library->text, sizeof library->text, "%.*s", (int)strcspn(text, "\n"), text);
  for (const struct version_prefix *prefix = version_prefixes;
       prefix < version_prefixes + sizeof version_prefixes / sizeof *version_prefixes; prefix++) {
    const char *found = strstr(text, prefix->text);
    if (found != NULL) {
      library->name = prefix->name;
      read_version(found + strlen(prefix->text), library);
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

/* --- Whether the library that runs is the one that we are built for --------------------------- */

/* A family of MPI libraries: words in the version texts of its members, a symbol that programs
 * import from its libraries, and the suffix of our libraries for it. */
struct family {
  const char *name, *words[5], *symbol, *ours;
};

static const struct family mpich = {
    "MPICH", {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY"}, "MPIR_Dup_fn", "mpich"};
static const struct family openmpi = {
    "Open MPI", {"Open MPI", "Spectrum MPI"}, "ompi_mpi_comm_world", "openmpi"};

/* The family that this file is compiled for, and the other one. Programs refer to the exported
 * name, so that linking with the wrong library fails (causeway/built_for.h). */
#ifdef OMPI_MAJOR_VERSION
static const struct family *const built_for = &openmpi, *const other = &mpich;
const char cw_built_for_openmpi[1] = {1};
#else
static const struct family *const built_for = &mpich, *const other = &openmpi;
const char cw_built_for_mpich[1] = {1};
#endif

static bool has_word(const struct family *family)
{
  for (const char *const *word = family->words; *word != NULL; word++)
    if (strstr(cwi_mpi_library()->text, *word) != NULL)
      return true;
  return false;
}

/* An MPI of an unknown family is assumed to fit. */
bool cwi_mpi_fits(void)
{
  return has_word(built_for) || !has_word(other);
}

cw_error cwi_mpi_check_library(void)
{
  if (!cwi_mpi_fits())
    return cwi_misuse(
        "this library of Causeway is built for %s, but the process runs %s: link the "
        "program with one MPI only, and with Causeway's library for it (its name ends "
        "with -%s)",
        built_for->name, cwi_mpi_library()->text, other->ours);
  if (dlsym(RTLD_DEFAULT, other->symbol) != NULL)
    cwi_log(CWI_LOG_WARNING,
            "the process runs %s, but has loaded %s, too: code that is linked with that one will "
            "call the wrong MPI (ldd shows which library it is)",
            cwi_mpi_library()->text, other->name);
  return CW_OK;
}

/* --- UCX -------------------------------------------------------------------------------------- */

/* Open MPI loads UCX with local scope, so that only a handle on the library finds its symbols. */
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
