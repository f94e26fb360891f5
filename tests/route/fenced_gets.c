/* Gets that are in flight when a fence completes everything have arrived afterwards. The number of
 * targets is so large that the whole window is flushed, which MPICH does without waiting for long
 * gets (src/core/mpi/workaround.c: mpich_flush_all). */
#include "kit/native.h"

#include <string.h>

enum { BYTES = 1 << 21, ROUNDS = 4, MOST = 8 };

static char got[MOST * BYTES];
static cw_handle handles[MOST];

/* Starts an update for each target, so that the fence has something to flush. */
static void start(void *const *slices)
{
  static char sent = 1;
  for (int process = 0; process < kit_processes(); process++) {
    cw_transfer get =
        cw_contiguous(CW_GET, got + (size_t)process * BYTES, slices[process], BYTES, process);
    cw_transfer put =
        cw_contiguous(CW_PUT, &sent, (char *)slices[process] + BYTES + kit_me(), 1, process);
    KIT_OK(cw_transfer_start(&get, &handles[process]));
    KIT_OK(cw_transfer_start(&put, NULL));
  }
}

static int count_wrong(void)
{
  int wrong = 0;
  for (int process = 0; process < kit_processes(); process++)
    for (size_t i = 0; i < BYTES; i++)
      wrong += got[(size_t)process * BYTES + i] != (char)(1 + process);
  return wrong;
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **slices = NULL;
  kit_start_native(&argc, &argv, "fenced gets");
  char *mine = kit_make_region(BYTES + 4096, &region, &slices);
  if (kit_processes() > MOST)
    cw_abort("more processes than places", 1);
  memset(mine, 1 + kit_me(), BYTES);
  KIT_MUST(cw_barrier(cw_team_world()));
  for (int round = 0; round < ROUNDS; round++) {
    memset(got, 0, sizeof got);
    start(slices);
    KIT_OK(cw_fence_all());
    for (int process = 0; process < kit_processes(); process++)
      KIT_OK(cw_wait(&handles[process]));
    kit_check_long(count_wrong(), 0, "bytes of gets that were not there");
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  kit_free_region(&region, slices);
  return kit_finish_native();
}
