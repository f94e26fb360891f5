/* A job that never ends by itself: every process has transfers with its neighbour, for a fault to
 * come upon. "at work" is printed when all do. */
#include "kit/native.h"

#include <stdio.h>

enum { WORDS = 1000 };

int main(int argc, char **argv)
{
  static double data[WORDS];
  cw_region region = NULL;
  kit_start_native(&argc, &argv, "endless");
  const int next = (kit_me() + 1) % kit_processes();
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  KIT_MUST(cw_region_create(cw_team_world(), sizeof data, &region, addresses));
  for (long round = 0;; round++) {
    KIT_MUST(cw_put(data, addresses[next], sizeof data, next));
    KIT_MUST(cw_accumulate(CW_DOUBLE, NULL, data, addresses[next], sizeof data, next));
    KIT_MUST(cw_get(data, addresses[next], sizeof data, next));
    KIT_MUST(cw_fence(next));
    if (round > 0)
      continue;
    kit_meet();
    if (kit_me() == 0)
      printf("at work\n");
    fflush(stdout);
  }
}
