/* Finds out about the system, without starting MPI, for cw-info --report. */
#include "system_facts.h"

#include "base/settings.h"
#include "machine/machine.h"
#include "mpi/mpi_library.h"

#include <causeway/error.h>
#include <causeway/runtime.h>

#include <ctype.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <link.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* --- Versions --------------------------------------------------------------------------------- */

/* Prints the line that begins with `key` of a file, without the key. */
static void print_line_of(FILE *out, const char *name, const char *path, const char *key)
{
  char line[256], value[256] = "not known";
  FILE *in = fopen(path, "r");
  while (in != NULL && fgets(line, sizeof line, in) != NULL)
    if (strncmp(line, key, strlen(key)) == 0) {
      snprintf(value, sizeof value, "%.*s", (int)strcspn(line + strlen(key), "\n"),
               line + strlen(key));
      break;
    }
  if (in != NULL)
    fclose(in);
  fprintf(out, "%s %s\n", name, value);
}

/* Prints the file of a library that this process has loaded, if it is one of MPI or of what MPI
 * uses. The file that a link leads to has the version in its name. */
static int print_library(struct dl_phdr_info *library, size_t size, void *out)
{
  static const char *const parts[] = {"mpi",   "libuc",    "fabric",  "hwloc",  "pmi",
                                      "prrte", "libevent", "ibverbs", "libpsm", "hdf5"};
  char *path = realpath(library->dlpi_name, NULL);
  const char *name = path != NULL ? strrchr(path, '/') + 1 : "";
  (void)size;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strncmp(name, "lib", 3) == 0 && strstr(name, parts[i]) != NULL) {
      fprintf(out, " %s", name);
      break;
    }
  free(path);
  return 0;
}

static void print_library_versions(FILE *out)
{
  const char *(*ucx)(void) = (const char *(*)(void))cwi_mpi_ucx("ucp_get_version_string");
  uint32_t (*fabric)(void) = (uint32_t(*)(void))dlsym(RTLD_DEFAULT, "fi_version");
  unsigned (*hwloc)(void) = (unsigned (*)(void))dlsym(RTLD_DEFAULT, "hwloc_get_api_version");
  if (ucx != NULL)
    fprintf(out, "UCX:          %s\n", ucx());
  if (fabric != NULL)
    fprintf(out, "libfabric:    %u.%u\n", fabric() >> 16, fabric() & 0xffff);
  if (hwloc != NULL)
    fprintf(out, "hwloc:        API %u.%u.%u\n", hwloc() >> 16, hwloc() >> 8 & 0xff,
            hwloc() & 0xff);
  fprintf(out, "libraries:   ");
  dl_iterate_phdr(print_library, out);
  fprintf(out, "\n");
}

void print_versions(FILE *out)
{
  struct utsname system;
  fprintf(out, "Causeway:     %s\n", cw_version());
  fprintf(out, "MPI:          %s; the program is compiled for MPI %d.%d\n", cwi_mpi_library()->text,
          MPI_VERSION, MPI_SUBVERSION);
  fprintf(out, "compiler:     %s%s\n", isdigit((unsigned char)__VERSION__[0]) ? "gcc " : "",
          __VERSION__);
  if (uname(&system) == 0)
    fprintf(out, "kernel:       %s %s, %s\n", system.sysname, system.release, system.machine);
  print_line_of(out, "distribution:", "/etc/os-release", "PRETTY_NAME=");
  fprintf(out, "C library:    glibc %s\n", gnu_get_libc_version());
  print_library_versions(out);
}

/* --- Settings --------------------------------------------------------------------------------- */

/* Returns true for variables that the user sets for MPI and its networks. Those that launchers pass
 * to their processes have addresses and folders, and tell nothing. */
static bool is_of_mpi(const char *variable)
{
  static const char *const wanted[] = {
      "MPICH_", "MPIR_", "OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_",       "UCX_", "FI_", "HYDRA_",
      "I_MPI_", "MV2_",  "ARMCI_",    "HWLOC_",    "OMP_NUM_THREADS="};
  static const char *const internal[] = {"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_initial_wdir",
                                         "PMIX_MCA_mca_base", "HYDRA_CONTROL"};
  bool is_wanted = false;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    is_wanted = is_wanted || strncmp(variable, wanted[i], strlen(wanted[i])) == 0;
  for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
    is_wanted = is_wanted && strncmp(variable, internal[i], strlen(internal[i])) != 0;
  return is_wanted;
}

