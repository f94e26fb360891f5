/* Little space for the zone: limits of a process on files and addresses, a full /dev/shm, settings
 * that request too much. The zone is then smaller, or all processes get one message; there is no
 * signal and no hang.
 *
 *   narrow files | addresses | one-files | one-addresses | later | filled | none | "refused"
 *
 * files, addresses: a limit on all processes; one-...: on process 1 only. later: the limit on files
 * is set after the start. filled: other programs fill /dev/shm after the start. none: no limit but
 * the settings and /dev/shm. "refused" means that the start must fail on all. */
#include "kit/native.h"

#include "memory/zone.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MEGA = 1 << 20 };

static void limit(__rlimit_resource_t resource, size_t bytes)
{
  struct rlimit now;
  kit_check(getrlimit(resource, &now) == 0, "getrlimit");
  now.rlim_cur = bytes;
  kit_check(setrlimit(resource, &now) == 0, "setrlimit");
}

static size_t addresses_now(void)
{
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  kit_check(file != NULL && fscanf(file, "%zu", &pages) == 1, "/proc/self/statm");
  if (file != NULL)
    fclose(file);
  return pages * 4096;
}

static void apply(const char *what)
{
  const bool one = strncmp(what, "one-", 4) == 0;
  const char *kind = one ? what + 4 : what;
  if (one && kit_me() != 1)
    return;
  if (strcmp(kind, "files") == 0)
    limit(RLIMIT_FSIZE, (size_t)100 * MEGA);
  if (strcmp(kind, "addresses") == 0)
    limit(RLIMIT_AS, addresses_now() + (size_t)1500 * MEGA);
}

/* Makes, uses and frees regions; one that is too large is rejected. */
static void test_works(void)
{
  const int me = kit_me(), next = (me + 1) % kit_processes();
  for (size_t bytes = 8; bytes <= 8 * MEGA; bytes *= 32) {
    cw_region region = NULL;
    void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
    kit_about("regions of %zu bytes", bytes);
    KIT_MUST(cw_region_create(cw_team_world(), bytes, &region, addresses));
    memset(addresses[next], me + 1, bytes);
    KIT_OK(cw_barrier(cw_team_world()));
    const char *mine = addresses[me];
    const int before = (me + kit_processes() - 1) % kit_processes();
    kit_check(mine[0] == before + 1 && mine[bytes - 1] == before + 1, "my slice holds %d, %d",
              mine[0], mine[bytes - 1]);
    KIT_OK(cw_region_free(cw_team_world(), &region));
    free(addresses);
  }
}

static void test_too_much(const char *words)
{
  cw_region region = NULL;
  kit_about("more than the zone has");
  KIT_OUTSIDE(words, cw_region_create(cw_team_world(), (size_t)60 << 40, &region, NULL));
}

/* The file cannot grow any more. */
static void test_later(void)
{
  cw_region region = NULL;
  kit_about("a limit on files after the start");
  limit(RLIMIT_FSIZE, MEGA);
  KIT_OUTSIDE("cw_region_create: |ulimit -f",
              cw_region_create(cw_team_world(), (size_t)200 * MEGA, &region, NULL));
  limit(RLIMIT_FSIZE, RLIM_INFINITY);
  KIT_OK(cw_region_create(cw_team_world(), (size_t)200 * MEGA, &region, NULL));
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* Returns true if the kernel reports whether it has memory. */
static bool can_query(void)
{
  enum { POPULATE_WRITE = 23, PAGE = 4096 };
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool can = madvise(page, PAGE, POPULATE_WRITE) == 0;
  munmap(page, PAGE);
  return can;
}

/* Other programs may use up /dev/shm before the window's addresses get memory. */
static void test_filled(void)
{
  static const char filler[] = "/dev/shm/filler";
  static char bytes[MEGA];
  cw_region region = NULL;
  kit_about("a /dev/shm that others fill after the start");
  if (kit_me() == 0) {
    const int file = open(filler, O_CREAT | O_WRONLY, 0600);
    while (write(file, bytes, sizeof bytes) > 0)
      ;
    close(file);
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OUTSIDE("cw_region_create: |/dev/shm is full",
              cw_region_create(cw_team_world(), (size_t)12 * MEGA, &region, NULL));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    unlink(filler);
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_create(cw_team_world(), (size_t)12 * MEGA, &region, NULL));
  memset(cw_region_address(region, kit_me()), 1, (size_t)12 * MEGA);
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "none";
  int level = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "narrow");
  kit_hang_guard();
  apply(what);
  if (strcmp(what, "refused") == 0) {
    KIT_OUTSIDE("cw_init: |/dev/shm", cw_init(MPI_COMM_WORLD));
    return kit_finish();
  }
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  test_works();
  test_too_much("cw_region_create: ");
  test_works();
  if (strcmp(what, "later") == 0)
    test_later();
  if (strcmp(what, "filled") == 0 && can_query())
    test_filled();
  KIT_MUST(cw_finalize());
  limit(RLIMIT_FSIZE, RLIM_INFINITY);
  limit(RLIMIT_AS, RLIM_INFINITY);
  return kit_finish();
}
