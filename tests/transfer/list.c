/* A list of segments has no levels, and vectors of no bytes have no segments: these fields are not
 * read, on any route. */
#include "kit/native.h"

#include <string.h>

enum { WORDS = 8 };

static void move(cw_operation operation, double *here, double *there, int process)
{
  static const size_t counts[] = {3};
  static const ptrdiff_t strides[] = {2 * sizeof(double)};
  void *local[] = {here}, *remote[] = {there};
  const cw_vector both[] = {{NULL, NULL, 3, 0}, {local, remote, 1, sizeof(double)}};
  cw_transfer transfer =
      cw_strided(operation, here, strides, there, strides, sizeof(double), counts, 1, process);
  transfer.vectors = both;
  transfer.vector_count = 2;
  KIT_OK(cw_transfer_run(&transfer));
  KIT_OK(cw_fence(process));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void *slices[8] = {NULL};
  double ones[WORDS] = {1, 1, 1, 1, 1, 1, 1, 1}, got[WORDS] = {0};
  kit_start_native(&argc, &argv, "list");
  kit_hang_guard();
  KIT_MUST(cw_region_create(cw_team_world(), sizeof ones, &region, slices));
  memset(slices[kit_me()], 0, sizeof ones);
  KIT_MUST(cw_barrier(cw_team_world()));
  const int next = (kit_me() + 1) % kit_processes();
  move(CW_ACCUMULATE, ones, slices[next], next);
  move(CW_PUT, ones, (double *)slices[next] + 1, next);
  move(CW_GET, got, slices[next], next);
  kit_check(got[0] == 1 && got[2] == 0 && got[4] == 0, "the get of a list: %g %g %g", got[0],
            got[2], got[4]);
  KIT_MUST(cw_barrier(cw_team_world()));
  const double *mine = slices[kit_me()];
  for (int i = 0; i < WORDS; i++)
    kit_check(mine[i] == (i < 2), "word %d is %g", i, mine[i]);
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}
