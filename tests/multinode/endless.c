/* A job that never ends by itself, into which faults are injected. Without an argument every
 * process transfers with its neighbour. With "barrier", "reduction", "notification" or "lock" the
 * first process waits in this way for the last one, which sleeps. Prints "at work" when all
 * processes do so. */
#include "kit/native.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 1000 };

static void *addresses[64];

static void print_line(void)
{
  kit_barrier();
  if (kit_me() == 0)
    printf("at work\n");
  fflush(stdout);
}

static void transfer_for_ever(void)
{
  static double data[WORDS];
  const int next = (kit_me() + 1) % kit_processes();
  for (long round = 0;; round++) {
    KIT_MUST(cw_put(data, addresses[next], sizeof data, next));
    KIT_MUST(cw_accumulate(CW_DOUBLE, NULL, data, addresses[next], sizeof data, next));
    KIT_MUST(cw_get(data, addresses[next], sizeof data, next));
    KIT_MUST(cw_fence(next));
    if (round == 0)
      print_line();
  }
}

static void wait_for_sleeper(const char *how)
{
  cw_mutexes mutexes = NULL;
  double value = 1;
  const bool sleeps = kit_me() == kit_processes() - 1;
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_SUM, 1,
                        &value)); /* allocates what later reductions need */
  if (sleeps)
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  print_line();
  if (sleeps)
    for (;;)
      pause();
  if (strcmp(how, "barrier") == 0)
    KIT_MUST(cw_barrier(cw_team_world()));
  else if (strcmp(how, "reduction") == 0)
    KIT_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_SUM, 1, &value));
  else if (strcmp(how, "notification") == 0)
    KIT_MUST(cw_notify_wait(addresses[kit_me()], 1, NULL));
  else
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  kit_start_native(&argc, &argv, "endless");
  KIT_MUST(cw_region_create(cw_team_world(), WORDS * sizeof(double), &region, addresses));
  memset(addresses[kit_me()], 0, WORDS * sizeof(double));
  if (argc > 1)
    wait_for_sleeper(argv[1]);
  else
    transfer_for_ever();
  return KIT_FAIL; /* the sleeping process continues to sleep */
}
