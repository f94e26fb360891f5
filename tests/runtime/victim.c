/* A job whose last process kills itself, or exits, while the others are in a barrier, wait for a
 * lock that it holds, or transfer with it. The job must soon end with an error and leave nothing
 * behind.
 *
 *   victim barrier|lock|transfers|allocate [exit] */
#include "kit/native.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 10000 };

static cw_mutexes mutexes;
static void **addresses;
static int last;

static void in_barrier(void)
{
  KIT_OK(cw_barrier(cw_team_world()));
}

static void in_lock(void)
{
  KIT_OK(cw_mutex_lock(mutexes, 0, last));
}

static void in_transfers(void)
{
  static double data[WORDS];
  while (true) {
    KIT_OK(cw_put(data, addresses[last], sizeof data, last));
    KIT_OK(cw_accumulate(CW_DOUBLE, NULL, data, addresses[last], sizeof data, last));
    KIT_OK(cw_get(data, addresses[last], sizeof data, last));
    KIT_OK(cw_fence(last));
  }
}

static void in_allocation(void)
{
  cw_region region = NULL;
  KIT_OK(cw_region_create(cw_team_world(), 100, &region, NULL));
}

static const struct {
  const char *name;
  void (*wait)(void);
} places[] = {{"barrier", in_barrier},
              {"lock", in_lock},
              {"transfers", in_transfers},
              {"allocate", in_allocation}};

static void warm_up(void)
{
  const int next = (kit_me() + 1) % kit_processes();
  static double data[WORDS];
  cw_region region = NULL;
  KIT_MUST(cw_region_create(cw_team_world(), sizeof data, &region, addresses));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_MUST(cw_put(data, addresses[next], sizeof data, next));
  KIT_MUST(cw_barrier(cw_team_world()));
  if (kit_me() == last)
    KIT_MUST(cw_mutex_lock(mutexes, 0, last));
  KIT_MUST(cw_barrier(cw_team_world()));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "victim");
  last = kit_processes() - 1;
  addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  warm_up();
  if (kit_me() == last) {
    printf("victim dies\n");
    fflush(stdout);
    if (argc > 2)
      exit(3);
    raise(SIGKILL);
  }
  for (size_t i = 0; argc > 1 && i < sizeof places / sizeof places[0]; i++)
    if (strcmp(argv[1], places[i].name) == 0)
      places[i].wait();
  printf("process %d went on\n", kit_me());
  return kit_finish_native();
}
