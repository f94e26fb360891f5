/* Where disjoint teams must take turns at making windows they share a word in memory for it. It may
 * come from a memory file or from MPI, never from a file with a name; if from nowhere, cw_init says
 * so. Arguments: what does not work: "names", "memfd", "all". */
#include "kit/native.h"
#include "mpi/workaround.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool no_names, no_memfd, no_windows;
static bool starting; /* inside cw_init */

int open(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  if (no_names && strstr(path, "causeway") != NULL) {
    errno = EROFS;
    return -1;
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int memfd_create(const char *name, unsigned flags)
{
  if (no_memfd && strcmp(name, "causeway-turn") == 0) {
    errno = ENOSYS;
    return -1;
  }
  return (int)syscall(SYS_memfd_create, name, flags);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window)
{
  return no_windows && starting ? MPI_ERR_OTHER
                                : PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}

/* Disjoint teams, each of which makes and frees its window several times. */
static void make_windows(void)
{
  cw_team team = NULL;
  kit_about("disjoint teams");
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, 0, &team));
  for (int round = 0; round < 12; round++) {
    cw_region region = NULL;
    void *addresses[16];
    const int size = cw_team_size(team), next = (cw_team_rank(team) + 1) % size;
    const long sent = 100 * round + kit_me();
    long got = -1;
    KIT_MUST(cw_region_create(team, sizeof sent, &region, addresses));
    KIT_OK(cw_put(&sent, addresses[next], sizeof sent, cw_team_process(team, next)));
    KIT_OK(cw_get(&got, addresses[next], sizeof got, cw_team_process(team, next)));
    kit_check_long(got, sent, "value put to my neighbour");
    KIT_OK(cw_region_free(team, &region));
  }
  KIT_OK(cw_team_free(&team));
}

int main(int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "";
  int level = 0;
  no_names = strcmp(mode, "names") == 0;
  no_memfd = strcmp(mode, "memfd") == 0 || strcmp(mode, "all") == 0;
  no_windows = strcmp(mode, "all") == 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "turns");
  kit_hang_guard(100);
  starting = true;
  const cw_error error = cw_init(MPI_COMM_WORLD);
  starting = false;
  if (no_windows && cwi_workaround_applies(CWI_OPENMPI_WIN_DISJOINT)) {
    kit_check(error == CW_OUTSIDE && strstr(cw_error_message(), "take turns at making windows"),
              "cw_init gave %d: %s", (int)error, cw_error_message());
    return kit_finish();
  }
  kit_call_must("cw_init(MPI_COMM_WORLD)", error);
  make_windows();
  return kit_finish_native();
}
