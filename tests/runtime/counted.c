/* A few operations, for the output of CW_STATS=1 (statistics.sh): four processes on two nodes;
 * process 0 acts on itself, on its peer 1 and on process 2 of the other node. */
#include "kit/native.h"

static void act(cw_region region, cw_mutexes mutexes, int process, size_t small, size_t large)
{
  static char data[5000];
  KIT_OK(cw_put(data, cw_region_address(region, process), small, process));
  KIT_OK(cw_put(data, cw_region_address(region, process), large, process));
  KIT_OK(cw_get(data, cw_region_address(region, process), small, process));
  KIT_OK(cw_mutex_lock(mutexes, 0, process));
  KIT_OK(cw_mutex_unlock(mutexes, 0, process));
  KIT_OK(cw_fence(process));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  cw_mutexes mutexes = NULL;
  kit_start_native(&argc, &argv, "counted");
  KIT_MUST(cw_region_create(cw_team_world(), 5000, &region, NULL));
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  if (kit_me() == 0) {
    act(region, mutexes, 0, 100, 1000);
    act(region, mutexes, 1, 3, 4097);
    act(region, mutexes, 2, 77, 777);
    KIT_OK(cw_fence_all());
  }
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_mutexes_free(&mutexes));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}
