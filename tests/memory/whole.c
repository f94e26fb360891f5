/* Operations on the whole zone (mlockall, a core dump) must not allocate memory for its holes. The
 * zone has 3 GiB here, of which a few MiB are used.
 *
 *   whole before | after | dump | keep */
#include "kit/native.h"

#include "memory/zone.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEGA = 1 << 20, BYTES = 8 * MEGA, WORDS = BYTES / 8, RUN = 512 };

/* More than the sum of the table of granules, the step in which the file grows, and this test's
 * memory. */
static const size_t FEW = (size_t)160 * MEGA;

static uint64_t word(size_t i)
{
  return 0x9e3779b97f4a7c15u * (i + 1);
}

static void check_resident(const char *when)
{
  const size_t resident = cwi_zone_resident();
  kit_check(resident > 0 && resident < FEW, "the zone has %zu MiB %s", resident >> 20, when);
}

static cw_region make(void)
{
  cw_region region = NULL;
  KIT_MUST(cw_region_create(cw_team_world(), BYTES, &region, NULL));
  uint64_t *words = cw_region_address(region, kit_me());
  for (size_t i = 0; i < WORDS; i++)
    words[i] = word(i);
  KIT_OK(cw_barrier(cw_team_world()));
  return region;
}

/* --- mlockall --------------------------------------------------------------------------------- */

static void lock_all(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    limit.rlim_cur = limit.rlim_max;
  int locked = setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  int all = 0;
  MPI_Allreduce(&locked, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all)
    kit_skip("this user may not lock memory");
}

/* Locked memory is allocated and freed like other memory. */
static void check_grows(void)
{
  cw_region large = NULL;
  KIT_MUST(cw_region_create(cw_team_world(), 5 * BYTES, &large, NULL));
  memset(cw_region_address(large, kit_me()), 7, 5 * BYTES);
  KIT_OK(cw_barrier(cw_team_world()));
  const size_t during = cwi_zone_resident();
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &large));
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check(cwi_zone_resident() + 5 * BYTES <= during, "%zu of %zu bytes stay after the end",
            cwi_zone_resident(), during);
}

static void test_lock(void)
{
  kit_about("mlockall");
  cw_region region = make();
  check_resident("with a region of 8 MiB");
  check_grows();
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* --- Core dumps ------------------------------------------------------------------------------- */

/* Crashes a child of this process, which has the same mappings. */
static bool crash(const char *folder)
{
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit any = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGABRT, SIG_DFL);
    if (chdir(folder) == 0 && setrlimit(RLIMIT_CORE, &any) == 0)
      abort();
    _exit(1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
         WCOREDUMP(status);
}

/* Returns true if the file contains a page of the region. */
static bool holds_region(FILE *file)
{
  static uint64_t page[RUN], wanted[RUN];
  for (size_t i = 0; i < RUN; i++)
    wanted[i] = word(WORDS / 2 + i);
  while (fread(page, sizeof page, 1, file) == 1)
    if (memcmp(page, wanted, sizeof page) == 0)
      return true;
  return false;
}

static void check_core(const char *folder, bool wanted)
{
  char command[128], path[128];
  snprintf(command, sizeof command, "mv %s/core* %s/found 2>/dev/null", folder, folder);
  snprintf(path, sizeof path, "%s/found", folder);
  FILE *file = system(command) == 0 ? fopen(path, "r") : NULL;
  if (file == NULL) {
    printf("the core is not in its folder: %s\n", strerror(errno));
    return;
  }
  kit_check(holds_region(file) == wanted, "the core dump %s the region",
            wanted ? "lacks" : "holds");
  fclose(file);
}

static void test_core(bool wanted)
{
  char folder[] = "/tmp/whole.XXXXXX", command[64];
  cw_region region = make();
  kit_about("a core dump");
  if (mkdtemp(folder) == NULL)
    kit_skip("no folder for a core dump");
  const bool dumped = crash(folder);
  check_resident("after a core dump");
  if (dumped)
    check_core(folder, wanted);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0 || !dumped)
    kit_skip("no core dumps here");
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "after";
  int level = 0;
  setenv("CW_ZONE_SIZE", "3G", 1);
  if (strcmp(what, "keep") == 0)
    setenv("CW_CORE_REGIONS", "1", 1);
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "whole");
  if (strcmp(what, "before") == 0)
    lock_all();
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  if (strcmp(what, "after") == 0)
    lock_all();
  if (strcmp(what, "dump") == 0 || strcmp(what, "keep") == 0)
    test_core(strcmp(what, "keep") == 0);
  else
    test_lock();
  return kit_finish_native();
}