void print_changed_settings(FILE *out)
{
  int changed = 0;
  const bool read = cwi_settings_read() == CW_OK;
  if (!read)
    fprintf(out, "error: %s\n", cw_error_message());
  for (size_t i = 0; i < cwi_settings_count(); i++) {
    const char *name = NULL;
    char value[512];
    if (cwi_settings_given(i, &name, value, sizeof value)) {
      fprintf(out, "%s=%s\n", name, value);
      changed++;
    }
  }
  if (read && changed == 0)
    fprintf(out, "all settings of Causeway have their defaults\n");
  for (char **variable = environ; *variable != NULL; variable++)
    if (is_of_mpi(*variable))
      fprintf(out, "%s\n", *variable);
}

/* --- Hardware --------------------------------------------------------------------------------- */

static void print_bytes(FILE *out, const char *name, size_t bytes)
{
  if (bytes == SIZE_MAX)
    fprintf(out, "%s no limit\n", name);
  else
    fprintf(out, "%s %zu MiB\n", name, bytes >> 20);
}

static void print_cores(FILE *out)
{
  char name[256];
  cpu_set_t allowed;
  cwi_machine_processor(name, sizeof name);
  fprintf(out, "processor:    %s\n", name[0] != '\0' ? name : "not known");
  fprintf(out, "cores:        %ld", sysconf(_SC_NPROCESSORS_ONLN));
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    fprintf(out, ", %d for this process", CPU_COUNT(&allowed));
  if (cwi_machine_quota() != SIZE_MAX)
    fprintf(out, "; its cgroup limits it to the time of %zu", cwi_machine_quota());
  fprintf(out, "\nNUMA nodes:   %d\n", cwi_machine_numa_nodes());
}

static void print_shm(FILE *out)
{
  struct statvfs shm;
  if (statvfs("/dev/shm", &shm) == 0)
    fprintf(out, "/dev/shm:     %" PRIu64 " MiB, %" PRIu64 " MiB in use\n",
            (uint64_t)shm.f_blocks * shm.f_frsize >> 20,
            (uint64_t)(shm.f_blocks - shm.f_bfree) * shm.f_frsize >> 20);
  else
    fprintf(out, "/dev/shm:     none\n");
}

static void print_limits(FILE *out)
{
  static const struct {
    const char *name;
    int limit;
  } limits[] = {{"address space", RLIMIT_AS}, {"locked memory", RLIMIT_MEMLOCK},
                {"stack", RLIMIT_STACK},      {"core file", RLIMIT_CORE},
                {"file size", RLIMIT_FSIZE},  {"open files", RLIMIT_NOFILE},
                {"processes", RLIMIT_NPROC}};
  fprintf(out, "limits:      ");
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct rlimit now;
    if (getrlimit(limits[i].limit, &now) != 0)
      continue;
    fprintf(out, "%s %s ", i > 0 ? ";" : "", limits[i].name);
    if (now.rlim_cur == RLIM_INFINITY)
      fprintf(out, "none");
    else
      fprintf(out, "%llu", (unsigned long long)now.rlim_cur);
  }
  fprintf(out, "\n");
}

void print_hardware(FILE *out)
{
  print_cores(out);
  print_bytes(out, "memory:      ", cwi_machine_memory());
  print_bytes(out, "available:   ", cwi_machine_available());
  print_shm(out);
  print_limits(out);
  print_line_of(out, "huge pages:  ", "/sys/kernel/mm/transparent_hugepage/enabled", "");
  print_line_of(out, "huge shm:    ", "/sys/kernel/mm/transparent_hugepage/shmem_enabled", "");
  print_line_of(out, "overcommit:  ", "/proc/sys/vm/overcommit_memory", "");
  print_line_of(out, "ptrace scope:", "/proc/sys/kernel/yama/ptrace_scope", "");
}
