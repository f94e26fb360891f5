/* Allocates regions and fills them until an allocation fails, and then continues: for a job whose
 * memory a batch system limits with cgroups. */
#include "kit/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 8 << 20, MOST = 200 };

static void eat_regions(void)
{
  cw_region regions[MOST];
  int count = 0;
  cw_error error = CW_OK;
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  while (count < MOST && error == CW_OK) {
    error = CW_MAY_FAIL(cw_region_create(cw_team_world(), PIECE, &regions[count], addresses));
    if (error == CW_OK) {
      memset(addresses[kit_me()], kit_me() + 1, PIECE);
      count++;
    }
  }
  kit_check(error == CW_OUTSIDE, "error %d after %d regions", (int)error, count);
  kit_check(count > 0, "there was no room for one region");
  if (kit_me() == 0)
    printf("%d regions of 8 MiB, then: %s\n", count, cw_error_message());
  while (count > 0)
    KIT_OK(cw_region_free(cw_team_world(), &regions[--count]));
  free(addresses);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "eater");
  eat_regions();
  return kit_finish_native();
}
