/* Each call of causeway/protect.h: two arrays return to their last commit. */
#include "expect.h"

static const int64_t extents[1] = {100}, last = 99;

static cw_array make(const char *name)
{
  const cw_array_options options = {
      .name = name, .type = CW_LONG, .dimensions = 1, .extents = extents};
  cw_array array = NULL;
  CW_MUST(cw_array_create(cw_team_world(), &options, &array));
  CW_MUST(cw_array_protect(array, 1)); /* one other member keeps a copy of each part */
  return array;
}

/* Returns the committed element of an array, on a team of its first member. */
static long committed(cw_array array, cw_team alone)
{
  cw_array recovered = NULL;
  long seen = 0;
  CW_MUST(cw_array_recover(array, alone, &recovered));
  CW_MUST(cw_array_get(recovered, &last, &last, &seen, NULL));
  CW_MUST(cw_array_destroy(&recovered));
  return seen;
}

int main(int argc, char **argv)
{
  const long one = 1, two = 2, three = 3;
  const int first = 0;
  start(&argc, &argv);
  cw_array arrays[2] = {make("positions"), make("velocities")};
  cw_team alone = NULL;
  CW_MUST(cw_array_fill(arrays[0], NULL, NULL, &one));
  CW_MUST(cw_array_fill(arrays[1], NULL, NULL, &one));
  CW_MUST(cw_arrays_commit(2, arrays)); /* both, or none */
  CW_MUST(cw_array_fill(arrays[0], NULL, NULL, &two));
  CW_MUST(cw_array_commit(arrays[0]));
  CW_MUST(cw_array_fill(arrays[0], NULL, NULL, &three)); /* is not committed */
  CW_MUST(cw_team_create(cw_team_world(), 1, &first, 0, &alone));
  if (alone != NULL) {
    EXPECT(committed(arrays[0], alone) == 2);
    EXPECT(committed(arrays[1], alone) == 1);
  }
  CW_MUST(cw_team_free(&alone));
  CW_MUST(cw_barrier(cw_team_world()));    /* a recovery reads the copies of all members */
  CW_MUST(cw_array_protect(arrays[0], 0)); /* frees the copies; destroying the array does, too */
  CW_MUST(cw_array_destroy(&arrays[0]));
  CW_MUST(cw_array_destroy(&arrays[1]));
  return stop();
}
