/* causeway/typed.h: the type of a pointer determines the type of the call, and elements of another
 * type are rejected on all members before anything is done. */
#include "kit/native.h"

#include <causeway.h>

static const int one = 1;
static const double half = 0.5;
static long words[2];

/* The macros are constants: this would not compile otherwise. */
static void check_types(void)
{
  static const cw_type types[] = {CW_TYPE_OF(&one), CW_TYPE_OF(&half), CW_TYPE_OF(words),
                                  CW_TYPE_OF((float(*)[2])NULL)};
  kit_check(types[0] == CW_INT, "an int is type %d", (int)types[0]);
  kit_check(types[1] == CW_DOUBLE, "a double is type %d", (int)types[1]);
  kit_check(types[2] == CW_LONG, "a long is type %d", (int)types[2]);
  kit_check(types[3] == CW_FLOAT_COMPLEX, "a pair of floats is type %d", (int)types[3]);
}

int main(int argc, char **argv)
{
  const int64_t extents[1] = {5}, lo[1] = {1}, hi[1] = {2};
  const cw_array_options options = {
      .name = "whole", .type = CW_TYPE_OF(&one), .dimensions = 1, .extents = extents};
  cw_array array = NULL;
  int found[2] = {0, 0};
  double wrong[2] = {7, 7};
  kit_start_native(&argc, &argv, "typed");
  check_types();
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(CW_ARRAY_FILL(array, NULL, NULL, &one));
  KIT_MISUSE("'whole' are CW_INT|CW_DOUBLE", CW_ARRAY_FILL(array, NULL, NULL, &half));
  KIT_MISUSE("CW_INT|CW_DOUBLE", CW_ARRAY_PUT(array, lo, hi, wrong, NULL));
  KIT_MISUSE("CW_INT|CW_DOUBLE", CW_ARRAY_GET(array, lo, hi, wrong, NULL));
  KIT_MISUSE("CW_INT|CW_LONG",
             CW_OF_TYPE(array, words, cw_array_apply(array, NULL, NULL, CW_SCALE, words)));
  KIT_OK(cw_array_expect(array, CW_INT32)); /* another name of the same type */
  KIT_OK(CW_ARRAY_GET(array, lo, hi, found, NULL));
  kit_check(found[0] == 1 && found[1] == 1 && wrong[0] == 7.0, "%d %d %g", found[0], found[1],
            wrong[0]);
  words[0] = 2;
  KIT_OK(cw_allreduce(cw_team_world(), CW_TYPE_OF(words), CW_SUM, 2, words));
  kit_check_long(words[0], 2 * kit_processes(), "the sum");
  KIT_OK(cw_array_destroy(&array));
  return kit_finish_native();
}
