/* A server keeps the memory for the data of long accumulates: after the first ones it allocates no
 * more than can be in flight at once. Results are right, with fragments of all sizes. */
#include "kit/native.h"

#include <stdlib.h>

/* Fragments of CW_SERVER_BULK to 512 KiB. */
enum { WORDS = 1 << 17, FIRST = 1 << 14, ROUNDS = 20, LONG = 1 << 17, AT_ONCE = 16 };

static long taken; /* long blocks since the last query */

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
  if (bytes >= LONG)
    __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
  return __real_malloc(bytes);
}

static double add_all(double *there, const double *numbers)
{
  double sum = 0;
  for (int round = 0; round < ROUNDS; round++)
    for (size_t count = FIRST; count <= WORDS / 2; count += FIRST, sum += 1)
      KIT_OK(cw_accumulate(CW_DOUBLE, NULL, numbers, there, count * sizeof *numbers, 1));
  KIT_OK(cw_fence(1));
  return sum;
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "long");
  double *numbers = kit_alloc(WORDS, sizeof *numbers), sum = 0;
  void *addresses[2];
  cw_region region = NULL;
  for (int i = 0; i < WORDS; i++)
    numbers[i] = 1;
  KIT_OK(cw_region_create(cw_team_world(), WORDS * sizeof *numbers, &region, addresses));
  double *mine = addresses[kit_me()];
  for (int pass = 0; pass < 2; pass++) {
    KIT_OK(cw_barrier(cw_team_world()));
    __atomic_store_n(&taken, 0, __ATOMIC_RELAXED);
    KIT_OK(cw_barrier(cw_team_world()));
    sum += kit_me() == 0 ? add_all(addresses[1], numbers) : 0;
    KIT_OK(cw_barrier(cw_team_world()));
    kit_about("turn %d", pass);
    const long now = __atomic_load_n(&taken, __ATOMIC_RELAXED);
    if (kit_me() == 1 && pass == 1)
      kit_check(now <= AT_ONCE, "the server has asked for %ld long pieces of memory", now);
  }
  if (kit_me() == 0)
    KIT_OK(cw_put(&sum, (double *)addresses[1] + WORDS - 1, sizeof sum, 1));
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 1)
    kit_check(mine[0] == mine[WORDS - 1] && mine[FIRST - 1] == mine[0], "%g is not %g", mine[0],
              mine[WORDS - 1]);
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(numbers);
  return kit_finish_native();
}
