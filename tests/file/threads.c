/* Threads save and load arrays of their own teams at once, in an order that differs between
 * processes. No thread may hold HDF5 while it waits for another process. */
#include "file/arrays.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3 };

struct work {
  int number;
  cw_team team;
  cw_array array;
  char path[PATH_BYTES];
};

static int rounds;

static void *run(void *given)
{
  struct work *work = given;
  for (int round = 0; round < rounds; round++) {
    const int seed = 10 * round + work->number;
    usleep((unsigned)((cw_process() + work->number) % 3) * 3000);
    fill_array(work->array, seed);
    KIT_OK(cw_arrays_save(work->path, 1, &work->array, NULL));
    fill_array(work->array, seed + 5);
    KIT_OK(cw_array_load(work->path, NULL, work->array));
    check_array(work->array, seed);
    kit_call_fails("cw_array_load", cw_array_load("nowhere.h5", NULL, work->array), CW_OUTSIDE,
                   "nowhere.h5|No such file");
  }
  return NULL;
}

int main(int argc, char **argv)
{
  const int64_t extents[2] = {50, 60};
  pthread_t threads[THREADS];
  struct work work[THREADS];
  rounds = argc > 1 ? atoi(argv[1]) : 3;
  kit_start_native(&argc, &argv, "file_threads");
  kit_need_threads();
  kit_hang_guard();
  for (int i = 0; i < THREADS; i++) {
    char name[24];
    snprintf(name, sizeof name, "thread%d", i);
    work[i].number = i;
    make_path(work[i].path, NULL, name);
    KIT_MUST(cw_team_dup(cw_team_world(), &work[i].team));
    work[i].array = make_array(work[i].team, name, CW_DOUBLE, 0, 2, extents);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, run, &work[i]);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  kit_barrier();
  for (int i = 0; i < THREADS; i++) {
    KIT_OK(cw_array_destroy(&work[i].array));
    KIT_OK(cw_team_free(&work[i].team));
    if (kit_me() == 0)
      kit_check(unlink(work[i].path) == 0, "there is no '%s'", work[i].path);
  }
  return kit_finish_native();
}
