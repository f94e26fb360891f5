/* Where disjoint teams must take turns when they make windows, they claim the turn by abstract
 * sockets. If sockets are not available, a call that needs one reports it on all members. Argument:
 * the facility that does not work, "none" or "sockets". */
#include "kit/native.h"
#include "mpi/workaround.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool no_sockets;

int socket(int family, int type, int protocol)
{
  if (no_sockets && family == AF_UNIX) {
    errno = EACCES;
    return -1;
  }
  return (int)syscall(SYS_socket, family, type, protocol);
}

/* A team that is not the world, without sockets on one of its members. */
static void fail_windows(void)
{
  cw_team team = NULL;
  cw_region region = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() % 2, 0, &team));
  no_sockets = cw_team_rank(team) == 0;
  KIT_OUTSIDE("cannot take its turn at making a window", cw_region_create(team, 64, &region, NULL));
  no_sockets = false;
  KIT_MUST(cw_region_create(team, 64, &region, NULL));
  KIT_OK(cw_region_free(team, &region));
  KIT_OK(cw_team_free(&team));
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
  kit_start_native(&argc, &argv, "turns");
  kit_hang_guard();
  if (argc > 1 && strcmp(argv[1], "sockets") == 0 &&
      cwi_workaround_applies(CWI_OPENMPI_WIN_DISJOINT))
    fail_windows();
  make_windows();
  return kit_finish_native();
}
