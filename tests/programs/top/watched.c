/* A job that top.py observes while it runs. Each stage lasts until FILE.1, FILE.2 and so on exist.
 * Each process writes its PID into FILE.pid.N.
 *
 *   watched FILE
 *
 * In stage 0 all put to process 1 and then enter a barrier. In stage 1 process 1 sleeps, and the
 * others are in a barrier. In stage 2 process 0 has a mutex and sleeps, and the others wait for it.
 * Stage 3 is like 0. */
#include "kit/native.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { BYTES = 64, PUTS = 200, NAP_MICROSECONDS = 5000 };

static const char *file;

static bool is_there(int stage)
{
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s.%d", file, stage);
  return access(name, F_OK) == 0;
}

static void sleep_until(int stage)
{
  while (!is_there(stage))
    usleep(NAP_MICROSECONDS);
}

static void leave_pid(void)
{
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s.pid.%d", file, cw_process());
  FILE *out = fopen(name, "we");
  if (kit_check(out != NULL, "cannot write %s", name)) {
    fprintf(out, "%d\n", (int)getpid());
    kit_check(fclose(out) == 0, "cannot write %s", name);
  }
}

/* Process 0 decides when the stage is over. */
static void move_until(int stage, void **addresses)
{
  char piece[BYTES] = "";
  for (int over = 0; over == 0;) {
    for (int i = 0; i < PUTS; i++)
      KIT_MUST(cw_put(piece, addresses[1], sizeof piece, 1));
    over = is_there(stage);
    KIT_MUST(cw_broadcast(cw_team_world(), 0, &over, sizeof over));
  }
}

static void hang_until(int stage)
{
  if (cw_process() == 1)
    sleep_until(stage);
  KIT_MUST(cw_barrier(cw_team_world()));
}

static void hold_until(int stage, cw_mutexes mutexes)
{
  if (cw_process() == 0) {
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
    KIT_MUST(cw_barrier(cw_team_world()));
    sleep_until(stage);
  } else {
    KIT_MUST(cw_barrier(cw_team_world()));
    KIT_MUST(cw_mutex_lock(mutexes, 0, 0));
  }
  KIT_MUST(cw_mutex_unlock(mutexes, 0, 0));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  cw_mutexes mutexes = NULL;
  void **addresses = NULL;
  kit_start_native(&argc, &argv, "watched");
  file = argc > 1 ? argv[1] : "watched";
  kit_make_region(BYTES, &region, &addresses);
  KIT_MUST(cw_mutexes_create(cw_team_world(), cw_process() == 0, &mutexes));
  leave_pid();
  move_until(1, addresses);
  hang_until(2);
  hold_until(3, mutexes);
  move_until(4, addresses);
  KIT_MUST(cw_mutexes_free(&mutexes));
  kit_free_region(&region, addresses);
  return kit_finish_native();
}
